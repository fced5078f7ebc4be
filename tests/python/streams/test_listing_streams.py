"""ListStreams."""

import pytest

from definitions import on_demand
from streams.reading import OFF, on, streams_client


@pytest.fixture(scope="module")
def listed(start_server):
    """A server with seven streams, of which `abc` has three and `gone` has no table."""
    with start_server("--memory") as server:
        client, arns = server.boto, {}
        for table in ("abc", "abcd", "gone", "Upper", "x.y-z_1"):
            arns[table] = []
            answer = client.create_table(**on_demand(table, StreamSpecification=on()))
            arns[table].append(answer["TableDescription"]["LatestStreamArn"])
        client.create_table(**on_demand("none"))
        for _ in range(2):
            client.update_table(TableName="abc", StreamSpecification=OFF)
            answer = client.update_table(TableName="abc", StreamSpecification=on("KEYS_ONLY"))
            arns["abc"].append(answer["TableDescription"]["LatestStreamArn"])
        client.delete_table(TableName="gone")
        yield streams_client(server.endpoint), arns


def pages(client, **request):
    found = []
    while True:
        answer = client.list_streams(**request)
        found.append(answer["Streams"])
        if "LastEvaluatedStreamArn" not in answer:
            return found
        assert answer["LastEvaluatedStreamArn"] == answer["Streams"][-1]["StreamArn"]
        request["ExclusiveStartStreamArn"] = answer["LastEvaluatedStreamArn"]


def arns_of(streams):
    return [stream["StreamArn"] for stream in streams]


def test_every_stream_is_listed_once(listed):
    client, arns = listed
    (found,) = pages(client)
    assert sorted(arns_of(found)) == sorted(sum(arns.values(), []))
    for stream in found:
        assert set(stream) == {"StreamArn", "TableName", "StreamLabel"}
        assert stream["StreamArn"] in arns[stream["TableName"]]
        assert stream["StreamArn"].endswith(
            f":table/{stream['TableName']}/stream/{stream['StreamLabel']}"
        )


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 100])
def test_pages_hold_as_many_as_asked_for(listed, limit):
    client, arns = listed
    found = pages(client, Limit=limit)
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert 0 < len(found[-1]) <= limit
    assert sum(found, []) == pages(client)[0]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
@pytest.mark.parametrize("table", ["abc", "abcd", "gone", "Upper", "x.y-z_1"])
def test_the_streams_of_one_table(listed, table, limit):
    client, arns = listed
    found = sum(pages(client, TableName=table, Limit=limit), [])
    assert sorted(arns_of(found)) == sorted(arns[table])
    assert {stream["TableName"] for stream in found} == {table}


@pytest.mark.parametrize("table", ["none", "nowhere", "ABC", "ab."])
def test_a_table_without_streams_has_none(listed, table):
    client, _ = listed
    assert pages(client, TableName=table) == [[]]


def test_the_streams_of_a_table_are_in_the_order_of_their_labels(listed):
    client, arns = listed
    assert arns_of(pages(client, TableName="abc")[0]) == arns["abc"]


def test_an_arn_that_was_never_listed_can_begin_a_page(listed):
    client, arns = listed
    start = arns["abc"][-1] + "0"
    found = arns_of(pages(client, ExclusiveStartStreamArn=start)[0])
    assert found == arns_of(pages(client, ExclusiveStartStreamArn=arns["abc"][-1])[0])


def test_a_server_without_streams_lists_none(fresh_server):
    server = fresh_server("--memory")
    server.boto.create_table(**on_demand("none"))
    answer = server.wire.call("ListStreams", {})
    assert answer == {"Streams": []}
