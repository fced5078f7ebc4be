"""Random writes to random tables: afterwards every index is what the items imply.

Each run prints its seed. MONOTABLE_SEED repeats a run, as far as threads allow.
"""

import base64
import concurrent.futures
import http.client
import json
import os
import random
import threading
import time

import pytest

from definitions import attributes, key, on_demand
from indexes.expected import Caller, check_indexes, index_of, until_active
from server import until

KEYS = ["a", "b", "c", "d"]
OTHERS = ["x", "y", "z"]
WORKERS = 4


def seed():
    chosen = os.environ.get("MONOTABLE_SEED") or str(random.SystemRandom().randrange(10**9))
    print(f"seed {chosen}")
    return int(chosen)


def key_value(chance, kind):
    """Few values, so that index partitions have many items."""
    n = chance.randrange(6)
    return {
        "S": lambda: {"S": ["a", "a\u0000", "ab", "b", "\u00e9", "\U0001f600"][n]},
        "N": lambda: {"N": ["-10", "-9.5", "0", "9", "10", "1000000000000000000000001"][n]},
        "B": lambda: {"B": base64.b64encode([b"\0", b"\0\1", b"\1", b"\x7f", b"\x80", b"\xff"][n])},
    }[kind]()


def plain(value):
    ((kind, content),) = value.items()
    return {kind: content.decode() if isinstance(content, bytes) else content}


def random_projection(chance):
    kind = chance.choice(["ALL", "KEYS_ONLY", "INCLUDE"])
    if kind == "INCLUDE":
        names = chance.sample(OTHERS + KEYS, chance.randrange(1, 4))
        return {"ProjectionType": kind, "NonKeyAttributes": names}
    return {"ProjectionType": kind}


def random_index(chance, name, usable):
    names = chance.sample(usable, chance.randrange(1, 4))
    hashes = chance.randrange(1, len(names) + 1)
    return {
        "IndexName": name,
        "KeySchema": key(names[:hashes], names[hashes:]),
        "Projection": random_projection(chance),
    }


def names_in(index):
    return {element["AttributeName"] for element in index["KeySchema"]}


class RandomTable:
    """A definition, and writes that fit it."""

    def __init__(self, chance, name, partitions):
        self.name = name
        self.partitions = partitions
        self.types = {name: chance.choice("SSNB") for name in KEYS}
        self.types.update(pk="S", sk=chance.choice("SNB"))
        usable = [*KEYS, "pk", "sk"]
        globals_ = [random_index(chance, f"gsi{n}", usable) for n in range(chance.randrange(4))]
        locals_ = [
            {
                "IndexName": f"lsi{n}",
                "KeySchema": key("pk", chance.choice(KEYS)),
                "Projection": random_projection(chance),
            }
            for n in range(chance.randrange(3))
        ]
        self.added = random_index(chance, "added", usable)
        used = {"pk", "sk"}.union(*map(names_in, globals_ + locals_))
        self.request = on_demand(name, "pk", "sk")
        self.request["AttributeDefinitions"] = self.definitions(used)
        if globals_:
            self.request["GlobalSecondaryIndexes"] = globals_
        if locals_:
            self.request["LocalSecondaryIndexes"] = locals_

    def definitions(self, names):
        return attributes(*(f"{name}:{self.types[name]}" for name in sorted(names)))

    def addition(self):
        return {
            "TableName": self.name,
            "AttributeDefinitions": self.definitions(names_in(self.added)),
            "GlobalSecondaryIndexUpdates": [{"Create": self.added}],
        }

    def value(self, chance, name):
        if name in self.types:
            return plain(key_value(chance, self.types[name]))
        return {"S": chance.choice(["", "v", "w" * chance.randrange(300)])}

    def write(self, chance, worker):
        """A write of an item that belongs to one worker."""
        sort = key_value(chance, self.types["sk"])
        at = {"pk": {"S": f"{worker}-{chance.randrange(self.partitions)}"}, "sk": plain(sort)}
        some = [name for name in KEYS + OTHERS if chance.random() < 0.6]
        action = chance.randrange(10)
        if action < 5:
            item = {**at, **{name: self.value(chance, name) for name in some}}
            return "PutItem", {"TableName": self.name, "Item": item}
        if action < 7:
            return "DeleteItem", {"TableName": self.name, "Key": at}
        removed = [name for name in some if chance.random() < 0.4]
        kept = [name for name in some if name not in removed]
        request = {"TableName": self.name, "Key": at}
        sections = []
        if kept:
            sections.append("SET " + ", ".join(f"{name} = :{name}" for name in kept))
            request["ExpressionAttributeValues"] = {
                f":{name}": self.value(chance, name) for name in kept
            }
        if removed:
            sections.append("REMOVE " + ", ".join(removed))
        if sections:
            request["UpdateExpression"] = " ".join(sections)
        return "UpdateItem", request


