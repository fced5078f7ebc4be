"""The access patterns our users write down, on the tables they define, queried as they query."""

import concurrent.futures
import datetime
import time
from decimal import Decimal

from boto3.dynamodb.conditions import Attr, Key

import users_tables


def values(answer, attribute):
    return [item[attribute] for item in answer["Items"]]


ORDERS = [
    {"pk": "ORDER#1001", "sk": "ORDER#1001", "status": "shipped", "total": Decimal("99.5")},
    {"pk": "ORDER#1001", "sk": "ITEM#prod-002", "qty": 2, "price": Decimal("5.25")},
    {"pk": "ORDER#1001", "sk": "ITEM#prod-001", "qty": 1, "price": Decimal("89")},
    {"pk": "ORDER#1001", "sk": "STATUS#shipped", "carrier": "post"},
    {"pk": "ORDER#1001", "sk": "STATUS#packed"},
    {
        "pk": "CUSTOMER#42",
        "sk": "CUSTOMER#42",
        "name": "Ann",
        "gsi1pk": "TIER#gold",
        "gsi1sk": "CUSTOMER#Ann",
    },
    {"pk": "CUSTOMER#42", "sk": "ORDER#1005", "total": 3},
    {"pk": "CUSTOMER#42", "sk": "ORDER#1001", "total": 2},
    {"pk": "CUSTOMER#420", "sk": "ORDER#9999", "total": 1},
]


def test_an_order_with_all_that_belongs_to_it(table_of):
    table = table_of(users_tables.ORDERS, ORDERS)
    order = Key("pk").eq("ORDER#1001")
    for condition, expected in [
        (
            order,
            ["ITEM#prod-001", "ITEM#prod-002", "ORDER#1001", "STATUS#packed", "STATUS#shipped"],
        ),
        (order & Key("sk").begins_with("ITEM#"), ["ITEM#prod-001", "ITEM#prod-002"]),
        (order & Key("sk").begins_with("STATUS#"), ["STATUS#packed", "STATUS#shipped"]),
        (
            Key("pk").eq("CUSTOMER#42") & Key("sk").begins_with("ORDER#"),
            ["ORDER#1001", "ORDER#1005"],
        ),
        (Key("pk").eq("CUSTOMER#4"), []),
    ]:
        assert values(table.query(KeyConditionExpression=condition), "sk") == expected
    profile = table.get_item(Key={"pk": "CUSTOMER#42", "sk": "CUSTOMER#42"})["Item"]
    assert profile["name"] == "Ann"


def test_one_index_serves_several_patterns(table_of):
    table = table_of(users_tables.ORDERS, ORDERS)
    for n, day in enumerate(["2025-01-15", "2025-01-17", "2025-01-16"]):
        key = {"pk": f"ORDER#{n}", "sk": f"ORDER#{n}"}
        table.put_item(Item={**key, "gsi1pk": "STATUS#pending", "gsi1sk": f"ORDER#{day}"})
    table.put_item(
        Item={"pk": "P", "sk": "P", "gsi1pk": "CATEGORY#electronics", "gsi1sk": "PRODUCT#tv"}
    )

    def ask(partition, **more):
        found = table.query(
            IndexName="GSI1", KeyConditionExpression=Key("gsi1pk").eq(partition), **more
        )
        return values(found, "gsi1sk")

    newest = ["ORDER#2025-01-17", "ORDER#2025-01-16", "ORDER#2025-01-15"]
    assert ask("STATUS#pending", ScanIndexForward=False) == newest
    assert ask("STATUS#pending") == newest[::-1]
    assert ask("TIER#gold") == ["CUSTOMER#Ann"]
    assert ask("CATEGORY#electronics") == ["PRODUCT#tv"]
    assert ask("STATUS#done") == []
    assert table.scan(IndexName="GSI1")["Count"] == 5


