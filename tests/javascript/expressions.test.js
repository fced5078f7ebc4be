// Conditions, updates and projections as JavaScript and TypeScript programs write them.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { index, onDemand } from "./definitions.js";
import { connect, start } from "./server.js";

const TableName = "main-table";
let server;
let client;
let dynamoClient;

before(async () => {
  server = await start();
  client = server.client;
  dynamoClient = server.documents;
  const more = { GlobalSecondaryIndexes: [index("GSI1", "GSI1PK", "GSI1SK")] };
  await client.send(
    new CreateTableCommand(onDemand(TableName, "PK", "SK", more, ["GSI1PK", "GSI1SK"])),
  );
});
after(async () => assert.equal(await server.stop(), 0));

// The entities of the multi-tenant project.
class TransactionItem {
  static getPK({ tenantId, branchId }) {
    return `TENANT#${tenantId}#BRANCH#${branchId}#TRANSACTION`;
  }
  static getSK({ createdAt, transactionId }) {
    const year = createdAt.getUTCFullYear();
    const month = String(createdAt.getUTCMonth() + 1).padStart(2, "0");
    const day = String(createdAt.getUTCDate()).padStart(2, "0");
    return `${year}-${month}-${day}#${transactionId}`;
  }
}

class ReportItem {
  static getPK({ tenantId, branchId }) {
    return `TENANT#${tenantId}#BRANCH#${branchId}#REPORTING`;
  }
  static getSK({ periodType, periodValue }) {
    return `${periodType}#${periodValue}`;
  }
}

const branch = { tenantId: "abc123", branchId: "branch-001" };
const period = { periodType: "MONTHLY", periodValue: "2026-01" };
const reportKey = { PK: ReportItem.getPK(branch), SK: ReportItem.getSK(period) };

const get = async (Key, more = {}) =>
  (await dynamoClient.send(new GetCommand({ TableName, Key, ConsistentRead: true, ...more }))).Item;
const put = (Item, more = {}) => dynamoClient.send(new PutCommand({ TableName, Item, ...more }));
const update = (Key, more) => dynamoClient.send(new UpdateCommand({ TableName, Key, ...more }));
const failure = (promise) => promise.then(() => assert.fail("no error"), (error) => error);

beforeEach(() => dynamoClient.send(new DeleteCommand({ TableName, Key: reportKey })));

async function create({ tenantId, branchId, transaction }) {
  const putCommand = new PutCommand({
    TableName: "main-table",
    Item: {
      PK: TransactionItem.getPK({ tenantId, branchId }),
      SK: TransactionItem.getSK({
        transactionId: transaction.id,
        createdAt: transaction.createdAt,
      }),
      ...transaction,
      createdAt: transaction.createdAt.toISOString(),
    },
    ConditionExpression: "attribute_not_exists(PK)",
  });
  await dynamoClient.send(putCommand);
}

test("a transaction is not recorded twice", async () => {
  const transaction = { id: "txn-001", createdAt: new Date("2026-01-15T10:00:00Z"), amount: 99.99 };
  await create({ ...branch, transaction });
  const error = await failure(create({ ...branch, transaction: { ...transaction, amount: 1 } }));
  assert.ok(error instanceof ConditionalCheckFailedException, String(error));
  assert.ok(error instanceof DynamoDBServiceException);
  assert.equal(error.name, "ConditionalCheckFailedException");
  assert.equal(error.message, "The conditional request failed");
  assert.equal(error.$metadata.httpStatusCode, 400);
  assert.equal(error.Item, undefined);
  const found = await get({ PK: TransactionItem.getPK(branch), SK: "2026-01-15#txn-001" });
  assert.equal(found.amount, 99.99);
});

async function updateCounters({
  tenantId, branchId, periodType, periodValue, transactionType, amount,
}) {
  const isIncome = transactionType === "INCOME";
  const updateCommand = new UpdateCommand({
    TableName: "main-table",
    Key: {
      PK: ReportItem.getPK({ tenantId, branchId }),
      SK: ReportItem.getSK({ periodType, periodValue }),
    },
    UpdateExpression: `
      SET
        #totalIncome = if_not_exists(#totalIncome, :zero) + :incomeAmount,
        #totalExpense = if_not_exists(#totalExpense, :zero) + :expenseAmount,
        #transactionCount = if_not_exists(#transactionCount, :zero) + :countDelta
    `,
    ExpressionAttributeNames: {
      "#totalIncome": "totalIncome",
      "#totalExpense": "totalExpense",
      "#transactionCount": "transactionCount",
    },
    ExpressionAttributeValues: {
      ":zero": 0,
      ":incomeAmount": isIncome ? amount : 0,
      ":expenseAmount": isIncome ? 0 : amount,
      ":countDelta": 1,
    },
  });
  await dynamoClient.send(updateCommand);
}

