"""DescribeLimits and DescribeEndpoints."""


def test_limits_are_the_default_quotas(wire):
    assert wire.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_the_endpoint_is_the_address_the_caller_used(server):
    assert server.wire.call("DescribeEndpoints", {}) == {
        "Endpoints": [
            {"Address": f"127.0.0.1:{server.port}", "CachePeriodInMinutes": 1440},
        ]
    }


def test_boto3_reads_both(client):
    assert client.describe_limits()["TableMaxReadCapacityUnits"] == 40000
    assert client.describe_endpoints()["Endpoints"][0]["CachePeriodInMinutes"] == 1440
