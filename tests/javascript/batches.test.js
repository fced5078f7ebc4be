// Batches through both clients of the SDK.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, BatchWriteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { index, onDemand } from "./definitions.js";
import { forms } from "./forms.js";
import { start } from "./server.js";

const ORDERS = "orders";
const CUSTOMERS = "customers";
const indexes = { GlobalSecondaryIndexes: [index("GSI1", "gsi1pk")] };
let server;

before(async () => {
  server = await start();
});
after(async () => assert.equal(await server.stop(), 0));

beforeEach(async () => {
  for (const table of [onDemand(ORDERS, "pk", "sk", indexes, ["gsi1pk"]), onDemand(CUSTOMERS)]) {
    await server.client
      .send(new DeleteTableCommand({ TableName: table.TableName }))
      .catch((error) => assert.ok(error instanceof ResourceNotFoundException));
    await server.client.send(new CreateTableCommand(table));
  }
});

const order = (n, more = {}) => ({ pk: "ORDER", sk: `${n}`.padStart(3, "0"), ...more });
const customer = (n, more = {}) => ({ pk: `CUSTOMER#${n}`, ...more });
const text = (value) => JSON.stringify(value);
const sorted = (items) => items.toSorted((a, b) => text(a).localeCompare(text(b)));
const count = async () => {
  const scans = [ORDERS, CUSTOMERS].map((TableName) =>
    server.documents.send(new ScanCommand({ TableName, Select: "COUNT" })),
  );
  return (await Promise.all(scans)).reduce((total, { Count }) => total + Count, 0);
};

const DUPLICATES = "Provided list of item keys contains duplicates";
const many = (length, make) => Array.from({ length }, (_, n) => make(n));

