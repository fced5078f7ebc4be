// Transactions of JavaScript and TypeScript programs as they were written for AWS, one by one and
// many at once.

import assert from "node:assert/strict";
import { randomUUID as uuid } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { usersTables } from "./definitions.js";
import { start } from "./server.js";

const CLIENTS = 16;
let server;
// The names by which the programs know their clients.
let client;
let dynamoClient;
let clients;

// The table of the multi-tenant project protects itself; a test deletes it.
const definition = (title) => {
  const { create } = usersTables.find((table) => table.title === title);
  return { ...create, DeletionProtectionEnabled: false };
};
const tables = [definition("JavaScript accounts"), definition("CloudFormation")];

before(async () => {
  server = await start();
  // The settings of the SDK, its retries too.
  const documents = () =>
    DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint: server.endpoint,
        region: "us-east-1",
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      }),
    );
  clients = Array.from({ length: CLIENTS }, documents);
  client = dynamoClient = clients[0];
});
after(async () => {
  for (const each of clients) each.destroy();
  assert.equal(await server.stop(), 0);
});

beforeEach(async () => {
  for (const table of tables) {
    await server.client
      .send(new DeleteTableCommand({ TableName: table.TableName }))
      .catch((error) => assert.equal(error.name, "ResourceNotFoundException"));
    await server.client.send(new CreateTableCommand(table));
  }
});

/** Runs a program many times at once, each time with the next client. */
const race = (times, program) =>
  Promise.allSettled(
    Array.from({ length: times }, (_, number) => {
      // A program takes its client when it is called.
      client = dynamoClient = clients[number % CLIENTS];
      return program(number);
    }),
  );

async function everything(Command, input) {
  const items = [];
  for (let start; ; ) {
    const page = await clients[0].send(new Command({ ...input, ExclusiveStartKey: start }));
    items.push(...page.Items);
    start = page.LastEvaluatedKey;
    if (!start) return items;
  }
}

// Transfer funds between accounts (atomic debit + credit):
const transferFunds = async (fromAccountId, toAccountId, amount) => {
  await client.send(new TransactWriteCommand({
    TransactItems: [
      {
        // Debit source account (with condition: sufficient funds)
        Update: {
          TableName: 'Accounts',
          Key: { pk: `ACCOUNT#${fromAccountId}`, sk: `ACCOUNT#${fromAccountId}` },
          UpdateExpression: 'SET balance = balance - :amount',
          ConditionExpression: 'balance >= :amount',
          ExpressionAttributeValues: { ':amount': amount }
        }
      },
      {
        // Credit destination account
        Update: {
          TableName: 'Accounts',
          Key: { pk: `ACCOUNT#${toAccountId}`, sk: `ACCOUNT#${toAccountId}` },
          UpdateExpression: 'SET balance = balance + :amount',
          ExpressionAttributeValues: { ':amount': amount }
        }
      },
      {
        // Write transaction record
        Put: {
          TableName: 'Accounts',
          Item: {
            pk: `TRANSFER#${uuid()}`,
            sk: `TRANSFER#${uuid()}`,
            fromAccount: fromAccountId,
            toAccount: toAccountId,
            amount,
            createdAt: new Date().toISOString()
          }
        }
      }
    ]
  }));
};

const ACCOUNTS = ["alice", "bob", "carol", "dave"];
const account = (id) => ({ pk: `ACCOUNT#${id}`, sk: `ACCOUNT#${id}` });

async function openAccounts(balance) {
  const writes = ACCOUNTS.map((id) => ({ PutRequest: { Item: { ...account(id), balance } } }));
  await clients[0].send(new BatchWriteCommand({ RequestItems: { Accounts: writes } }));
}

async function balances(by = clients[0]) {
  const gets = ACCOUNTS.map((id) => ({ Get: { TableName: "Accounts", Key: account(id) } }));
  const { Responses } = await by.send(new TransactGetCommand({ TransactItems: gets }));
  return Responses.map(({ Item }) => Item.balance);
}

const transfers = async () => {
  const items = await everything(ScanCommand, { TableName: "Accounts", ConsistentRead: true });
  return items.filter(({ pk }) => pk.startsWith("TRANSFER#"));
};

const codes = (error) => error.CancellationReasons.map(({ Code }) => Code);