test("a report counts its transactions from the first one on", async () => {
  const report = { ...branch, ...period };
  await updateCounters({ ...report, transactionType: "INCOME", amount: 99.99 });
  await updateCounters({ ...report, transactionType: "EXPENSE", amount: 45.5 });
  await updateCounters({ ...report, transactionType: "INCOME", amount: 0.01 });
  assert.deepEqual(await get(reportKey), {
    ...reportKey,
    totalIncome: 100,
    totalExpense: 45.5,
    transactionCount: 3,
  });
});

async function addToCategory(entryKey, incomeAmount, expenseAmount) {
  // First, ensure the entry exists with default values
  await update(reportKey, {
    UpdateExpression: `
      SET #byCategory.#entryKey = if_not_exists(#byCategory.#entryKey, :defaultEntry)
    `,
    ExpressionAttributeNames: { "#byCategory": "byCategory", "#entryKey": entryKey },
    ExpressionAttributeValues: {
      ":defaultEntry": { totalIncome: 0, totalExpense: 0, transactionCount: 0 },
    },
  });
  // Then, increment the values atomically
  await update(reportKey, {
    UpdateExpression: `
      SET
        #byCategory.#entryKey.#totalIncome = #byCategory.#entryKey.#totalIncome + :incomeAmount,
        #byCategory.#entryKey.#totalExpense = #byCategory.#entryKey.#totalExpense + :expenseAmount,
        #byCategory.#entryKey.#transactionCount = #byCategory.#entryKey.#transactionCount + :countDelta
    `,
    ExpressionAttributeNames: {
      "#byCategory": "byCategory",
      "#entryKey": entryKey,
      "#totalIncome": "totalIncome",
      "#totalExpense": "totalExpense",
      "#transactionCount": "transactionCount",
    },
    ExpressionAttributeValues: {
      ":incomeAmount": incomeAmount,
      ":expenseAmount": expenseAmount,
      ":countDelta": 1,
    },
  });
}

test("a breakdown is made and then counted in two steps", async () => {
  await put({ ...reportKey, byCategory: {} });
  await addToCategory("food", 10, 0);
  await addToCategory("food", 0, 2.5);
  await addToCategory("rent & more", 0, 1000);
  assert.deepEqual((await get(reportKey)).byCategory, {
    food: { totalIncome: 10, totalExpense: 2.5, transactionCount: 2 },
    "rent & more": { totalIncome: 0, totalExpense: 1000, transactionCount: 1 },
  });
});

test("a breakdown without its map is refused", async () => {
  await put(reportKey);
  await assert.rejects(addToCategory("food", 10, 0), {
    name: "ValidationException",
    message: "The document path provided in the update expression is invalid for update",
  });
  assert.deepEqual(await get(reportKey), reportKey);
});

const TABLE = TableName;
async function softDelete(pk, sk) {
  await dynamoClient.send(new UpdateCommand({
    TableName: TABLE,
    Key: { PK: pk, SK: sk },
    UpdateExpression: 'SET deleted = :true, expiresAt = :ttl REMOVE GSI1PK, GSI1SK',
    ExpressionAttributeValues: {
      ':true': true,
      ':ttl': Math.floor(Date.now() / 1000) + (30 * 86400),
    },
  }));
}

test("a soft delete marks the item and takes it out of the index", async () => {
  await put({ ...reportKey, GSI1PK: "USER#1", GSI1SK: "TASK#1", title: "x" });
  await softDelete(reportKey.PK, reportKey.SK);
  const { expiresAt, ...found } = await get(reportKey);
  assert.deepEqual(found, { ...reportKey, title: "x", deleted: true });
  assert.ok(Math.abs(expiresAt - Date.now() / 1000 - 30 * 86400) < 60);
});