for (const form of forms) {
  const { item } = form;
  const put = (values) => ({ PutRequest: { Item: item(values) } });
  const remove = (values) => ({ DeleteRequest: { Key: item(values) } });
  const write = (RequestItems, more = {}) =>
    form.send(server, new form.BatchWrite({ RequestItems, ...more }));
  const read = (RequestItems, more = {}) =>
    form.send(server, new form.BatchGet({ RequestItems, ...more }));
  const that = (title, body) => test(`${form.title}: ${title}`, body);

  that("several tables are written and read", async () => {
    const stored = order(1, { total: 99.5, lines: [{ qty: 2 }], tags: new Set(["a"]), none: null });
    const written = await write({
      [ORDERS]: [put(stored), put(order(2)), remove(order(3))],
      [CUSTOMERS]: [put(customer(1, { name: "Ann" }))],
    });
    assert.deepEqual(written.UnprocessedItems, {});
    assert.equal(written.ConsumedCapacity, undefined);
    assert.equal(written.ItemCollectionMetrics, undefined);
    const found = await read({
      [ORDERS]: { Keys: [order(1), order(2), order(9)].map((key) => item(key)) },
      [CUSTOMERS]: { Keys: [item(customer(1))], ConsistentRead: true },
    });
    assert.deepEqual(Object.keys(found.Responses).toSorted(), [CUSTOMERS, ORDERS]);
    assert.deepEqual(sorted(found.Responses[ORDERS]), sorted([item(stored), item(order(2))]));
    assert.deepEqual(found.Responses[CUSTOMERS], [item(customer(1, { name: "Ann" }))]);
    assert.deepEqual(found.UnprocessedKeys, {});
    await write({ [ORDERS]: [remove(order(1)), remove(order(2))] });
    assert.equal(await count(), 1);
  });

  that("nothing found is an empty list", async () => {
    const found = await read({ [CUSTOMERS]: { Keys: [item(customer(1))] } });
    assert.deepEqual(found.Responses, { [CUSTOMERS]: [] });
    assert.deepEqual(found.UnprocessedKeys, {});
  });

  that("each table has a projection of its own", async () => {
    await write({
      [ORDERS]: [put(order(1, { status: "open", ship: { city: "Rome", zip: 1 }, other: true }))],
      [CUSTOMERS]: [put(customer(1, { name: "Ann", other: true }))],
    });
    const { Responses } = await read({
      [ORDERS]: {
        Keys: [item(order(1))],
        ProjectionExpression: "#s, ship.city, nowhere",
        ExpressionAttributeNames: { "#s": "status" },
        ConsistentRead: true,
      },
      [CUSTOMERS]: { Keys: [item(customer(1))], AttributesToGet: ["name"] },
    });
    assert.deepEqual(Responses, {
      [ORDERS]: [item({ status: "open", ship: { city: "Rome" } })],
      [CUSTOMERS]: [item({ name: "Ann" })],
    });
  });

  that("capacity is told by table and index", async () => {
    const written = await write(
      {
        [ORDERS]: [put(order(1, { gsi1pk: "x" })), put(order(2, { pad: "x".repeat(2000) }))],
        [CUSTOMERS]: [put(customer(1)), remove(customer(2))],
      },
      { ReturnConsumedCapacity: "INDEXES" },
    );
    assert.deepEqual(sorted(written.ConsumedCapacity), sorted([
      {
        TableName: ORDERS,
        CapacityUnits: 4,
        Table: { CapacityUnits: 3 },
        GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 1 } },
      },
      { TableName: CUSTOMERS, CapacityUnits: 2, Table: { CapacityUnits: 2 } },
    ]));
    const found = await read(
      {
        [ORDERS]: { Keys: [item(order(1)), item(order(9))], ConsistentRead: true },
        [CUSTOMERS]: { Keys: many(3, (n) => item(customer(n))) },
      },
      { ReturnConsumedCapacity: "TOTAL" },
    );
    assert.deepEqual(sorted(found.ConsumedCapacity), sorted([
      { TableName: ORDERS, CapacityUnits: 2 },
      { TableName: CUSTOMERS, CapacityUnits: 1.5 },
    ]));
  });

  that("twenty-five writes are made and twenty-six are not", async () => {
    const puts = many(26, (n) => put(order(n)));
    await assert.rejects(write({ [ORDERS]: puts }), (error) => {
      assert.equal(error.name, "ValidationException");
      const end =
        "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: " +
        "[Member must have length less than or equal to 25, " +
        "Member must have length greater than or equal to 1]";
      assert.equal(error.message.slice(-end.length), end);
      return true;
    });
    const others = many(13, (n) => put(customer(n)));
    await assert.rejects(write({ [ORDERS]: puts.slice(0, 13), [CUSTOMERS]: others }), {
      name: "ValidationException",
      message: "Too many items requested for the BatchWriteItem call",
    });
    assert.equal(await count(), 0);
    await write({ [ORDERS]: puts.slice(0, 12), [CUSTOMERS]: others });
    assert.equal(await count(), 25);
  });

  that("a hundred reads are made and a hundred and one are not", async () => {
    await write({ [ORDERS]: many(25, (n) => put(order(n))) });
    const keys = many(101, (n) => item(order(n)));
    await assert.rejects(read({ [ORDERS]: { Keys: keys } }), {
      name: "ValidationException",
      message:
        "1 validation error detected: Value at 'RequestItems.orders.member.Keys' failed to " +
        "satisfy constraint: Member must have length less than or equal to 100",
    });
    const others = { Keys: many(41, (n) => item(customer(n))) };
    await assert.rejects(read({ [ORDERS]: { Keys: keys.slice(0, 60) }, [CUSTOMERS]: others }), {
      name: "ValidationException",
      message: "Too many items requested for the BatchGetItem call",
    });
    const { Responses } = await read({ [ORDERS]: { Keys: keys.slice(0, 100) } });
    assert.equal(Responses[ORDERS].length, 25);
  });

  const refusedWrites = {
    "a put twice": [[put(order(1)), put(order(2)), put(order(1, { a: 1 }))], DUPLICATES],
    "a put and a delete": [[put(order(1)), remove(order(1))], DUPLICATES],
    "an item without its sort key": [
      [put(order(1)), put({ pk: "ORDER" })],
      "One or more parameter values were invalid: Missing the key sk in the item",
    ],
    "a delete by half a key": [
      [put(order(1)), remove({ pk: "ORDER" })],
      "The provided key element does not match the schema",
    ],
    "an empty key": [
      [put(order(1)), put({ pk: "", sk: "1" })],
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot " +
        "contain an empty string value. Key: pk",
    ],
    "an index key of another type": [
      [put(order(1)), put(order(2, { gsi1pk: 5 }))],
      "One or more parameter values were invalid: Type mismatch for Index Key gsi1pk Expected: S " +
        "Actual: N IndexName: GSI1",
    ],
    "an item above 400 KB": [
      [put(order(1)), put(order(2, { pad: "x".repeat(409_600) }))],
      "Item size has exceeded the maximum allowed size",
    ],
  };
  for (const [title, [writes, message]] of Object.entries(refusedWrites)) {
    that(`${title} refuses the batch`, async () => {
      const batch = write({ [ORDERS]: writes, [CUSTOMERS]: [put(customer(1))] });
      await assert.rejects(batch, { name: "ValidationException", message });
      assert.equal(await count(), 0);
    });
  }

  that("a key twice refuses the reads", async () => {
    const Keys = [order(1), order(2), order(1)].map((key) => item(key));
    const batch = read({ [CUSTOMERS]: { Keys: [item(customer(1))] }, [ORDERS]: { Keys } });
    await assert.rejects(batch, { name: "ValidationException", message: DUPLICATES });
  });

  that("a table that is not there refuses the batch", async () => {
    const writes = write({ [CUSTOMERS]: [put(customer(1))], nowhere: [put(customer(1))] });
    await assert.rejects(writes, (error) => error instanceof ResourceNotFoundException);
    assert.equal(await count(), 0);
    const reads = read({ nowhere: { Keys: [item(customer(1))] } });
    await assert.rejects(reads, {
      name: "ResourceNotFoundException",
      message: "Requested resource not found",
    });
  });

  that("no tables at all are refused", async () => {
    await assert.rejects(write({}), {
      message: "The requestItems parameter is required for BatchWriteItem",
    });
    await assert.rejects(read({}), {
      message: "The requestItems parameter is required for BatchGetItem",
    });
  });

  that("what is left over can be sent as it is", async () => {
    const pad = "x".repeat(300_000);
    for (const first of [0, 20, 40]) {
      await write({ [ORDERS]: many(20, (n) => put(order(first + n, { pad }))) });
    }
    let wanted = {
      [ORDERS]: {
        Keys: many(60, (n) => item(order(n))),
        ProjectionExpression: "#k",
        ExpressionAttributeNames: { "#k": "sk" },
        ConsistentRead: true,
      },
    };
    const answers = [];
    while (Object.keys(wanted).length > 0) {
      const answer = await read(wanted);
      answers.push(answer);
      wanted = answer.UnprocessedKeys;
      assert.ok(answers.length < 10, "reads make no progress");
    }
    assert.equal(answers.length, 2);
    const { Keys, ...left } = answers[0].UnprocessedKeys[ORDERS];
    assert.deepEqual(left, {
      ProjectionExpression: "#k",
      ExpressionAttributeNames: { "#k": "sk" },
      ConsistentRead: true,
    });
    assert.equal(Keys.length, answers[1].Responses[ORDERS].length);
    const got = answers.flatMap(({ Responses }) => Responses[ORDERS]);
    assert.deepEqual(sorted(got), many(60, (n) => item({ sk: order(n).sk })));
  });
}

test("batches at once are all written", async () => {
  const batches = many(24, (batch) =>
    server.documents.send(
      new BatchWriteCommand({
        RequestItems: {
          [ORDERS]: many(20, (n) => ({
            PutRequest: { Item: order(batch * 20 + n, { gsi1pk: `${batch}` }) },
          })),
          // All of them write these.
          [CUSTOMERS]: many(5, (n) => ({ PutRequest: { Item: customer(n, { batch }) } })),
        },
      }),
    ),
  );
  for (const { UnprocessedItems } of await Promise.all(batches)) {
    assert.deepEqual(UnprocessedItems, {});
  }
  assert.equal(await count(), 24 * 20 + 5);
  const Keys = many(5, (n) => customer(n));
  const { Responses } = await server.documents.send(
    new BatchGetCommand({ RequestItems: { [CUSTOMERS]: { Keys } } }),
  );
  assert.ok(Responses[CUSTOMERS].every(({ batch }) => batch >= 0 && batch < 24));
});
