// The programs of our users that query: through the client with marshalled values, and
// through the document client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  QueryCommand as ClientQuery,
  UpdateTableCommand,
  paginateQuery as paginateClientQuery,
} from "@aws-sdk/client-dynamodb";
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { index, onDemand, usersTables } from "./definitions.js";
import { start } from "./server.js";

const users = (title) => usersTables.find((table) => table.title === title).create;
let server;
let client;
let documents;
let made = 0;

before(async () => {
  server = await start();
  ({ client, documents } = server);
});
after(async () => assert.equal(await server.stop(), 0));

/** Creates a table under a name of its own and puts items into it. */
async function table(definition, items = []) {
  const TableName = `queries-${++made}`;
  await client.send(new CreateTableCommand({ ...definition, TableName }));
  for (const Item of items) await documents.send(new PutCommand({ TableName, Item }));
  return TableName;
}

const query = (TableName, request) => documents.send(new QueryCommand({ TableName, ...request }));

test("orders by status come newest first, marshalled", async () => {
  const TableName = await table(users("JavaScript store"));
  const order = (day, status) => ({
    PK: "USER#u123",
    SK: `ORDER#${day}#o${day}`,
    GSI1PK: `STATUS#${status}`,
    GSI1SK: `${day}T10:30:00Z`,
    orderId: `o${day}`,
    total: 99.99,
    status,
    EntityType: "ORDER",
  });
  const orders = [
    order("2026-04-05", "pending"),
    order("2026-03-20", "shipped"),
    order("2026-04-07", "pending"),
    order("2026-04-06", "pending"),
  ];
  for (const one of orders) {
    await client.send(new PutItemCommand({ TableName, Item: marshall(one) }));
  }
  const pending = await client.send(
    new ClientQuery({
      TableName,
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :status",
      ExpressionAttributeValues: marshall({ ":status": "STATUS#pending" }),
      ScanIndexForward: false,
    }),
  );
  const expected = [orders[2], orders[3], orders[0]];
  assert.deepEqual(pending.Items.map((item) => unmarshall(item)), expected);
  assert.equal(pending.Count, 3);
  assert.equal(pending.LastEvaluatedKey, undefined);
});

test("a user's orders, and the ten latest", async () => {
  const days = Array.from({ length: 15 }, (_, n) => `2026-04-${String(n + 1).padStart(2, "0")}`);
  const TableName = await table(users("JavaScript store"), [
    { PK: "USER#u123", SK: "PROFILE", name: "Alice", email: "alice@co.com" },
    ...days.map((day) => ({ PK: "USER#u123", SK: `ORDER#${day}`, total: 1 })),
    { PK: "USER#u1234", SK: "ORDER#2026-04-30", total: 2 },
  ]);
  const own = {
    KeyConditionExpression: "PK = :pk AND begins_with(SK, :orders)",
    ExpressionAttributeValues: { ":pk": "USER#u123", ":orders": "ORDER#" },
  };
  const sorted = (answer) => answer.Items.map((item) => item.SK.slice("ORDER#".length));
  assert.deepEqual(sorted(await query(TableName, own)), days);
  const latest = await query(TableName, { ...own, ScanIndexForward: false, Limit: 10 });
  assert.deepEqual(sorted(latest), days.toReversed().slice(0, 10));
  assert.deepEqual(latest.LastEvaluatedKey, { PK: "USER#u123", SK: "ORDER#2026-04-06" });
  const everything = await query(TableName, {
    KeyConditionExpression: "PK = :pk",
    ExpressionAttributeValues: { ":pk": "USER#u123" },
  });
  assert.equal(everything.Count, 16);
  assert.equal(everything.Items.at(-1).name, "Alice");
});

test("pending orders, gold customers and active sessions share an index", async () => {
  const item = (pk, gsi1pk, gsi1sk) => ({ pk, sk: pk, ...(gsi1pk ? { gsi1pk, gsi1sk } : {}) });
  const TableName = await table(users("JavaScript orders"), [
    item("ORDER#1", "STATUS#pending", "ORDER#2025-01-15"),
    item("ORDER#2", "STATUS#pending", "ORDER#2025-01-16"),
    item("CUSTOMER#42", "TIER#gold", "CUSTOMER#Ann"),
    item("SESSION#1", "SESSION#active", "1"),
    item("SESSION#2"),
  ]);
  const ask = async (value, more = {}) => {
    const found = await query(TableName, {
      IndexName: "GSI1",
      KeyConditionExpression: "gsi1pk = :value",
      ExpressionAttributeValues: { ":value": value },
      ...more,
    });
    return found.Items.map((one) => one.pk);
  };
  const newest = await ask("STATUS#pending", { ScanIndexForward: false });
  assert.deepEqual(newest, ["ORDER#2", "ORDER#1"]);
  assert.deepEqual(await ask("TIER#gold"), ["CUSTOMER#42"]);
  assert.deepEqual(await ask("SESSION#active"), ["SESSION#1"]);
});

