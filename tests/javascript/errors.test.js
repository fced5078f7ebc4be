// Errors arrive as the classes and names that programs catch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBServiceException,
  GetItemCommand,
  GetResourcePolicyCommand,
  PolicyNotFoundException,
  PutItemCommand,
  ListGlobalTablesCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  TableNotFoundException,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { onDemand } from "./definitions.js";
import { start } from "./server.js";

const TableName = "errors";
let server;

before(async () => {
  server = await start();
  await server.client.send(
    new CreateTableCommand(onDemand(TableName, "pk", undefined, { DeletionProtectionEnabled: true })),
  );
});
after(async () => assert.equal(await server.stop(), 0));

const Key = { pk: { S: "1" } };
const modelled = [
  [
    "a table that exists",
    () => new CreateTableCommand(onDemand(TableName)),
    ResourceInUseException,
    "Table already exists: errors",
  ],
  [
    "a table that is not there",
    () => new DescribeTableCommand({ TableName: "nowhere" }),
    ResourceNotFoundException,
    "Requested resource not found: Table: nowhere not found",
  ],
  [
    "an item of a table that is not there",
    () => new GetItemCommand({ TableName: "nowhere", Key }),
    ResourceNotFoundException,
    "Requested resource not found",
  ],
  [
    "a document of a table that is not there",
    () => new GetCommand({ TableName: "nowhere", Key: { pk: "1" } }),
    ResourceNotFoundException,
    "Requested resource not found",
  ],
  [
    "the backups of a table that is not there",
    () => new DescribeContinuousBackupsCommand({ TableName: "nowhere" }),
    TableNotFoundException,
    "Table not found: nowhere",
  ],
  [
    "a policy that is not there",
    () =>
      new GetResourcePolicyCommand({
        ResourceArn: "arn:aws:dynamodb:us-east-1:000000000000:table/errors",
      }),
    PolicyNotFoundException,
    undefined,
  ],
];

for (const [title, command, kind, text] of modelled) {
  test(`${title} is a ${kind.name}`, async () => {
    const sent = command();
    const client = sent instanceof GetCommand ? server.documents : server.client;
    const error = await client.send(sent).then(() => assert.fail("no error"), (e) => e);
    assert.ok(error instanceof kind, String(error));
    assert.ok(error instanceof DynamoDBServiceException);
    assert.equal(error.name, kind.name);
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.match(error.$metadata.requestId, /^[A-Z0-9]{52}$/);
    if (text !== undefined) assert.equal(error.message, text);
  });
}

const refused = [
  [
    "an item without its key",
    () => new PutItemCommand({ TableName, Item: { a: { S: "x" } } }),
    "One or more parameter values were invalid: Missing the key pk in the item",
  ],
  [
    "a key of the wrong type",
    () => new GetItemCommand({ TableName, Key: { pk: { N: "1" } } }),
    "The provided key element does not match the schema",
  ],
  [
    "an empty set",
    () => new PutItemCommand({ TableName, Item: { ...Key, a: { SS: [] } } }),
    "One or more parameter values were invalid: An string set  may not be empty",
  ],
  [
    "a table that is protected",
    () => new DeleteTableCommand({ TableName }),
    "Resource cannot be deleted as it is currently protected against deletion. " +
      "Disable deletion protection first.",
  ],
  [
    "a billing mode that is not there",
    () => new UpdateTableCommand({ TableName, BillingMode: "FREE" }),
    "1 validation error detected: Value 'FREE' at 'billingMode' failed to satisfy constraint: " +
      "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
  ],
];

for (const [title, command, message] of refused) {
  test(`${title} is a ValidationException`, async () => {
    await assert.rejects(server.client.send(command()), {
      name: "ValidationException",
      message,
    });
  });
}

test("an error of the document client has its name too", async () => {
  const command = new PutCommand({ TableName, Item: { pk: "" } });
  await assert.rejects(server.documents.send(command), { name: "ValidationException" });
});

test("an operation that does not exist yet says so by name", async () => {
  const error = await server.client
    .send(new ListGlobalTablesCommand({}))
    .then(() => assert.fail("no error"), (e) => e);
  assert.equal(error.name, "UnknownOperationException");
  assert.match(error.message, /ListGlobalTables/);
});

test("a client goes on after an error", async () => {
  await assert.rejects(server.client.send(new GetItemCommand({ TableName, Key: {} })));
  await server.client.send(new PutItemCommand({ TableName, Item: Key }));
  const found = await server.client.send(new GetItemCommand({ TableName, Key }));
  assert.deepEqual(found.Item, Key);
});
