// Items through the document client, as plain JavaScript values.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
} from "@aws-sdk/lib-dynamodb";
import { onDemand } from "./definitions.js";
import { connect, start } from "./server.js";

const TableName = "documents";
const Key = { PK: "USER#u123", SK: "PROFILE" };
let server;
let documents;

before(async () => {
  server = await start();
  documents = server.documents;
  await server.client.send(new CreateTableCommand(onDemand(TableName, "PK", "SK")));
});
after(async () => assert.equal(await server.stop(), 0));

const put = (attributes, more = {}) =>
  documents.send(new PutCommand({ TableName, Item: { ...Key, ...attributes }, ...more }));
const get = (more = {}) => documents.send(new GetCommand({ TableName, Key, ...more }));

const values = {
  "a string": "text",
  "an empty string": "",
  "a whole number": 42,
  "a fraction": -99.99,
  "a large number": Number.MAX_SAFE_INTEGER,
  "a binary": Uint8Array.from([1, 2, 3]),
  "true": true,
  "false": false,
  "null": null,
  "a list": [1, "two", [3, null], { four: true }],
  "an empty list": [],
  "a map": { a: { b: { c: [] } }, d: "" },
  "an empty map": {},
  "a set of strings": new Set(["a", "b"]),
  "a set of numbers": new Set([1, 2.5]),
};

for (const [title, value] of Object.entries(values)) {
  test(`${title} comes back as it was put`, async () => {
    await put({ value });
    assert.deepEqual((await get()).Item, { ...Key, value });
  });
}

test("a set of binaries comes back with its elements", async () => {
  await put({ value: new Set([Uint8Array.from([1]), Uint8Array.from([2, 3])]) });
  const { value } = (await get()).Item;
  assert.ok(value instanceof Set);
  assert.deepEqual([...value].map((b) => [...b]).toSorted(), [[1], [2, 3]]);
});

test("a number of 38 digits is exact when asked for as text", async () => {
  const digits = "12345678901234567890123456789012345678";
  await put({ value: NumberValue.from(digits) });
  // Its options would change a client that others use.
  const client = connect(server.endpoint);
  const exact = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  const found = await exact.send(new GetCommand({ TableName, Key }));
  client.destroy();
  assert.equal(found.Item.value.value, digits);
});

test("an order of the users' store is put, read, replaced and deleted", async () => {
  const order = {
    PK: "USER#u123",
    SK: "ORDER#2026-04-05#o456",
    GSI1PK: "STATUS#pending",
    GSI1SK: "2026-04-05T10:30:00Z",
    total: 99.99,
    lines: [{ product: "Laptop Stand", quantity: 1 }],
  };
  const where = { TableName, Key: { PK: order.PK, SK: order.SK } };
  await documents.send(new PutCommand({ TableName, Item: order }));
  assert.deepEqual((await documents.send(new GetCommand(where))).Item, order);
  const shipped = { ...order, GSI1PK: "STATUS#shipped" };
  const replaced = await documents.send(
    new PutCommand({ TableName, Item: shipped, ReturnValues: "ALL_OLD" }),
  );
  assert.deepEqual(replaced.Attributes, order);
  const deleted = await documents.send(new DeleteCommand({ ...where, ReturnValues: "ALL_OLD" }));
  assert.deepEqual(deleted.Attributes, shipped);
  assert.equal((await documents.send(new GetCommand(where))).Item, undefined);
});

test("consumed capacity is told", async () => {
  const written = await put({ a: 1 }, { ReturnConsumedCapacity: "TOTAL" });
  assert.deepEqual(written.ConsumedCapacity, { TableName, CapacityUnits: 1 });
  const read = await get({ ReturnConsumedCapacity: "INDEXES" });
  assert.deepEqual(read.ConsumedCapacity, {
    TableName,
    CapacityUnits: 0.5,
    Table: { CapacityUnits: 0.5 },
  });
});