test("teams and members of an organisation at any level", async () => {
  const sorts = [
    "METADATA",
    "TEAM#engineering",
    "TEAM#engineering#MEMBER#u1",
    "TEAM#engineering#MEMBER#u2",
    "TEAM#sales",
  ];
  const TableName = await table(
    users("Serverless"),
    sorts.map((SK) => ({ PK: "ORG#acme", SK })),
  );
  for (const [prefix, expected] of [
    ["TEAM#", sorts.slice(1)],
    ["TEAM#engineering#MEMBER#", sorts.slice(2, 4)],
    ["TEAM#none", []],
  ]) {
    const found = await query(TableName, {
      KeyConditionExpression: "PK = :pk AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: { ":pk": "ORG#acme", ":prefix": prefix },
    });
    assert.deepEqual(found.Items.map((item) => item.SK), expected);
  }
});

test("transactions of a branch are listed by cursor and filtered", async () => {
  const PK = "TENANT#t#BRANCH#b#TRANSACTION";
  const TableName = await table(
    users("Serverless with an index"),
    Array.from({ length: 9 }, (_, n) => ({
      PK,
      SK: `2025-01-0${n + 1}#${n}`,
      transactionType: n % 2 ? "EXPENSE" : "INCOME",
      amount: n * 100,
    })),
  );
  const getAll = async (limit, exclusiveStartKey) => {
    const { Items = [], LastEvaluatedKey } = await query(TableName, {
      KeyConditionExpression: "#PK = :pk",
      ExpressionAttributeNames: { "#PK": "PK" },
      ExpressionAttributeValues: { ":pk": PK },
      Limit: limit,
      ScanIndexForward: false,
      ExclusiveStartKey: exclusiveStartKey,
    });
    return { amounts: Items.map((item) => item.amount), LastEvaluatedKey };
  };
  const seen = [];
  let cursor;
  do {
    const page = await getAll(4, cursor);
    seen.push(page.amounts);
    cursor = page.LastEvaluatedKey;
  } while (cursor);
  assert.deepEqual(seen, [[800, 700, 600, 500], [400, 300, 200, 100], [0]]);

  const filtered = await query(TableName, {
    KeyConditionExpression: "#PK = :pk",
    FilterExpression: "#transactionType = :type AND #amount BETWEEN :min AND :max",
    ExpressionAttributeNames: {
      "#PK": "PK",
      "#transactionType": "transactionType",
      "#amount": "amount",
    },
    ExpressionAttributeValues: { ":pk": PK, ":type": "EXPENSE", ":min": 100, ":max": 500 },
  });
  assert.deepEqual(filtered.Items.map((item) => item.amount), [100, 300, 500]);
  assert.equal(filtered.ScannedCount, 9);
});

test("an account is found by its mail address", async () => {
  const TableName = await table(users("Serverless with an index"), [
    { PK: "TENANT#t#ACCOUNT", SK: "a1", GSI1PK: "ACCOUNT#ann@example.org", GSI1SK: "TENANT#t" },
    { PK: "TENANT#u#ACCOUNT", SK: "a2", GSI1PK: "ACCOUNT#bob@example.org", GSI1SK: "TENANT#u" },
  ]);
  const findByEmail = async (email) => {
    const { Items = [] } = await query(TableName, {
      IndexName: "GSI1",
      Limit: 1,
      KeyConditionExpression: "#GSI1PK = :GSI1PK",
      ExpressionAttributeNames: { "#GSI1PK": "GSI1PK" },
      ExpressionAttributeValues: { ":GSI1PK": `ACCOUNT#${email}` },
    });
    return Items[0] ?? null;
  };
  assert.equal((await findByEmail("bob@example.org")).GSI1SK, "TENANT#u");
  assert.equal(await findByEmail("eve@example.org"), null);
});

