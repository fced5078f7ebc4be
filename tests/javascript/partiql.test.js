// PartiQL through the client with marshalled values, and through the document client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BatchExecuteStatementCommand as ClientBatch,
  CreateTableCommand,
  ExecuteStatementCommand as ClientStatement,
  ExecuteTransactionCommand as ClientTransaction,
} from "@aws-sdk/client-dynamodb";
import {
  BatchExecuteStatementCommand,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetCommand,
} from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { onDemand } from "./definitions.js";
import { start } from "./server.js";

let server;
let client;
let documents;
let made = 0;

before(async () => {
  server = await start();
  ({ client, documents } = server);
});
after(async () => assert.equal(await server.stop(), 0));

/** Creates a table and puts items into it with INSERT; gives its name. */
async function table(items = []) {
  const name = `partiql-${++made}`;
  await client.send(new CreateTableCommand(onDemand(name, "pk", "sk")));
  for (const item of items) {
    await run(`INSERT INTO "${name}" VALUE ?`, [item]);
  }
  return name;
}

/** Runs a statement through the document client; gives its items. */
async function run(Statement, Parameters) {
  const answer = await documents.send(new ExecuteStatementCommand({ Statement, Parameters }));
  return answer.Items;
}

const songs = [
  {
    pk: "acme",
    sk: "a",
    plays: 1,
    tags: new Set(["x", "y"]),
    album: { year: 2001, tracks: ["one"] },
  },
  { pk: "acme", sk: "b", plays: 2 },
  { pk: "acme", sk: "c", plays: 3 },
  { pk: "other", sk: "a", plays: 4 },
];

test("statements through the document client", async (t) => {
  const name = await table(songs);
  const rows = [
    ["SELECT * FROM {t} WHERE pk = 'acme' AND sk = 'a'", undefined, [songs[0]]],
    ["SELECT sk FROM {t} WHERE pk = ?", ["acme"], [{ sk: "a" }, { sk: "b" }, { sk: "c" }]],
    [
      "SELECT sk FROM {t} WHERE pk = ? AND sk > ? ORDER BY sk DESC",
      ["acme", "a"],
      [{ sk: "c" }, { sk: "b" }],
    ],
    [
      "SELECT album.year FROM {t} WHERE pk = 'acme' AND album.tracks[0] = ?",
      ["one"],
      [{ year: 2001 }],
    ],
    ["SELECT sk FROM {t} WHERE pk = 'acme' AND contains(tags, ?)", ["x"], [{ sk: "a" }]],
    [
      "SELECT plays FROM {t} WHERE pk IN [?, ?] AND sk = 'a'",
      ["other", "acme"],
      [{ plays: 4 }, { plays: 1 }],
    ],
    [
      "SELECT plays FROM {t} WHERE pk = 'acme' AND plays BETWEEN ? AND ?",
      [2, 3],
      [{ plays: 2 }, { plays: 3 }],
    ],
    ["SELECT pk FROM {t} WHERE pk = 'nobody'", undefined, []],
  ];
  for (const [statement, parameters, expected] of rows) {
    await t.test(statement, async () => {
      assert.deepEqual(await run(statement.replace("{t}", `"${name}"`), parameters), expected);
    });
  }
});