def test_who_follows_whom(table_of):
    def follow(who, whom):
        return {
            "pk": f"USER#{who}",
            "sk": f"FOLLOWS#{whom}",
            "type": "FOLLOW",
            "gsi1pk": f"FOLLOWED_BY#{whom}",
            "gsi1sk": f"USER#{who}",
        }

    users = [{"pk": f"USER#{who}", "sk": f"USER#{who}", "type": "USER"} for who in ("alice", "bob")]
    follows = [follow("alice", "carol"), follow("alice", "bob"), follow("bob", "alice")]
    table = table_of(users_tables.ORDERS, users + follows + [follow("carol", "bob")])
    following = table.query(
        KeyConditionExpression=Key("pk").eq("USER#alice") & Key("sk").begins_with("FOLLOWS#")
    )
    assert values(following, "sk") == ["FOLLOWS#bob", "FOLLOWS#carol"]

    def followers(whom):
        condition = Key("gsi1pk").eq(f"FOLLOWED_BY#{whom}")
        return values(table.query(IndexName="GSI1", KeyConditionExpression=condition), "gsi1sk")

    assert followers("bob") == ["USER#alice", "USER#carol"]
    assert followers("dave") == []
    assert "Item" in table.get_item(Key={"pk": "USER#alice", "sk": "FOLLOWS#bob"})
    table.delete_item(Key={"pk": "USER#alice", "sk": "FOLLOWS#bob"})
    assert followers("bob") == ["USER#carol"]


def test_projects_tasks_and_assignees(table_of):
    def task(project, number, assignee, **more):
        return {
            "PK": f"PROJ#{project}",
            "SK": f"TASK#{number}",
            "GSI1PK": f"USER#{assignee}",
            "GSI1SK": f"TASK#{number}",
            "type": "task",
            "title": f"task {number}",
            "status": "todo",
            **more,
        }

    def activity(project, when):
        key = {"PK": f"ACT#{project}#{when}", "SK": "META", "type": "activity"}
        return {**key, "GSI2PK": f"PROJ#{project}", "GSI2SK": f"ACT#{when}", "body": "long"}

    items = [
        {"PK": "USER#1", "SK": "META", "GSI1PK": "ORG#o", "GSI1SK": "USER#1", "type": "user"},
        {"PK": "USER#2", "SK": "META", "GSI1PK": "ORG#o", "GSI1SK": "USER#2", "type": "user"},
        {"PK": "USER#1", "SK": "PROJ#a"},
        {"PK": "USER#1", "SK": "PROJ#b"},
        {"PK": "PROJ#a", "SK": "META", "title": "A"},
        task("a", "t1", "1"),
        task("a", "t2", "2", GSI2PK="URGENT", GSI2SK="2025-01-01", createdAt="2025", extra="no"),
        task("b", "t3", "1"),
        activity("a", "2025-02"),
        activity("a", "2025-01"),
    ]
    table = table_of(users_tables.TERRAFORM, items)

    def ask(index, **more):
        return table.query(**({"IndexName": index} if index else {}), **more)

    def own(partition, prefix):
        condition = Key("PK").eq(partition) & Key("SK").begins_with(prefix)
        return values(ask(None, KeyConditionExpression=condition), "SK")

    assert own("USER#1", "PROJ#") == ["PROJ#a", "PROJ#b"]
    assert own("PROJ#a", "TASK#") == ["TASK#t1", "TASK#t2"]
    assigned = Key("GSI1PK").eq("USER#1") & Key("GSI1SK").begins_with("TASK#")
    assert values(ask("GSI1", KeyConditionExpression=assigned), "title") == ["task t1", "task t3"]
    members = ask("GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORG#o"))
    assert values(members, "GSI1SK") == ["USER#1", "USER#2"]
    recent = Key("GSI2PK").eq("PROJ#a") & Key("GSI2SK").begins_with("ACT#")
    found = ask("GSI2", KeyConditionExpression=recent, ScanIndexForward=False)["Items"]
    assert [item["GSI2SK"] for item in found] == ["ACT#2025-02", "ACT#2025-01"]
    assert set(found[0]) == {"PK", "SK", "GSI2PK", "GSI2SK", "type"}
    urgent = ask("GSI2", KeyConditionExpression=Key("GSI2PK").eq("URGENT"))["Items"]
    assert len(urgent) == 1
    assert set(urgent[0]) == {
        *("PK", "SK", "GSI2PK", "GSI2SK"),
        *("type", "title", "status", "createdAt"),
    }