class Model:
    """The items that one worker's writes leave, as far as their answers tell."""

    def __init__(self):
        self.items = {}
        # Where a write was under way that got no answer.
        self.unsure = set()

    @staticmethod
    def place(at):
        return json.dumps([at["pk"], at["sk"]])

    def apply(self, operation, request):
        if operation == "PutItem":
            self.items[self.place(request["Item"])] = request["Item"]
        elif operation == "DeleteItem":
            self.items.pop(self.place(request["Key"]), None)
        else:
            self.update(request)

    def update(self, request):
        place = self.place(request["Key"])
        expression = request.get("UpdateExpression", "")
        old = self.items.get(place)
        if old is None and expression.startswith("REMOVE"):
            return
        item = dict(old or request["Key"])
        for name, value in request.get("ExpressionAttributeValues", {}).items():
            item[name[1:]] = value
        if "REMOVE " in expression:
            for name in expression.split("REMOVE ")[1].split(", "):
                item.pop(name, None)
        self.items[place] = item


def work(wire, tables, chosen, worker, writes, models, stop):
    """Writes to all tables by turns, until the end or until the server is gone."""
    chance = random.Random(f"{chosen}-{worker}")
    caller = Caller(wire)
    for _ in range(writes):
        if stop.is_set():
            return
        number = chance.randrange(len(tables))
        operation, request = tables[number].write(chance, worker)
        try:
            caller.call(operation, request)
        except (OSError, http.client.HTTPException):
            assert stop.wait(60), "the server closed a connection by itself"
            models[number].unsure.add(Model.place(request.get("Key") or request["Item"]))
            return
        models[number].apply(operation, request)


def check(wire, tables, models):
    """Checks every index against the items, and the items against the answers."""
    for number, table in enumerate(tables):
        _, items = check_indexes(wire, table.name)
        found = {Model.place(item): item for item in items}
        for worker in models:
            model = worker[number]
            for place in model.unsure:
                model.items.pop(place, None)
                if place in found:
                    model.items[place] = found[place]
            model.unsure.clear()
        expected = {}
        for worker in models:
            expected.update(worker[number].items)
        assert found == expected, table.name


def empty_models(tables):
    """A model for each worker and table."""
    return [[Model() for _ in tables] for _ in range(WORKERS)]


def made(chosen, count, wire, partitions=4):
    """Tables in which each worker writes to that many partitions of six items."""
    tables = [
        RandomTable(random.Random(f"{chosen}-{n}"), f"random-{n}", partitions)
        for n in range(count)
    ]
    for table in tables:
        wire.call("CreateTable", table.request)
    return tables


def workers(wire, tables, chosen, writes, stop, models):
    pool = concurrent.futures.ThreadPoolExecutor(WORKERS)
    running = [
        pool.submit(work, wire, tables, chosen, worker, writes, models[worker], stop)
        for worker in range(WORKERS)
    ]
    pool.shutdown(wait=False)
    return running


def test_indexes_follow_random_writes(fresh_server):
    chosen = seed()
    wire = fresh_server("--memory").wire
    tables = made(chosen, 6, wire)
    models = empty_models(tables)
    running = workers(wire, tables, chosen, 1200, threading.Event(), models)
    for one in running:
        one.result()
    check(wire, tables, models)


def test_indexes_follow_random_writes_through_a_crash(fresh_server, tmp_path):
    chosen = seed()
    options = "--data", tmp_path / "data", "--durability", "os"
    server = fresh_server(*options)
    tables = made(chosen, 3, server.wire)
    models = empty_models(tables)
    for life in range(2):
        stop = threading.Event()
        running = workers(server.wire, tables, f"{chosen}-{life}", 100_000, stop, models)
        time.sleep(0.5 + random.Random(chosen + life).random())
        server.kill()
        stop.set()
        for one in running:
            one.result()
        server = fresh_server(*options)
        check(server.wire, tables, models)


@pytest.mark.parametrize("run", range(2))
def test_an_index_created_amid_random_writes_is_complete(fresh_server, run):
    chosen = seed() + run
    wire = fresh_server("--memory").wire
    tables = made(chosen, 2, wire, partitions=20)
    models = empty_models(tables)
    running = workers(wire, tables, chosen, 700, threading.Event(), models)

    def some():
        items = sum(len(model.items) for worker in models for model in worker)
        return items > 400 or any(one.done() for one in running)

    until(some, "some items are there")
    for table in tables:
        wire.call("UpdateTable", table.addition())
    for one in running:
        one.result()
    for table in tables:
        until_active(wire, table.name, "added")
        assert index_of(wire.call("DescribeTable", {"TableName": table.name})["Table"], "added")
    check(wire, tables, models)