test("an account is debited only while it has the money", async () => {
  const key = { PK: "ACCOUNT#1", SK: "ACCOUNT#1" };
  await put({ ...key, balance: 100 });
  const debit = (amount) =>
    update(key, {
      UpdateExpression: "SET balance = balance - :amount",
      ConditionExpression: "balance >= :amount",
      ExpressionAttributeValues: { ":amount": amount },
      ReturnValues: "UPDATED_NEW",
    });
  assert.deepEqual((await debit(99.5)).Attributes, { balance: 0.5 });
  await assert.rejects(debit(1), ConditionalCheckFailedException);
  assert.equal((await get(key)).balance, 0.5);
});

test("a session counts its requests within a window", async () => {
  const key = { PK: "RATE#127.0.0.1#0", SK: "COUNT" };
  const hit = () =>
    update(key, {
      UpdateExpression: "ADD #count :one SET expiresAt = if_not_exists(expiresAt, :ttl)",
      ConditionExpression: "attribute_not_exists(#count) OR #count < :limit",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":one": 1, ":limit": 3, ":ttl": 1_800_000_000 },
      ReturnValues: "ALL_NEW",
    });
  for (const count of [1, 2, 3]) {
    assert.deepEqual((await hit()).Attributes, { ...key, count, expiresAt: 1_800_000_000 });
  }
  await assert.rejects(hit(), { name: "ConditionalCheckFailedException" });
});

const stored = { ...reportKey, version: 1, tags: new Set(["a"]), lines: [{ n: 1 }], none: null };
const failing = {
  ConditionExpression: "version = :v",
  ExpressionAttributeValues: { ":v": 2 },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
};
const writes = {
  PutCommand: () => new PutCommand({ TableName, Item: reportKey, ...failing }),
  UpdateCommand: () =>
    new UpdateCommand({ TableName, Key: reportKey, UpdateExpression: "REMOVE tags", ...failing }),
  DeleteCommand: () => new DeleteCommand({ TableName, Key: reportKey, ...failing }),
};

for (const [name, command] of Object.entries(writes)) {
  test(`a failed ${name} brings the item`, async () => {
    await put(stored);
    const error = await failure(dynamoClient.send(command()));
    assert.ok(error instanceof ConditionalCheckFailedException, String(error));
    // The document client leaves an error's members in DynamoDB's own form.
    assert.deepEqual(error.Item, {
      PK: { S: reportKey.PK },
      SK: { S: reportKey.SK },
      version: { N: "1" },
      tags: { SS: ["a"] },
      lines: { L: [{ M: { n: { N: "1" } } }] },
      none: { NULL: true },
    });
    assert.deepEqual(await get(reportKey), stored);
  });
}

test("a failed write of a missing item brings none", async () => {
  const error = await failure(dynamoClient.send(writes.PutCommand()));
  assert.ok(error instanceof ConditionalCheckFailedException);
  assert.equal(error.Item, undefined);
  assert.equal(await get(reportKey), undefined);
});

