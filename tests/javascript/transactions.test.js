// Transactions through both clients of the SDK.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { index, onDemand } from "./definitions.js";
import { forms } from "./forms.js";
import { start } from "./server.js";

const TableName = "stock";
const OTHER = "audit";
const indexes = { GlobalSecondaryIndexes: [index("GSI1", "gsi1pk")] };
const STORED = { pk: "a", n: 5, tags: new Set(["x", "y"]), lines: [{ qty: 1 }] };
let server;

before(async () => {
  server = await start();
});
after(async () => assert.equal(await server.stop(), 0));

beforeEach(async () => {
  const indexed = onDemand(TableName, "pk", undefined, indexes, ["gsi1pk"]);
  for (const table of [indexed, onDemand(OTHER)]) {
    await server.client
      .send(new DeleteTableCommand({ TableName: table.TableName }))
      .catch((error) => assert.ok(error instanceof ResourceNotFoundException));
    await server.client.send(new CreateTableCommand(table));
  }
  await server.documents.send(new PutCommand({ TableName, Item: STORED }));
});

const get = async (pk, table = TableName) => {
  const command = new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true });
  return (await server.documents.send(command)).Item;
};
const everything = async () =>
  (await server.documents.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items;
const failure = (promise) => promise.then(() => assert.fail("no error"), (error) => error);
const byTable = (entries) => Object.fromEntries(entries.map((entry) => [entry.TableName, entry]));

const FAILED = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
const NONE = { Code: "None" };

/** The reasons of a transaction that must be cancelled; its text names their codes. */
async function reasons(promise) {
  const error = await failure(promise);
  assert.ok(error instanceof TransactionCanceledException, String(error));
  assert.equal(error.name, "TransactionCanceledException");
  assert.equal(error.$metadata.httpStatusCode, 400);
  const codes = error.CancellationReasons.map(({ Code }) => Code).join(", ");
  assert.equal(
    error.message,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
  );
  return error.CancellationReasons;
}

for (const form of forms) {
  const { item } = form;
  const write = (TransactItems, more = {}) =>
    form.send(server, new form.TransactWrite({ TransactItems, ...more }));
  const read = (TransactItems, more = {}) =>
    form.send(server, new form.TransactGet({ TransactItems, ...more }));
  const that = (title, body) => test(`${form.title}: ${title}`, body);

  const put = (values, more = {}) => ({ Put: { TableName, Item: item(values), ...more } });
  const remove = (pk, more = {}) => ({ Delete: { TableName, Key: item({ pk }), ...more } });
  const update = (pk, UpdateExpression, values, more = {}) => ({
    Update: {
      TableName,
      Key: item({ pk }),
      UpdateExpression,
      ...(values && { ExpressionAttributeValues: item(values) }),
      ...more,
    },
  });
  const check = (pk, ConditionExpression, more = {}) => ({
    ConditionCheck: { TableName, Key: item({ pk }), ConditionExpression, ...more },
  });
  const look = (pk, more = {}) => ({ Get: { TableName, Key: item({ pk }), ...more } });
  const add = (pk, by = 1) => update(pk, "ADD n :by", { ":by": by });
  const there = { ConditionExpression: "attribute_exists(pk)" };
  const old = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };

  that("all four actions are made together, over two tables", async () => {
    await write([put({ pk: "gone" })]);
    const absent = { ConditionExpression: "attribute_not_exists(pk)" };
    const answer = await write([
      put({ pk: "b", v: [1, null, { x: true }] }, absent),
      update("a", "SET n = n - :by, gsi1pk = :g", { ":by": 2, ":g": "x" }, {
        ConditionExpression: "n >= :by",
      }),
      remove("gone", there),
      check("nobody", "attribute_not_exists(pk)"),
      put({ pk: "a" }, { TableName: OTHER }),
    ]);
    assert.equal(answer.$metadata.httpStatusCode, 200);
    assert.equal(answer.ConsumedCapacity, undefined);
    assert.equal(answer.ItemCollectionMetrics, undefined);
    assert.deepEqual(await get("a"), { ...STORED, n: 3, gsi1pk: "x" });
    assert.deepEqual(await get("b"), { pk: "b", v: [1, null, { x: true }] });
    assert.deepEqual(await get("a", OTHER), { pk: "a" });
    assert.equal((await everything()).length, 2);
  });

  that("every failed condition is told, in order, with its item if asked for", async () => {
    const six = { ExpressionAttributeValues: item({ ":n": 6 }) };
    const found = await reasons(
      write([
        put({ pk: "b" }),
        check("a", "n = :n", { ...six, ...old }),
        add("c"),
        remove("d", { ...there, ...old }),
        put({ pk: "e" }, there),
      ]),
    );
    // The document client leaves an error's members in DynamoDB's own form.
    const Item = marshall(STORED);
    assert.deepEqual(found, [NONE, { ...FAILED, Item }, NONE, FAILED, FAILED]);
    assert.deepEqual(await everything(), [STORED]);
  });

  for (const [kind, action] of Object.entries({
    Put: (more) => put({ pk: "a" }, more),
    Update: (more) => update("a", "REMOVE n", undefined, more),
    Delete: (more) => remove("a", more),
    ConditionCheck: (more) => ({ ConditionCheck: { TableName, Key: item({ pk: "a" }), ...more } }),
  })) {
    that(`a failed ${kind} brings its item only if asked to`, async () => {
      const failing = {
        ConditionExpression: "n > :n",
        ExpressionAttributeValues: item({ ":n": 5 }),
      };
      const Item = marshall(STORED);
      assert.deepEqual(await reasons(write([action(failing)])), [FAILED]);
      const asked = action({ ...failing, ...old });
      assert.deepEqual(await reasons(write([asked])), [{ ...FAILED, Item }]);
      assert.deepEqual(await everything(), [STORED]);
    });
  }

  that("an action that is invalid for its item is told with its text", async () => {
    const found = await reasons(
      write([put({ pk: "b" }), update("missing", "SET n = n + :by", { ":by": 1 }), add("c")]),
    );
    const Message =
      "The provided expression refers to an attribute that does not exist in the item";
    assert.deepEqual(found, [NONE, { Code: "ValidationError", Message }, NONE]);
    const [reason] = await reasons(write([put({ pk: 5 })]));
    assert.deepEqual(reason, {
      Code: "ValidationError",
      Message:
        "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
    });
    assert.deepEqual(await everything(), [STORED]);
  });

  const DUPLICATE = "Transaction request cannot include multiple operations on one item";
  const refused = {
    "an item put twice": [[put({ pk: "b" }), put({ pk: "b", v: 1 })], DUPLICATE],
    "an item checked and updated": [[check("a", "attribute_exists(n)"), add("a")], DUPLICATE],
    "no action": [
      [put({ pk: "b" }), {}],
      "TransactItems can only contain one of Check, Put, Update or Delete",
    ],
    "two actions": [
      [{ ...put({ pk: "b" }), ...remove("c") }],
      "TransactItems can only contain one of Check, Put, Update or Delete",
    ],
    "an empty list": [
      [],
      "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: " +
        "Member must have length greater than or equal to 1",
    ],
    "an item above 400 KB": [
      [put({ pk: "b", pad: "x".repeat(409_600) })],
      "Item size has exceeded the maximum allowed size",
    ],
    "a reserved word": [
      [put({ pk: "b" }), update("a", "SET status = :s", { ":s": 1 })],
      "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ],
  };
  for (const [title, [actions, message]] of Object.entries(refused)) {
    that(`${title} is refused whole`, async () => {
      const error = await failure(write(actions));
      assert.deepEqual([error.name, error.message], ["ValidationException", message]);
      assert.equal(error.CancellationReasons, undefined);
      assert.deepEqual(await everything(), [STORED]);
    });
  }

  that("a table that is not there is not found", async () => {
    const elsewhere = put({ pk: "b" }, { TableName: "nowhere" });
    const error = await failure(write([put({ pk: "b" }), elsewhere]));
    assert.ok(error instanceof ResourceNotFoundException, String(error));
    assert.equal(error.message, "Requested resource not found");
    assert.deepEqual(await everything(), [STORED]);
  });

  that("a hundred actions are made and a hundred and one are not", async () => {
    const puts = Array.from({ length: 101 }, (_, n) => put({ pk: `p${n}` }));
    const error = await failure(write(puts));
    assert.equal(error.name, "ValidationException");
    const end = /at 'transactItems' .* Member must have length less than or equal to 100$/s;
    assert.match(error.message, end);
    await write(puts.slice(1));
    assert.equal((await everything()).length, 101);
    const gets = Array.from({ length: 101 }, (_, n) => look(`p${n}`));
    await assert.rejects(read(gets), { name: "ValidationException" });
    const { Responses } = await read(gets.slice(0, 100));
    assert.deepEqual(
      Responses.map(({ Item }) => Item),
      [undefined, ...Array.from({ length: 99 }, (_, n) => item({ pk: `p${n + 1}` }))],
    );
  });

  that("a token makes a transaction count once", async () => {
    const token = { ClientRequestToken: `once ${form.title}` };
    const told = { ReturnConsumedCapacity: "TOTAL" };
    const first = await write([add("a")], { ...token, ...told });
    assert.deepEqual(first.ConsumedCapacity, [
      { TableName, CapacityUnits: 2, WriteCapacityUnits: 2 },
    ]);
    const again = await write([add("a")], { ...token, ...told });
    assert.deepEqual(again.ConsumedCapacity, [
      { TableName, CapacityUnits: 2, ReadCapacityUnits: 2 },
    ]);
    assert.equal((await get("a")).n, 6);
    const error = await failure(write([add("a", 2)], token));
    assert.ok(error instanceof IdempotentParameterMismatchException, String(error));
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.equal((await get("a")).n, 6);
    await write([add("a")]);
    await write([add("a")]);
    assert.equal((await get("a")).n, 8);
  });

  that("one token sent many times at once counts once", async () => {
    const command = new form.TransactWrite({
      TransactItems: [add("a")],
      ClientRequestToken: `command ${form.title}`,
    });
    await Promise.all(Array.from({ length: 16 }, () => form.send(server, command)));
    assert.equal((await get("a")).n, 6);
  });

  that("capacity is told by table and index, and doubled", async () => {
    const answer = await write(
      [
        put({ pk: "b", gsi1pk: "x", pad: "x".repeat(1500) }),
        check("a", "attribute_exists(pk)"),
        put({ pk: "a" }, { TableName: OTHER }),
      ],
      { ReturnConsumedCapacity: "INDEXES" },
    );
    const units = (number) => ({ CapacityUnits: number, WriteCapacityUnits: number });
    assert.deepEqual(byTable(answer.ConsumedCapacity), {
      [TableName]: {
        TableName,
        ...units(10),
        Table: units(6),
        GlobalSecondaryIndexes: { GSI1: units(4) },
      },
      [OTHER]: { TableName: OTHER, ...units(2), Table: units(2) },
    });
  });

  that("reads keep their order and the places of what is missing", async () => {
    const other = put({ pk: "a", v: 1 }, { TableName: OTHER });
    await write([put({ pk: "z", v: { x: [1, 2] }, w: 1 }), other]);
    const answer = await read(
      [
        look("z", {
          ProjectionExpression: "#v.x[1]",
          ExpressionAttributeNames: { "#v": "v" },
        }),
        look("missing"),
        look("a"),
        look("a", { TableName: OTHER }),
        look("missing", { TableName: OTHER }),
      ],
      { ReturnConsumedCapacity: "TOTAL" },
    );
    assert.deepEqual(
      answer.Responses.map(({ Item }) => Item),
      [item({ v: { x: [2] } }), undefined, item(STORED), item({ pk: "a", v: 1 }), undefined],
    );
    assert.deepEqual(byTable(answer.ConsumedCapacity), {
      [TableName]: { TableName, CapacityUnits: 6, ReadCapacityUnits: 6 },
      [OTHER]: { TableName: OTHER, CapacityUnits: 4, ReadCapacityUnits: 4 },
    });
    assert.equal((await read([look("a")])).ConsumedCapacity, undefined);
  });

  that("one item read twice is refused", async () => {
    const error = await failure(read([look("a"), look("b"), look("a")]));
    assert.deepEqual([error.name, error.message], ["ValidationException", DUPLICATE]);
  });

  that("reads never see half of what is written at once", async () => {
    await write([put({ pk: "left", n: 0 }), put({ pk: "right", n: 0 })]);
    // Items between the two give a write time to come between.
    const crowd = Array.from({ length: 98 }, (_, n) => `crowd ${n}`);
    await write(crowd.map((pk) => put({ pk, filler: "x".repeat(20_000) })));
    const projected = { ProjectionExpression: "n" };
    const gets = ["left", ...crowd, "right"].map((pk) => look(pk, projected));
    let running = true;
    const seen = [];
    const watching = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (running) {
          const { Responses } = await read(gets);
          seen.push([Responses.at(0), Responses.at(-1)].map(({ Item }) => JSON.stringify(Item.n)));
        }
      }),
    );
    const writers = Array.from({ length: 16 }, async () => {
      for (let n = 0; n < 15; n += 1) await write([add("left"), add("right")]);
    });
    await Promise.all(writers);
    running = false;
    await watching;
    assert.deepEqual(seen.filter(([left, right]) => left !== right), []);
    assert.ok(new Set(seen.map(String)).size > 1, `${seen.length} reads`);
    assert.equal((await get("left")).n, 240);
    assert.equal((await get("right")).n, 240);
  });
}
