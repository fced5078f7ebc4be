"""ListTables: names in ascending order, a page at a time."""

import pytest

from definitions import on_demand


@pytest.fixture(scope="module")
def listed(start_server):
    """A server of its own, with tables of known names."""
    with start_server("--memory") as server:
        names = ["Zebra", "alpha", "alpha.1", "alpha-1", "alpha_1", "beta", "0digit", "ALPHA"]
        for name in names:
            server.wire.call("CreateTable", on_demand(name))
        yield server, sorted(names)


def pages(server, **request):
    """Follows LastEvaluatedTableName to the end."""
    while True:
        page = server.wire.call("ListTables", request)
        yield page
        if "LastEvaluatedTableName" not in page:
            return
        request["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]


def test_names_come_in_ascending_order(listed):
    server, names = listed
    assert server.wire.call("ListTables", {}) == {"TableNames": names}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 8, 100])
def test_pages_of_any_size_cover_every_table_once(listed, limit):
    server, names = listed
    found = list(pages(server, Limit=limit))
    assert sum((page["TableNames"] for page in found), []) == names
    assert all(len(page["TableNames"]) == limit for page in found[:-1])
    for page in found[:-1]:
        assert page["LastEvaluatedTableName"] == page["TableNames"][-1]
    assert "LastEvaluatedTableName" not in found[-1]


def test_an_exactly_full_last_page_says_that_it_is_the_last(listed):
    server, names = listed
    assert server.wire.call("ListTables", {"Limit": len(names)}) == {"TableNames": names}


def test_a_page_may_start_after_a_name_that_no_table_has(listed):
    server, names = listed
    found = server.wire.call("ListTables", {"ExclusiveStartTableName": "alpha-0"})
    assert found["TableNames"] == [name for name in names if name > "alpha-0"]
    assert server.wire.call("ListTables", {"ExclusiveStartTableName": "zzz"}) == {"TableNames": []}


def test_boto3_pages_through_all_tables(listed):
    server, names = listed
    paginator = server.boto.get_paginator("list_tables")
    found = paginator.paginate(PaginationConfig={"PageSize": 3})
    assert [name for page in found for name in page["TableNames"]] == names


def test_a_page_holds_a_hundred_names_unless_told_otherwise(fresh_server):
    server = fresh_server("--memory")
    names = [f"table{n:03}" for n in range(101)]
    for name in names:
        server.wire.call("CreateTable", on_demand(name))
    first = server.wire.call("ListTables", {})
    assert first == {"TableNames": names[:100], "LastEvaluatedTableName": "table099"}
    rest = server.wire.call("ListTables", {"ExclusiveStartTableName": "table099"})
    assert rest == {"TableNames": names[100:]}


def test_a_server_without_tables_lists_none(fresh_server):
    assert fresh_server("--memory").wire.call("ListTables", {}) == {"TableNames": []}