test("a soft delete makes an item invisible to the index", async () => {
  const Key = { PK: "PROJ#1", SK: "TASK#1" };
  const TableName = await table(users("Terraform"), [
    { ...Key, GSI1PK: "USER#1", GSI1SK: "TASK#1", title: "x" },
  ]);
  const assigned = {
    IndexName: "GSI1",
    KeyConditionExpression: "GSI1PK = :user",
    ExpressionAttributeValues: { ":user": "USER#1" },
  };
  assert.equal((await query(TableName, assigned)).Count, 1);
  await documents.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET deleted = :true, expiresAt = :ttl REMOVE GSI1PK, GSI1SK",
      ExpressionAttributeValues: {
        ":true": true,
        ":ttl": Math.floor(Date.now() / 1000) + 30 * 86400,
      },
    }),
  );
  assert.equal((await query(TableName, assigned)).Count, 0);
  assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item.deleted, true);
});

test("paginators give everything once", async () => {
  const items = Array.from({ length: 37 }, (_, n) => ({
    pk: `p${n % 2}`,
    sk: String(n).padStart(2, "0"),
    ...(n % 3 ? {} : { gsi1pk: "third", gsi1sk: String(n) }),
    n,
  }));
  const TableName = await table(users("JavaScript orders"), items);
  const gathered = async (pages) => {
    const found = [];
    let count = 0;
    for await (const page of pages) {
      found.push(...page.Items.map((item) => Number(item.n.N ?? item.n)));
      count += 1;
    }
    return [found, count];
  };
  // A paginator keeps its position in the request that it is given.
  const partition = (values) => ({
    TableName,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: values,
    ScanIndexForward: false,
  });
  const numbers = items.map((item) => item.n);
  const ascending = (found) => found.toSorted((a, b) => a - b);
  const odd = numbers.filter((n) => n % 2).toReversed();
  const byPage = (pageSize) => ({ client: documents, pageSize });
  const plain = paginateQuery(byPage(5), partition({ ":pk": "p1" }));
  assert.deepEqual(await gathered(plain), [odd, 4]);
  const raw = partition(marshall({ ":pk": "p1" }));
  assert.deepEqual(await gathered(paginateClientQuery({ client, pageSize: 7 }, raw)), [odd, 3]);
  const [all, count] = await gathered(paginateScan(byPage(10), { TableName }));
  assert.deepEqual([ascending(all), count], [numbers, 4]);
  const [third] = await gathered(paginateScan(byPage(4), { TableName, IndexName: "GSI1" }));
  assert.deepEqual(ascending(third), numbers.filter((n) => n % 3 === 0));
});

test("segments of a scan together give everything once", async () => {
  const items = Array.from({ length: 50 }, (_, n) => ({ pk: `key-${n}` }));
  const TableName = await table(onDemand("any"), items);
  const segments = await Promise.all(
    [0, 1, 2, 3].map((Segment) =>
      documents.send(new ScanCommand({ TableName, Segment, TotalSegments: 4 })),
    ),
  );
  const found = segments.flatMap((segment) => segment.Items.map((item) => item.pk));
  assert.deepEqual(found.toSorted(), items.map((item) => item.pk).toSorted());
});

test("an index is created on a table in use, and queried", async () => {
  const TableName = await table(onDemand("any"), [
    { pk: "1", mail: "a" },
    { pk: "2", mail: "b" },
    { pk: "3" },
  ]);
  const { TableDescription } = await client.send(
    new UpdateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: "mail", AttributeType: "S" }],
      GlobalSecondaryIndexUpdates: [{ Create: index("by-mail", "mail") }],
    }),
  );
  assert.equal(TableDescription.GlobalSecondaryIndexes[0].IndexStatus, "CREATING");
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table.GlobalSecondaryIndexes[0].IndexStatus === "ACTIVE") break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const found = await query(TableName, {
    IndexName: "by-mail",
    KeyConditionExpression: "mail = :mail",
    ExpressionAttributeValues: { ":mail": "b" },
  });
  assert.deepEqual(found.Items, [{ pk: "2", mail: "b" }]);
});

test("a query that makes no sense is refused with its reason", async () => {
  const TableName = await table(onDemand("any", "pk", "sk"));
  await assert.rejects(
    query(TableName, {
      KeyConditionExpression: "sk = :sk",
      ExpressionAttributeValues: { ":sk": "1" },
    }),
    { name: "ValidationException", message: "Query condition missed key schema element: pk" },
  );
});
