// Programs that let items expire, as they were written for AWS without their types.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { usersTables } from "./definitions.js";
import { start } from "./server.js";

const DAY = 86400;
const TABLE = "app-dev";
const RealDate = globalThis.Date;
let server;
// The names by which the programs know their clients, and the time by which they live.
let client;
let docClient;
let moved = 0;
const Date = { now: () => RealDate.now() + moved * 1000 };

const tables = ["Terraform", "JavaScript sessions"].map((title) =>
  usersTables.find((table) => table.title === title),
);

before(async () => {
  server = await start();
  client = server.client;
  docClient = server.documents;
});
after(async () => assert.equal(await server.stop(), 0));

beforeEach(async () => {
  moved = 0;
  for (const { create, timeToLive } of tables) {
    const { TableName } = create;
    await client
      .send(new DeleteTableCommand({ TableName }))
      .catch((error) => assert.equal(error.name, "ResourceNotFoundException"));
    await client.send(new CreateTableCommand(create));
    const TimeToLiveSpecification = { Enabled: true, AttributeName: timeToLive };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
});

const all = async (TableName) =>
  (await docClient.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items;

async function until(condition, what) {
  for (const end = RealDate.now() + 60_000; RealDate.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`waited too long until ${what}`);
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));

// Setting TTL:
const putSession = async (sessionId, userId) => {
const expirationTime = Math.floor(Date.now() / 1000) + (30 * 24 * 60 * 60); // 30 days

await client.send(new PutItemCommand({
  TableName: 'Sessions',
  Item: {
    pk: { S: `SESSION#${sessionId}` },
    sk: { S: `SESSION#${sessionId}` },
    userId: { S: userId },
    ttl: { N: expirationTime.toString() }  // Unix epoch seconds
  }
}));
};

test("sessions of more than thirty days ago are deleted", async () => {
  for (const [id, days] of [["old", 31], ["older", 400], ["young", 29], ["fresh", 0]]) {
    moved = -days * DAY;
    await putSession(id, "ann");
  }
  const users = async () => (await all("Sessions")).map(({ pk }) => pk).toSorted();
  const kept = ["SESSION#fresh", "SESSION#young"];
  await until(async () => (await users()).length === 2, "the old sessions are deleted");
  assert.deepEqual(await users(), kept);
  await settled();
  assert.deepEqual(await users(), kept);
});

// TTL patterns
const patterns = (sessionId, user, ip, minuteBucket, now) => {
// 1. Session tokens - expire after 24 hours
const session = {
PK: `SESSION#${sessionId}`,
SK: 'META',
userId: user.id,
createdAt: now,
expiresAt: Math.floor(Date.now() / 1000) + 86400, // Unix timestamp
};
// 2. Rate limiting windows - expire after window closes
const rateLimit = {
PK: `RATE#${ip}#${minuteBucket}`,
SK: 'COUNT',
count: 1,
expiresAt: Math.floor(Date.now() / 1000) + 120, // 2 min after window
};
return [session, rateLimit];
};
// 3. Soft deletes - mark deleted, TTL after 30 days
async function softDelete(pk, sk) {
await docClient.send(new UpdateCommand({
TableName: TABLE,
Key: { PK: pk, SK: sk },
UpdateExpression: 'SET deleted = :true, expiresAt = :ttl REMOVE GSI1PK, GSI1SK',
ExpressionAttributeValues: {
':true': true,
':ttl': Math.floor(Date.now() / 1000) + (30 * 86400),
},
}));
// Removing GSI keys makes item invisible to index queries immediately
// TTL deletes it permanently after 30 days
}

test("tokens live for a day and windows of a rate limit for two minutes", async () => {
  for (const [id, seconds] of [["now", 0], ["minutes", 150], ["day", DAY + 60]]) {
    moved = -seconds;
    for (const Item of patterns(id, { id: "u1" }, "10.0.0.1", id, "2026-01-15")) {
      await docClient.send(new PutCommand({ TableName: TABLE, Item }));
    }
  }
  const kept = ["RATE#10.0.0.1#now", "SESSION#minutes", "SESSION#now"];
  const left = async () => (await all(TABLE)).map(({ PK }) => PK).toSorted();
  await until(async () => (await left()).length === 3, "what has expired is deleted");
  assert.deepEqual(await left(), kept);
  const [{ expiresAt }] = (await all(TABLE)).filter(({ PK }) => PK === "SESSION#now");
  assert.ok(Math.abs(expiresAt - RealDate.now() / 1000 - DAY) < 60);
});

test("what is softly deleted leaves the index at once and the table later", async () => {
  const item = (id) => ({
    PK: `TASK#${id}`,
    SK: "META",
    GSI1PK: "USER#1",
    GSI1SK: `TASK#${id}`,
    title: id,
  });
  for (const id of ["kept", "deleted", "long deleted"]) {
    await docClient.send(new PutCommand({ TableName: TABLE, Item: item(id) }));
  }
  const indexed = async () => {
    const { Items } = await docClient.send(
      new QueryCommand({
        TableName: TABLE,
        IndexName: "GSI1",
        KeyConditionExpression: "GSI1PK = :u",
        ExpressionAttributeValues: { ":u": "USER#1" },
      }),
    );
    return Items.map(({ title }) => title);
  };
  assert.equal((await indexed()).length, 3);
  await softDelete("TASK#deleted", "META");
  assert.deepEqual(await indexed(), ["kept", "long deleted"]);
  moved = -31 * DAY;
  await softDelete("TASK#long deleted", "META");
  assert.deepEqual(await indexed(), ["kept"]);
  const titles = async () => (await all(TABLE)).map(({ title }) => title).toSorted();
  await until(async () => (await titles()).length === 2, "it is deleted for good");
  await settled();
  assert.deepEqual(await titles(), ["deleted", "kept"]);
  const [gone] = (await all(TABLE)).filter(({ title }) => title === "deleted");
  assert.equal(gone.deleted, true);
  assert.ok(!("GSI1PK" in gone));
});

test("the setting is described and can be turned off", async () => {
  const describe = async () =>
    (await client.send(new DescribeTimeToLiveCommand({ TableName: TABLE }))).TimeToLiveDescription;
  await until(async () => (await describe()).TimeToLiveStatus === "ENABLED", "it is enabled");
  assert.deepEqual(await describe(), { TimeToLiveStatus: "ENABLED", AttributeName: "expiresAt" });
  const TimeToLiveSpecification = { Enabled: false, AttributeName: "expiresAt" };
  const answer = await client.send(
    new UpdateTimeToLiveCommand({ TableName: TABLE, TimeToLiveSpecification }),
  );
  assert.deepEqual(answer.TimeToLiveSpecification, TimeToLiveSpecification);
  const Item = { PK: "a", SK: "b", expiresAt: Math.floor(RealDate.now() / 1000) - 60 };
  await docClient.send(new PutCommand({ TableName: TABLE, Item }));
  await settled();
  assert.deepEqual(await all(TABLE), [Item]);
});
