// Items of every type through the client, in DynamoDB's own form.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { index, onDemand } from "./definitions.js";
import { start } from "./server.js";

const TableName = "items";
const Key = { pk: { S: "1" }, sk: { S: "2" } };
let server;
let client;

before(async () => {
  server = await start();
  client = server.client;
  const indexes = {
    GlobalSecondaryIndexes: [index("gsi", "g")],
    LocalSecondaryIndexes: [index("lsi", "pk", "l")],
  };
  await client.send(new CreateTableCommand(onDemand(TableName, "pk", "sk", indexes, ["g", "l"])));
});
after(async () => assert.equal(await server.stop(), 0));

const put = (attributes, more = {}) =>
  client.send(new PutItemCommand({ TableName, Item: { ...Key, ...attributes }, ...more }));
const get = (more = {}) => client.send(new GetItemCommand({ TableName, Key, ...more }));

const values = {
  "a string": { S: "text \u00e9\u{1f600}" },
  "an empty string": { S: "" },
  "a number": { N: "-1.5" },
  "a number of 38 digits": { N: "1".repeat(38) },
  "a binary": { B: Uint8Array.from([0, 1, 255]) },
  "an empty binary": { B: new Uint8Array() },
  "a truth": { BOOL: false },
  "a null": { NULL: true },
  "a string set": { SS: ["a", "b"] },
  "a number set": { NS: ["1", "2"] },
  "a binary set": { BS: [Uint8Array.from([1]), Uint8Array.from([2])] },
  "an empty list": { L: [] },
  "an empty map": { M: {} },
  "a list": { L: [{ S: "x" }, { L: [{ N: "1" }] }, { M: { a: { NULL: true } } }] },
  "a map": { M: { a: { M: { b: { L: [{ BOOL: true }] } } } } },
};

for (const [title, value] of Object.entries(values)) {
  test(`${title} comes back as it was put`, async () => {
    await put({ value });
    assert.deepEqual((await get()).Item, { ...Key, value });
  });
}

test("an item that is not there is undefined", async () => {
  const found = await get({ Key: { pk: { S: "nowhere" }, sk: { S: "0" } } });
  assert.equal(found.Item, undefined);
});

test("a large item comes through compression and checksum", async () => {
  const value = { S: "x".repeat(300_000) };
  await put({ value });
  assert.deepEqual((await get()).Item.value, value);
});

test("the old item is returned when asked for", async () => {
  await put({ a: { S: "old" } });
  const replaced = await put({ a: { S: "new" } }, { ReturnValues: "ALL_OLD" });
  assert.deepEqual(replaced.Attributes, { ...Key, a: { S: "old" } });
  const request = { TableName, Key, ReturnValues: "ALL_OLD" };
  const deleted = await client.send(new DeleteItemCommand(request));
  assert.deepEqual(deleted.Attributes, { ...Key, a: { S: "new" } });
  const again = await client.send(new DeleteItemCommand(request));
  assert.equal(again.Attributes, undefined);
});

test("consumed capacity is told in total and by index", async () => {
  await client.send(new DeleteItemCommand({ TableName, Key }));
  const attributes = { g: { S: "g" }, l: { S: "l" } };
  const written = await put(attributes, { ReturnConsumedCapacity: "INDEXES" });
  const one = { CapacityUnits: 1 };
  assert.deepEqual(written.ConsumedCapacity, {
    TableName,
    CapacityUnits: 3,
    Table: one,
    GlobalSecondaryIndexes: { gsi: one },
    LocalSecondaryIndexes: { lsi: one },
  });
  const read = async (more) =>
    (await get({ ReturnConsumedCapacity: "TOTAL", ...more })).ConsumedCapacity;
  assert.deepEqual(await read(), { TableName, CapacityUnits: 0.5 });
  assert.deepEqual(await read({ ConsistentRead: true }), { TableName, CapacityUnits: 1 });
  assert.equal((await get()).ConsumedCapacity, undefined);
});

test("a hundred writes at once are all kept", async () => {
  const numbers = Array.from({ length: 100 }, (_, n) => String(n));
  const item = (n) => ({ pk: { S: "many" }, sk: { S: n }, n: { N: n } });
  await Promise.all(
    numbers.map((n) => client.send(new PutItemCommand({ TableName, Item: item(n) }))),
  );
  for (const n of numbers) {
    const found = await get({ Key: { pk: { S: "many" }, sk: { S: n } } });
    assert.deepEqual(found.Item, item(n));
  }
});
