"""What the items of a table imply for its indexes, worked out without asking an index."""

import base64
import json
from decimal import Decimal

from server import until
from wire import headers


class Caller:
    """Calls over one connection, for loops that make many."""

    def __init__(self, wire):
        self.connection = wire.connect()

    def post(self, operation, request):
        self.connection.request("POST", "/", json.dumps(request).encode(), headers(operation))
        response = self.connection.getresponse()
        return response.status, json.loads(response.read() or b"null")

    def call(self, operation, request):
        status, answer = self.post(operation, request)
        assert status == 200, f"{operation} {request}: {answer}"
        return answer

    def all(self, operation, request):
        """The items of all pages."""
        items = []
        while True:
            answer = self.call(operation, request)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _number_size(text):
    value = Decimal(text)
    if value == 0:
        return 1
    whole, _, fraction = format(abs(value), "f").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    if not fraction:
        whole = whole.rstrip("0")
    if not whole:
        fraction = fraction.lstrip("0")
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (value < 0)


def value_size(value):
    ((kind, content),) = value.items()
    sizes = {
        "S": lambda: len(content.encode()),
        "N": lambda: _number_size(content),
        "B": lambda: len(base64.b64decode(content)),
        "BOOL": lambda: 1,
        "NULL": lambda: 1,
        "L": lambda: 3 + sum(1 + value_size(element) for element in content),
    }
    return sizes[kind]()


def item_size(item):
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def order(value):
    """What a key value is sorted by."""
    ((kind, content),) = value.items()
    return {
        "S": lambda: content.encode(),
        "N": lambda: Decimal(content),
        "B": lambda: base64.b64decode(content),
    }[kind]()


def parts(schema, kind):
    return [element["AttributeName"] for element in schema if element["KeyType"] == kind]


class Expected:
    """What an index of a table has to hold."""

    def __init__(self, table, index, items):
        self.types = {d["AttributeName"]: d["AttributeType"] for d in table["AttributeDefinitions"]}
        self.hashes = parts(index["KeySchema"], "HASH")
        self.ranges = parts(index["KeySchema"], "RANGE")
        self.table_key = [element["AttributeName"] for element in table["KeySchema"]]
        self.projection = index["Projection"]
        self.entries = [self.project(item) for item in items if self.has_key(item)]
        self.bytes = sum(map(item_size, self.entries))

    def has_key(self, item):
        for name in self.hashes + self.ranges:
            value = item.get(name, {})
            if list(value) != [self.types[name]] or (self.types[name] != "N" and not order(value)):
                return False
        return (
            sum(value_size(item[name]) for name in self.hashes) <= 2048
            and sum(value_size(item[name]) for name in self.ranges) <= 1024
        )

    def project(self, item):
        if self.projection["ProjectionType"] == "ALL":
            return item
        names = {*self.table_key, *self.hashes, *self.ranges}
        names |= set(self.projection.get("NonKeyAttributes", ()))
        return {name: value for name, value in item.items() if name in names}

    def partitions(self):
        """Entries by the values of the partition key."""
        found = {}
        for entry in self.entries:
            key = json.dumps([entry[name] for name in self.hashes])
            found.setdefault(key, []).append(entry)
        return found

    def sort_key(self, entry):
        return [order(entry[name]) for name in self.ranges]


def canonical(items):
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def partition_query(hashes, values):
    return {
        "KeyConditionExpression": " AND ".join(f"#h{n} = :h{n}" for n in range(len(hashes))),
        "ExpressionAttributeNames": {f"#h{n}": name for n, name in enumerate(hashes)},
        "ExpressionAttributeValues": {f":h{n}": value for n, value in enumerate(values)},
    }


def check_indexes(wire, table_name, queries=True):
    """Checks every index of a table against its items; nobody may write meanwhile."""
    caller = Caller(wire)
    named = {"TableName": table_name}
    table = caller.call("DescribeTable", named)["Table"]
    items = caller.all("Scan", {**named, "ConsistentRead": True})
    assert table["ItemCount"] == len(items)
    assert table["TableSizeBytes"] == sum(map(item_size, items))
    locals_ = table.get("LocalSecondaryIndexes", [])
    for index in table.get("GlobalSecondaryIndexes", []) + locals_:
        what = index["IndexName"]
        expected = Expected(table, index, items)
        request = {**named, "IndexName": what}
        assert canonical(caller.all("Scan", request)) == canonical(expected.entries), what
        assert index["ItemCount"] == len(expected.entries), what
        assert index["IndexSizeBytes"] == expected.bytes, what
        if not queries:
            continue
        for values, entries in expected.partitions().items():
            query = {**request, **partition_query(expected.hashes, json.loads(values))}
            wanted = sorted(map(expected.sort_key, entries))
            for forward in (True, False):
                found = caller.all("Query", {**query, "ScanIndexForward": forward, "Limit": 50})
                assert canonical(found) == canonical(entries), what
                sorts = [expected.sort_key(entry) for entry in found]
                assert sorts == (wanted if forward else wanted[::-1]), what
    return table, items


def describe(wire, table_name):
    return wire.call("DescribeTable", {"TableName": table_name})["Table"]


def index_of(table, index_name):
    indexes = table.get("GlobalSecondaryIndexes", [])
    return next((index for index in indexes if index["IndexName"] == index_name), None)


def until_active(wire, table_name, index_name):
    """Waits until the index is in use, and the table is too."""

    def active():
        table = describe(wire, table_name)
        index = index_of(table, index_name)
        return (
            table["TableStatus"] == "ACTIVE"
            and index["IndexStatus"] == "ACTIVE"
            and "Backfilling" not in index
        )

    until(active, f"{index_name} is active")


def until_gone(wire, table_name, index_name):
    def gone():
        table = describe(wire, table_name)
        return table["TableStatus"] == "ACTIVE" and index_of(table, index_name) is None

    until(gone, f"{index_name} is gone")