test("the client brings the item in DynamoDB's own form", async () => {
  const Key = { PK: { S: "own" }, SK: { S: "form" } };
  const Item = { ...Key, n: { N: "5" }, b: { B: Uint8Array.from([1, 2]) }, l: { L: [] } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const condition = {
    TableName,
    ConditionExpression: "n > :v",
    ExpressionAttributeValues: { ":v": { N: "5" } },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  for (const command of [
    new PutItemCommand({ ...condition, Item: Key }),
    new UpdateItemCommand({ ...condition, Key, UpdateExpression: "REMOVE n" }),
    new DeleteItemCommand({ ...condition, Key }),
  ]) {
    const error = await failure(client.send(command));
    assert.ok(error instanceof ConditionalCheckFailedException, String(error));
    assert.deepEqual(error.Item, Item);
  }
  assert.deepEqual((await client.send(new GetItemCommand({ TableName, Key }))).Item, Item);
});

const returned = {
  NONE: undefined,
  ALL_OLD: { ...reportKey, n: 5, m: { a: 1, b: 2 }, l: [0, 1], gone: true },
  ALL_NEW: { ...reportKey, n: 6, m: { a: 9, b: 2 }, l: [0, 9] },
  UPDATED_OLD: { n: 5, m: { a: 1 }, l: [1], gone: true },
  UPDATED_NEW: { n: 6, m: { a: 9 }, l: [9] },
};

for (const [ReturnValues, expected] of Object.entries(returned)) {
  test(`an update returns ${ReturnValues}`, async () => {
    await put(returned.ALL_OLD);
    const { Attributes } = await update(reportKey, {
      UpdateExpression: "SET n = n + :one, m.a = :nine, l[1] = :nine REMOVE gone",
      ExpressionAttributeValues: { ":one": 1, ":nine": 9 },
      ReturnValues,
    });
    assert.deepEqual(Attributes, expected);
    assert.deepEqual(await get(reportKey), returned.ALL_NEW);
  });
}

test("lists and sets are changed in place", async () => {
  const values = { ":e": [], ":l": [{ at: 1, what: null }], ":s": new Set(["x", "y"]) };
  await update(reportKey, {
    UpdateExpression: "SET events = list_append(if_not_exists(events, :e), :l) ADD tags :s",
    ExpressionAttributeValues: values,
  });
  await update(reportKey, {
    UpdateExpression: "SET events = list_append(:l, events) DELETE tags :s",
    ExpressionAttributeValues: { ":l": [0], ":s": new Set(["x"]) },
  });
  assert.deepEqual(await get(reportKey), {
    ...reportKey,
    events: [0, { at: 1, what: null }],
    tags: new Set(["y"]),
  });
});

test("a projection returns the parts asked for", async () => {
  await put({ ...reportKey, status: "open", owner: { name: "A", age: 5 }, lines: [10, 20, 30] });
  const found = await get(reportKey, {
    ProjectionExpression: "#s, #o.#n, #l[2], #l[0], nowhere",
    ExpressionAttributeNames: { "#s": "status", "#o": "owner", "#n": "name", "#l": "lines" },
  });
  assert.deepEqual(found, { status: "open", owner: { name: "A" }, lines: [10, 30] });
});

const refused = [
  [
    "SET status = :v",
    "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status",
  ],
  ["SET a = :v,", 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: ","'],
  [
    "SET #a = :v",
    "Invalid UpdateExpression: An expression attribute name used in the document path is not " +
      "defined; attribute name: #a",
  ],
  [
    "REMOVE a",
    "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
  ],
  [
    "SET PK = :v",
    "One or more parameter values were invalid: Cannot update attribute PK. This attribute is " +
      "part of the key",
  ],
  [
    "SET GSI1PK = :v",
    "The update expression attempted to update the secondary index key to unsupported type",
  ],
];

for (const [UpdateExpression, message] of refused) {
  test(`${UpdateExpression} is refused`, async () => {
    const ExpressionAttributeValues = { ":v": 1 };
    await assert.rejects(update(reportKey, { UpdateExpression, ExpressionAttributeValues }), {
      name: "ValidationException",
      message,
    });
    assert.equal(await get(reportKey), undefined);
  });
}

test("increments at once are all counted, whichever client sends them", async () => {
  const clients = Array.from({ length: 4 }, () => connect(server.endpoint));
  const one = () =>
    new UpdateItemCommand({
      TableName,
      Key: { PK: { S: reportKey.PK }, SK: { S: reportKey.SK } },
      UpdateExpression: "ADD hits :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
      ReturnValues: "UPDATED_NEW",
    });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => clients[n % clients.length].send(one())),
  );
  for (const each of clients) each.destroy();
  const seen = answers.map(({ Attributes }) => Number(Attributes.hits.N));
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_, n) => n + 1),
  );
  assert.equal((await get(reportKey)).hits, 200);
});

test("of many creations at once exactly one succeeds", async () => {
  const attempts = Array.from({ length: 50 }, (_, number) =>
    put({ ...reportKey, number }, { ConditionExpression: "attribute_not_exists(PK)" }),
  );
  const results = await Promise.allSettled(attempts);
  const won = results.flatMap(({ status }, number) => (status === "fulfilled" ? [number] : []));
  assert.equal(won.length, 1);
  assert.equal((await get(reportKey)).number, won[0]);
  for (const { reason } of results.filter(({ status }) => status === "rejected")) {
    assert.ok(reason instanceof ConditionalCheckFailedException, String(reason));
  }
});