def test_a_soft_delete_takes_an_item_out_of_the_index(table_of):
    keys = {"PK": "PROJ#a", "SK": "TASK#1"}
    item = {**keys, "GSI1PK": "USER#1", "GSI1SK": "TASK#1", "title": "x"}
    table = table_of(users_tables.TERRAFORM, [item])
    condition = Key("GSI1PK").eq("USER#1")
    assert table.query(IndexName="GSI1", KeyConditionExpression=condition)["Items"] == [item]
    table.update_item(
        Key=keys,
        UpdateExpression="SET deleted = :true, expiresAt = :ttl REMOVE GSI1PK, GSI1SK",
        ExpressionAttributeValues={":true": True, ":ttl": int(time.time()) + 30 * 86400},
    )
    assert table.query(IndexName="GSI1", KeyConditionExpression=condition)["Items"] == []
    assert table.get_item(Key=keys)["Item"]["deleted"] is True
    assert table.query(KeyConditionExpression=Key("PK").eq("PROJ#a"))["Count"] == 1


def test_tenants_and_their_branches(table_of):
    def transaction(tenant, branch, day, number, kind="EXPENSE", amount=100):
        return {
            "PK": f"TENANT#{tenant}#BRANCH#{branch}#TRANSACTION",
            "SK": f"{day}#{number}",
            "transactionType": kind,
            "amount": amount,
        }

    days = ["2025-01-31", "2025-02-01", "2025-02-15", "2025-03-01"]
    items = [transaction("t", "b", day, n, amount=n * 100) for n, day in enumerate(days)]
    items += [
        transaction("t", "b", "2025-02-02", 9, "INCOME", 300),
        transaction("t", "c", days[0], 7),
        transaction("u", "b", days[0], 8),
        *(
            {"PK": "TENANT#t#BRANCH#b#REPORTING", "SK": f"{period}", "total": 1}
            for period in ("DAILY#2025-01-31", "MONTHLY#2025-01", "MONTHLY#2025-07", "YEARLY#2025")
        ),
        {
            "PK": "TENANT#t#ACCOUNT",
            "SK": "acc1",
            "GSI1PK": "ACCOUNT#a@b.c",
            "GSI1SK": "TENANT#t",
        },
    ]
    table = table_of({"create": {**users_tables.CLOUDFORMATION["create"]}}, items)
    mine = "TENANT#t#BRANCH#b#TRANSACTION"
    partition = {"#PK": "PK"}
    request = {
        "KeyConditionExpression": "#PK = :pk",
        "ExpressionAttributeNames": partition,
        "ExpressionAttributeValues": {":pk": mine},
        "ScanIndexForward": False,
        "Limit": 2,
    }
    first = table.query(**request)
    assert values(first, "SK") == ["2025-03-01#3", "2025-02-15#2"]
    second = table.query(**request, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert values(second, "SK") == ["2025-02-02#9", "2025-02-01#1"]
    third = table.query(**request, ExclusiveStartKey=second["LastEvaluatedKey"])
    assert values(third, "SK") == ["2025-01-31#0"]
    assert "LastEvaluatedKey" not in third

    filtered = table.query(
        KeyConditionExpression="#PK = :pk",
        FilterExpression="#transactionType = :type AND #amount BETWEEN :min AND :max",
        ExpressionAttributeNames={
            **partition,
            "#transactionType": "transactionType",
            "#amount": "amount",
        },
        ExpressionAttributeValues={":pk": mine, ":type": "EXPENSE", ":min": 100, ":max": 250},
    )
    assert (filtered["Count"], filtered["ScannedCount"]) == (2, 5)

    february = Key("PK").eq(mine) & Key("SK").between("2025-02-01", "2025-03-01")
    assert table.query(KeyConditionExpression=february)["Count"] == 3
    monthly = Key("PK").eq("TENANT#t#BRANCH#b#REPORTING") & Key("SK").between(
        "MONTHLY#2025-01", "MONTHLY#2025-06"
    )
    assert values(table.query(KeyConditionExpression=monthly), "SK") == ["MONTHLY#2025-01"]
    wrong = Key("PK").eq("TENANT#x#BRANCH#b#TRANSACTION")
    assert table.query(KeyConditionExpression=wrong)["Items"] == []
    account = table.query(
        IndexName="GSI1",
        Limit=1,
        KeyConditionExpression="#GSI1PK = :GSI1PK",
        ExpressionAttributeNames={"#GSI1PK": "GSI1PK"},
        ExpressionAttributeValues={":GSI1PK": "ACCOUNT#a@b.c"},
    )
    assert values(account, "GSI1SK") == ["TENANT#t"]
    table.meta.client.update_table(TableName=table.name, DeletionProtectionEnabled=False)


def test_hierarchies_in_the_sort_key(table_of):
    def node(path):
        return {"PK": "TENANT#1", "SK": f"PATH#{path}", "Level": path.count("/")}

    paths = ["/a", "/a/b", "/a/b/c", "/a/d", "/ab", "/a/b/c/e"]
    organisation = [
        "METADATA",
        "TEAM#engineering",
        "TEAM#engineering#MEMBER#u1",
        "TEAM#engineering#MEMBER#u2",
        "TEAM#sales",
    ]
    items = [node(path) for path in paths]
    items += [{"PK": "ORG#acme", "SK": sort} for sort in organisation]
    table = table_of(users_tables.STORE, items)

    def under(partition, prefix):
        condition = Key("PK").eq(partition) & Key("SK").begins_with(prefix)
        return table.query(KeyConditionExpression=condition)["Items"]

    below = under("TENANT#1", "PATH#/a/")
    assert [item["SK"] for item in below] == [
        f"PATH#{path}" for path in ("/a/b", "/a/b/c", "/a/b/c/e", "/a/d")
    ]
    assert [item["SK"] for item in below if item["Level"] == 2] == ["PATH#/a/b", "PATH#/a/d"]
    for prefix, expected in [
        ("TEAM#", organisation[1:]),
        ("TEAM#engineering", organisation[1:4]),
        ("TEAM#engineering#MEMBER#", organisation[2:4]),
        ("TEAM#x", []),
    ]:
        assert [item["SK"] for item in under("ORG#acme", prefix)] == expected
    whole = table.query(KeyConditionExpression=Key("PK").eq("ORG#acme"))
    assert values(whole, "SK") == organisation


def test_a_time_series_in_shards(table_of):
    shards = 5
    start = datetime.datetime(2025, 1, 1)

    def moment(n):
        return start + datetime.timedelta(minutes=n)

    table = table_of(
        users_tables.BOTO3,
        [
            {
                "PK": f"METRIC#cpu#SHARD#{n * 7 % shards}",
                "SK": f"TIMESTAMP#{moment(n).isoformat()}",
                "Value": Decimal(str(n / 4)),
                "TTL": int(moment(n).timestamp()) + 30 * 86400,
            }
            for n in range(40)
        ],
    )

    def shard(number):
        condition = Key("PK").eq(f"METRIC#cpu#SHARD#{number}") & Key("SK").between(
            f"TIMESTAMP#{moment(10).isoformat()}", f"TIMESTAMP#{moment(29).isoformat()}"
        )
        return table.query(KeyConditionExpression=condition)["Items"]

    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        parts = list(pool.map(shard, range(shards)))
    assert [len(part) for part in parts] == [4] * shards
    assert all(part == sorted(part, key=lambda item: item["SK"]) for part in parts)
    merged = sorted((item for part in parts for item in part), key=lambda item: item["SK"])
    assert [item["Value"] for item in merged] == [Decimal(str(n / 4)) for n in range(10, 30)]


def test_a_shop_with_look_ups_by_mail_status_and_product(table_of):
    user = {
        "PK": "USER#1",
        "SK": "PROFILE",
        "Type": "UserProfile",
        "GSI1PK": "EMAIL#ann@example.org",
        "GSI1SK": "USER#1",
    }
    orders = [
        {
            "PK": f"ORDER#{n}",
            "SK": "METADATA",
            "Status": "PENDING",
            "CreatedAt": f"2025-01-0{n}",
            "GSI2PK": "STATUS#PENDING",
            "GSI2SK": f"ORDER#2025-01-0{n}",
        }
        for n in (1, 2, 3)
    ]
    lines = [{"PK": "ORDER#1", "SK": f"ITEM#{n}", "Quantity": n} for n in (1, 2)]
    sales = [
        {"PK": f"S#{n}", "SK": "S", "GSI3PK": "PRODUCT#9", "GSI3SK": f"SALE#2025-0{n}-01"}
        for n in (1, 2, 3, 4)
    ]
    listed = [{"PK": "USER#1", "SK": f"ORDER#2025-01-0{n}", "OrderId": n} for n in (1, 2, 3)]
    table = table_of(users_tables.BOTO3, [user, *orders, *lines, *sales, *listed])
    by_mail = table.query(
        IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("EMAIL#ann@example.org")
    )
    assert by_mail["Items"][0]["GSI1SK"].split("#")[1] == "1"
    nobody = Key("GSI1PK").eq("EMAIL#ann@example")
    assert table.query(IndexName="GSI1", KeyConditionExpression=nobody)["Items"] == []

    def with_status(status):
        found = table.query(
            IndexName="GSI2",
            KeyConditionExpression=Key("GSI2PK").eq(f"STATUS#{status}"),
            ScanIndexForward=False,
            Limit=50,
        )
        return values(found, "PK")

    assert with_status("PENDING") == ["ORDER#3", "ORDER#2", "ORDER#1"]
    table.update_item(
        Key={"PK": "ORDER#2", "SK": "METADATA"},
        UpdateExpression="SET #status = :new_status, GSI2PK = :gsi2pk, GSI2SK = :gsi2sk",
        ExpressionAttributeNames={"#status": "Status"},
        ExpressionAttributeValues={
            ":new_status": "SHIPPED",
            ":gsi2pk": "STATUS#SHIPPED",
            ":gsi2sk": "ORDER#2025-01-02",
        },
    )
    assert with_status("PENDING") == ["ORDER#3", "ORDER#1"]
    assert with_status("SHIPPED") == ["ORDER#2"]
    sold = Key("GSI3PK").eq("PRODUCT#9") & Key("GSI3SK").between(
        "SALE#2025-02-01", "SALE#2025-03-31"
    )
    assert values(table.query(IndexName="GSI3", KeyConditionExpression=sold), "PK") == [
        "S#2",
        "S#3",
    ]
    recent = Key("PK").eq("USER#1") & Key("SK").begins_with("ORDER#")
    latest = table.query(KeyConditionExpression=recent, ScanIndexForward=False, Limit=2)
    assert values(latest, "OrderId") == [3, 2]
    whole = table.query(KeyConditionExpression=Key("PK").eq("ORDER#1"))
    assert values(whole, "SK") == ["ITEM#1", "ITEM#2", "METADATA"]
    old = table.scan(FilterExpression=Attr("CreatedAt").lt("2025-01-03"))
    assert sorted(values(old, "PK")) == ["ORDER#1", "ORDER#2"]


def test_sessions_are_in_the_index_while_they_are_active(table_of):
    table = table_of(users_tables.ORDERS)
    for n in range(6):
        item = {"pk": f"SESSION#{n}", "sk": f"SESSION#{n}", "ttl": int(time.time()) + 86400}
        active = {"gsi1pk": "SESSION#active", "gsi1sk": f"{n}"} if n % 2 else {}
        table.put_item(Item={**item, **active})
    condition = Key("gsi1pk").eq("SESSION#active")
    found = table.query(IndexName="GSI1", KeyConditionExpression=condition)
    assert values(found, "gsi1sk") == ["1", "3", "5"]
    alive = table.query(
        IndexName="GSI1",
        KeyConditionExpression=condition,
        FilterExpression=Attr("ttl").gt(int(time.time())) & ~Attr("gone").exists(),
    )
    assert alive["Count"] == 3