test("funds are transferred with a record", async () => {
  await openAccounts(100);
  await transferFunds("alice", "bob", 30.25);
  assert.deepEqual(await balances(), [69.75, 130.25, 100, 100]);
  const [record, ...more] = await transfers();
  assert.deepEqual(more, []);
  const { pk, sk, createdAt, ...rest } = record;
  assert.deepEqual(rest, { fromAccount: "alice", toAccount: "bob", amount: 30.25 });
  assert.match(sk, /^TRANSFER#[0-9a-f-]{36}$/);
  assert.ok(Math.abs(new Date(createdAt) - Date.now()) < 60_000);
});

for (const [title, from, to, amount, expected] of [
  ["of more than there is", "alice", "bob", 100.01, ["ConditionalCheckFailed", "None", "None"]],
  ["from nobody", "nobody", "bob", 1, ["ConditionalCheckFailed", "None", "None"]],
  ["to nobody", "alice", "nobody", 1, ["None", "ValidationError", "None"]],
]) {
  test(`a transfer ${title} leaves everything as it was`, async () => {
    await openAccounts(100);
    const error = await transferFunds(from, to, amount).then(assert.fail, (e) => e);
    assert.ok(error instanceof TransactionCanceledException, String(error));
    assert.deepEqual(codes(error), expected);
    assert.deepEqual(await balances(), [100, 100, 100, 100]);
    assert.deepEqual(await transfers(), []);
  });
}

test("many transfers at once keep the money together", async () => {
  await openAccounts(100);
  let running = true;
  const seen = [];
  const watching = Promise.all(
    clients.slice(0, 4).map(async (watcher) => {
      while (running) seen.push(await balances(watcher));
    }),
  );
  const wanted = Array.from({ length: 400 }, (_, n) => {
    const from = ACCOUNTS[n % 4];
    const to = ACCOUNTS[(n + 1 + (n % 3)) % 4];
    return [from, to, 1 + ((n * 37) % 80)];
  });
  const results = await race(wanted.length, (n) => transferFunds(...wanted[n]));
  running = false;
  await watching;
  const made = wanted.filter((_, n) => results[n].status === "fulfilled");
  for (const { reason } of results.filter(({ status }) => status === "rejected")) {
    assert.ok(reason instanceof TransactionCanceledException, String(reason));
    assert.deepEqual(codes(reason), ["ConditionalCheckFailed", "None", "None"]);
  }
  assert.ok(made.length > 0 && made.length < wanted.length, `${made.length} were made`);
  assert.ok(seen.length > 0);
  for (const balance of [...seen, await balances()]) {
    assert.equal(balance.reduce((sum, each) => sum + each), 400);
    assert.ok(Math.min(...balance) >= 0, String(balance));
  }
  const recorded = (await transfers()).map((r) => [r.fromAccount, r.toAccount, r.amount]);
  assert.deepEqual(recorded.map(String).toSorted(), made.map(String).toSorted());
  const expected = ACCOUNTS.map((id) =>
    made.reduce((sum, [from, to, by]) => sum + (to === id ? by : 0) - (from === id ? by : 0), 100),
  );
  assert.deepEqual(await balances(), expected);
});

class TransactionItem {
  static getPK({ tenantId, branchId }) {
    return `TENANT#${tenantId}#BRANCH#${branchId}#TRANSACTION`;
  }
  static getSK({
    createdAt,
    transactionId,
  }) {
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
  static getSK({
    periodType,
    periodValue,
  }) {
    return `${periodType}#${periodValue}`;
  }
}

const formatDate = (date) => date.toISOString().slice(0, 10);

const repository = {
  async createWithReport({ tenantId, branchId, transaction }) {
    const transactCommand = new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: "main-table",
            Item: {
              PK: TransactionItem.getPK({ tenantId, branchId }),
              SK: TransactionItem.getSK({
                transactionId: transaction.id,
                createdAt: transaction.createdAt,
              }),
              ...transaction,
            },
            ConditionExpression: "attribute_not_exists(PK)",
          },
        },
        {
          Update: {
            TableName: "main-table",
            Key: {
              PK: ReportItem.getPK({ tenantId, branchId }),
              SK: ReportItem.getSK({
                periodType: "DAILY",
                periodValue: formatDate(transaction.createdAt),
              }),
            },
            UpdateExpression: `
              SET #totalIncome = if_not_exists(#totalIncome, :zero) + :incomeAmount,
                  #totalExpense = if_not_exists(#totalExpense, :zero) + :expenseAmount,
                  #transactionCount = if_not_exists(#transactionCount, :zero) + :one
            `,
            ExpressionAttributeNames: {
              "#totalIncome": "totalIncome",
              "#totalExpense": "totalExpense",
              "#transactionCount": "transactionCount",
            },
            ExpressionAttributeValues: {
              ":zero": 0,
              ":incomeAmount": transaction.type === "INCOME" ? transaction.amount : 0,
              ":expenseAmount": transaction.type === "EXPENSE" ? transaction.amount : 0,
              ":one": 1,
            },
          },
        },
      ],
    });
    await dynamoClient.send(transactCommand);
  },
};

