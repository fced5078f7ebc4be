"""Pages: paginators, and scans in parallel while others write."""

import concurrent.futures
import threading

import pytest

from definitions import index, name, on_demand


@pytest.fixture(scope="module")
def table(server):
    table = name("paged")
    request = on_demand(table, "pk", "sk", "g:S", GlobalSecondaryIndexes=[index("gsi", "g", "sk")])
    server.wire.call("CreateTable", request)
    for n in range(60):
        item = {"pk": {"S": f"p{n % 3}"}, "sk": {"S": f"{n:03}"}, "n": {"N": str(n)}}
        if n % 2:
            item["g"] = {"S": "odd"}
        server.wire.call("PutItem", {"TableName": table, "Item": item})
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


@pytest.mark.parametrize("size", [1, 7, 20, 60, 100])
@pytest.mark.parametrize(
    "operation, request_, expected",
    [
        ("scan", {}, set(range(60))),
        ("scan", {"IndexName": "gsi"}, set(range(1, 60, 2))),
        (
            "query",
            {
                "KeyConditionExpression": "pk = :v",
                "ExpressionAttributeValues": {":v": {"S": "p1"}},
            },
            set(range(1, 60, 3)),
        ),
        (
            "query",
            {
                "IndexName": "gsi",
                "KeyConditionExpression": "g = :v AND sk > :s",
                "ExpressionAttributeValues": {":v": {"S": "odd"}, ":s": {"S": "030"}},
                "ScanIndexForward": False,
            },
            set(range(31, 60, 2)),
        ),
        (
            "query",
            {
                "KeyConditionExpression": "pk = :v",
                "FilterExpression": "attribute_exists(g)",
                "ExpressionAttributeValues": {":v": {"S": "p1"}},
            },
            set(range(1, 60, 6)),
        ),
    ],
)
def test_a_paginator_gives_everything_once(client, table, operation, request_, expected, size):
    pages = client.get_paginator(operation).paginate(
        TableName=table, PaginationConfig={"PageSize": size}, **request_
    )
    found = [int(item["n"]["N"]) for page in pages for item in page["Items"]]
    assert len(found) == len(expected)
    assert set(found) == expected
    if "ScanIndexForward" in request_:
        assert found == sorted(found, reverse=True)
    elif operation == "query":
        assert found == sorted(found)


def test_a_paginator_goes_on_from_its_token(client, table):
    def pages(token=None, most=None):
        config = {"PageSize": 7, "MaxItems": most, "StartingToken": token}
        return client.get_paginator("scan").paginate(TableName=table, PaginationConfig=config)

    first = pages(most=25).build_full_result()
    rest = pages(token=first["NextToken"]).build_full_result()
    numbers = [int(item["n"]["N"]) for item in first["Items"] + rest["Items"]]
    assert len(first["Items"]) == 25
    assert sorted(numbers) == list(range(60))


@pytest.mark.parametrize("segments", [1, 4, 11])
def test_a_parallel_scan_covers_what_stands_while_others_write(server, make_table, segments):
    table = make_table(
        on_demand(name("parallel"), "pk", (), "g:S", GlobalSecondaryIndexes=[index("gsi", "g")])
    )
    standing = {f"standing-{n}" for n in range(150)}

    def put(key, n=0):
        item = {"pk": {"S": key}, "g": {"S": key[-2:]}, "n": {"N": str(n)}}
        server.wire.call("PutItem", {"TableName": table, "Item": item})

    for key in standing:
        put(key)
    stop = threading.Event()

    def write(worker):
        n = 0
        while not stop.is_set():
            n += 1
            put(f"passing-{worker}-{n % 20}", n)
            put(f"standing-{(worker * 75 + n) % 150}", n)
            key = {"pk": {"S": f"passing-{worker}-{(n + 10) % 20}"}}
            server.wire.call("DeleteItem", {"TableName": table, "Key": key})

    def scan(segment, index_name):
        keys = []
        more = {}
        while True:
            answer = server.wire.call(
                "Scan",
                {
                    "TableName": table,
                    "Segment": segment,
                    "TotalSegments": segments,
                    "Limit": 13,
                    **({"IndexName": index_name} if index_name else {}),
                    **more,
                },
            )
            keys += [item["pk"]["S"] for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                return keys
            more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    with concurrent.futures.ThreadPoolExecutor(2 + segments) as pool:
        writers = [pool.submit(write, worker) for worker in range(2)]
        try:
            for index_name in (None, "gsi"):
                parts = pool.map(scan, range(segments), [index_name] * segments)
                found = [key for part in parts for key in part if key in standing]
                assert len(found) == len(standing), index_name
                assert set(found) == standing, index_name
        finally:
            stop.set()
        for writer in writers:
            writer.result()
