//! What AWS checks in the definition of a table and its indexes, beyond the
//! model's constraints, in the order it does.

mod indexes;
mod keys;
mod tags;
mod throughput;

pub(crate) use indexes::{
    MOST_GLOBAL_INDEXES, global_index, global_indexes, included_in_bounds, local_indexes,
};
pub(crate) use keys::{Definitions, table_key};
pub(crate) use tags::{MOST_TAGS, TOO_MANY_TAGS, tag_keys, tags};
pub(crate) use throughput::{
    billing_mode, on_demand, provisioned, provisioned_in_bounds, table_class, warm,
};

use crate::{
    error::ApiError,
    wire::{StreamSpecification, StreamViewType},
};
use engine::table::{Encryption, Owner, StreamView};

/// The texts for a stream specification that contradicts itself.
pub(crate) struct StreamTexts {
    pub(crate) view_missing: &'static str,
    pub(crate) view_not_wanted: &'static str,
}

/// The view of a stream to be enabled; none if it is to be disabled.
pub(crate) fn stream_view(
    specification: &StreamSpecification,
    texts: &StreamTexts,
) -> Result<Option<StreamView>, ApiError> {
    let view = match &specification.stream_view_type {
        Some(StreamViewType::KeysOnly) => Some(StreamView::KeysOnly),
        Some(StreamViewType::NewImage) => Some(StreamView::NewImage),
        Some(StreamViewType::OldImage) => Some(StreamView::OldImage),
        Some(StreamViewType::NewAndOldImages) => Some(StreamView::NewAndOldImages),
        Some(StreamViewType::Unknown(_)) | None => None,
    };
    match (specification.stream_enabled.unwrap_or(false), view) {
        (true, None) => Err(ApiError::parameters(texts.view_missing)),
        (false, Some(_)) => Err(ApiError::parameters(texts.view_not_wanted)),
        (_, view) => Ok(view),
    }
}

/// The encryption asked for; none means the key that needs no mention.
pub(crate) fn encryption(
    specification: &crate::wire::SSESpecification,
    owner: &Owner,
) -> Result<Option<Encryption>, ApiError> {
    let enabled = specification.enabled.unwrap_or(false);
    if !enabled {
        if specification.kms_master_key_id.is_some() {
            return Err(ApiError::parameters(
                "KMSMasterKeyId can be specified only if SSE is enabled",
            ));
        }
        return Ok(None);
    }
    if specification.sse_type == Some(crate::wire::SSEType::Aes256) {
        return Err(ApiError::parameters("SSEType AES256 is not supported"));
    }
    let Owner { region, account } = owner;
    let prefix = format!("arn:aws:kms:{region}:{account}:");
    let key_arn = match &specification.kms_master_key_id {
        Some(id) if id.starts_with("arn:") => id.clone(),
        Some(id) if id.starts_with("alias/") => format!("{prefix}{id}"),
        Some(id) => format!("{prefix}key/{id}"),
        None => format!("{prefix}alias/aws/dynamodb"),
    };
    Ok(Some(Encryption { key_arn }))
}