// The document client takes no Date, so that of a transaction is not one of its attributes.
class Transaction {
  #createdAt;
  constructor(id, type, amount, createdAt) {
    Object.assign(this, { id, type, amount });
    this.#createdAt = new Date(createdAt);
  }
  get createdAt() {
    return this.#createdAt;
  }
}

const branch = { tenantId: "abc123", branchId: "branch-001" };
const create = (...transaction) =>
  repository.createWithReport({ ...branch, transaction: new Transaction(...transaction) });
const partition = (PK) =>
  everything(QueryCommand, {
    TableName: "main-table",
    KeyConditionExpression: "PK = :pk",
    ExpressionAttributeValues: { ":pk": PK },
    ConsistentRead: true,
  });
const reports = () => partition(ReportItem.getPK(branch));
const recorded = () => partition(TransactionItem.getPK(branch));

test("a transaction is recorded with its report", async () => {
  await create("txn-001", "INCOME", 99.99, "2026-01-15T23:59:59Z");
  await create("txn-002", "EXPENSE", 45.5, "2026-01-15T01:00:00Z");
  await create("txn-003", "INCOME", 1, "2026-01-16T00:00:00Z");
  const PK = TransactionItem.getPK(branch);
  assert.deepEqual(await recorded(), [
    { PK, SK: "2026-01-15#txn-001", id: "txn-001", type: "INCOME", amount: 99.99 },
    { PK, SK: "2026-01-15#txn-002", id: "txn-002", type: "EXPENSE", amount: 45.5 },
    { PK, SK: "2026-01-16#txn-003", id: "txn-003", type: "INCOME", amount: 1 },
  ]);
  const report = (day, totalIncome, totalExpense, transactionCount) => ({
    PK: ReportItem.getPK(branch),
    SK: `DAILY#${day}`,
    totalIncome,
    totalExpense,
    transactionCount,
  });
  assert.deepEqual(await reports(), [
    report("2026-01-15", 99.99, 45.5, 2),
    report("2026-01-16", 1, 0, 1),
  ]);
});

test("a transaction that is there is not counted again", async () => {
  await create("txn-001", "INCOME", 10, "2026-01-15T10:00:00Z");
  const again = create("txn-001", "INCOME", 10, "2026-01-15T11:00:00Z");
  const error = await again.then(assert.fail, (e) => e);
  assert.ok(error instanceof TransactionCanceledException, String(error));
  assert.deepEqual(codes(error), ["ConditionalCheckFailed", "None"]);
  const [{ totalIncome, transactionCount }] = await reports();
  assert.deepEqual([totalIncome, transactionCount], [10, 1]);
});

test("a report that cannot be counted on takes the transaction back", async () => {
  const Item = { PK: ReportItem.getPK(branch), SK: "DAILY#2026-01-15", totalIncome: "none" };
  await clients[0].send(new PutCommand({ TableName: "main-table", Item }));
  const refused = create("txn-001", "INCOME", 10, "2026-01-15T10:00:00Z");
  const error = await refused.then(assert.fail, (e) => e);
  assert.deepEqual(codes(error), ["None", "ValidationError"]);
  assert.deepEqual(await recorded(), []);
  assert.deepEqual(await reports(), [Item]);
});

test("of many transactions at once none is lost or counted twice", async () => {
  // Each of 120 transactions is created three times.
  const results = await race(360, (n) => {
    const id = n % 120;
    const type = id % 3 ? "INCOME" : "EXPENSE";
    return create(`txn-${id}`, type, id, `2026-01-1${id % 2}T10:00:00Z`);
  });
  const won = results.flatMap(({ status }, n) => (status === "fulfilled" ? [n % 120] : []));
  const all = Array.from({ length: 120 }, (_, id) => id);
  assert.deepEqual(won.toSorted((a, b) => a - b), all);
  for (const { reason } of results.filter(({ status }) => status === "rejected")) {
    assert.ok(reason instanceof TransactionCanceledException, String(reason));
    assert.deepEqual(codes(reason), ["ConditionalCheckFailed", "None"]);
  }
  assert.equal((await recorded()).length, 120);
  const sum = (day, kind) =>
    all
      .filter((id) => id % 2 === day && (id % 3 ? "INCOME" : "EXPENSE") === kind)
      .reduce((total, id) => total + id, 0);
  const counted = await reports();
  assert.deepEqual(
    counted.map((r) => [r.SK, r.totalIncome, r.totalExpense, r.transactionCount]),
    [0, 1].map((day) => [`DAILY#2026-01-1${day}`, sum(day, "INCOME"), sum(day, "EXPENSE"), 60]),
  );
});
