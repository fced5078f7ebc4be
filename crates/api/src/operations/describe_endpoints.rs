//! DescribeEndpoints: the address the caller used, as there is no other.

use crate::{
    Caller,
    error::ApiError,
    wire::{DescribeEndpointsRequest, DescribeEndpointsResponse, Endpoint, Long},
};

/// How long a client may keep the answer, in minutes.
const CACHE_PERIOD: Long = Long(1440);

pub(crate) fn describe_endpoints(
    caller: &Caller,
    _: DescribeEndpointsRequest,
) -> Result<DescribeEndpointsResponse, ApiError> {
    let endpoint = Endpoint {
        address: Some(caller.host.clone()),
        cache_period_in_minutes: Some(CACHE_PERIOD),
    };
    Ok(DescribeEndpointsResponse { endpoints: Some(vec![endpoint]) })
}