test("statements through the client", async () => {
  const name = await table();
  await client.send(
    new ClientStatement({
      Statement: `INSERT INTO "${name}" VALUE {'pk': ?, 'sk': ?, 'n': 1, 's': <<1, 2>>}`,
      Parameters: [{ S: "p" }, { S: "q" }],
    }),
  );
  const answer = await client.send(
    new ClientStatement({
      Statement:
        `UPDATE "${name}" SET n = n + 1 REMOVE s ` +
        "WHERE pk = 'p' AND sk = 'q' RETURNING ALL NEW *",
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  assert.deepEqual(answer.Items.map((item) => unmarshall(item)), [{ pk: "p", sk: "q", n: 2 }]);
  assert.equal(answer.ConsumedCapacity.CapacityUnits, 1);
  const deleted = await client.send(
    new ClientStatement({
      Statement: `DELETE FROM "${name}" WHERE pk = 'p' AND sk = 'q' RETURNING ALL OLD *`,
    }),
  );
  assert.deepEqual(deleted.Items, [marshall({ pk: "p", sk: "q", n: 2 })]);
});

test("pages", async () => {
  const items = Array.from({ length: 7 }, (_, number) => ({ pk: "p", sk: `${number}` }));
  const name = await table(items);
  const found = [];
  let NextToken;
  let pages = 0;
  do {
    const answer = await documents.send(
      new ExecuteStatementCommand({
        Statement: `SELECT * FROM "${name}" WHERE pk = ?`,
        Parameters: ["p"],
        Limit: 3,
        NextToken,
      }),
    );
    found.push(...answer.Items);
    ({ NextToken } = answer);
    pages += 1;
  } while (NextToken);
  assert.deepEqual(found, items);
  assert.equal(pages, 3);
});

test("errors have their classes", async () => {
  const name = await table(songs);
  const refused = async (statement) => {
    const error = await run(statement.replace("{t}", `"${name}"`)).catch((error) => error);
    return [error.name, error.message];
  };
  assert.deepEqual(await refused("INSERT INTO {t} VALUE {'pk': 'acme', 'sk': 'a'}"), [
    "DuplicateItemException",
    "Duplicate primary key exists in table",
  ]);
  assert.deepEqual(await refused("UPDATE {t} SET plays = 1 WHERE pk = 'acme' AND sk = 'z'"), [
    "ConditionalCheckFailedException",
    "The conditional request failed",
  ]);
  assert.deepEqual(await refused("SELECT * FROM nowhere"), [
    "ResourceNotFoundException",
    "Requested resource not found",
  ]);
  assert.deepEqual(await refused("nonsense"), [
    "ValidationException",
    "Statement wasn't well formed, can't be processed: Expected data manipulation",
  ]);
});

test("batches", async () => {
  const name = await table(songs);
  const Statement = `SELECT plays FROM "${name}" WHERE pk = ? AND sk = ?`;
  const answer = await documents.send(
    new BatchExecuteStatementCommand({
      Statements: [
        { Statement, Parameters: ["acme", "a"] },
        { Statement, Parameters: ["acme", "z"] },
        { Statement: `SELECT * FROM "${name}"` },
      ],
    }),
  );
  const [first, second, third] = answer.Responses;
  assert.deepEqual(first, { TableName: name, Item: { plays: 1 } });
  assert.deepEqual(second, { TableName: name });
  assert.equal(third.Error.Code, "ValidationError");

  const written = await client.send(
    new ClientBatch({
      Statements: [
        { Statement: `INSERT INTO "${name}" VALUE {'pk': 'acme', 'sk': 'a'}` },
        { Statement: `DELETE FROM "${name}" WHERE pk = 'acme' AND sk = 'b'` },
      ],
    }),
  );
  assert.deepEqual(
    written.Responses.map((response) => response.Error?.Code),
    ["DuplicateItem", undefined],
  );
});

test("transactions", async () => {
  const name = await table(songs);
  const request = {
    TransactStatements: [
      {
        Statement: `EXISTS(SELECT * FROM "${name}" WHERE pk = 'acme' AND sk = 'a' AND plays = ?)`,
        Parameters: [1],
      },
      {
        Statement: `UPDATE "${name}" SET plays = plays + ? WHERE pk = 'acme' AND sk = 'b'`,
        Parameters: [10],
      },
      { Statement: `INSERT INTO "${name}" VALUE {'pk': 'acme', 'sk': 'd'}` },
    ],
    ClientRequestToken: "a-token",
  };
  await documents.send(new ExecuteTransactionCommand(request));
  await documents.send(new ExecuteTransactionCommand(request));
  const { Item } = await documents.send(
    new GetCommand({ TableName: name, Key: { pk: "acme", sk: "b" } }),
  );
  assert.equal(Item.plays, 12);

  const { ClientRequestToken, ...again } = request;
  const error = await documents.send(new ExecuteTransactionCommand(again)).catch((error) => error);
  assert.equal(error.name, "TransactionCanceledException");
  assert.deepEqual(
    error.CancellationReasons.map((reason) => reason.Code),
    ["None", "None", "DuplicateItem"],
  );

  const read = await client.send(
    new ClientTransaction({
      TransactStatements: ["b", "z"].map((sk) => ({
        Statement: `SELECT plays FROM "${name}" WHERE pk = 'acme' AND sk = ?`,
        Parameters: [{ S: sk }],
      })),
    }),
  );
  assert.deepEqual(read.Responses, [{ Item: { plays: { N: "12" } } }, {}]);
  const documentsRead = await documents.send(
    new ExecuteTransactionCommand({
      TransactStatements: [
        { Statement: `SELECT sk FROM "${name}" WHERE pk = 'acme' AND sk = 'd'` },
      ],
    }),
  );
  assert.deepEqual(documentsRead.Responses, [{ Item: { sk: "d" } }]);
});
