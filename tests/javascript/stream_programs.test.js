// Stream handlers of JavaScript and TypeScript projects, as they were written for AWS Lambda
// without their types, fed with the records of a stream.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { usersTables } from "./definitions.js";
import { EventSourceMapping } from "./lambda.js";
import { start } from "./server.js";

let server;
before(async () => (server = await start("--stream-shards", "2", "--shard-age", "1s")));
after(async () => assert.equal(await server.stop(), 0));

const arns = {};
const tables = ["JavaScript orders", "Terraform"].map((title) =>
  usersTables.find((table) => table.title === title),
);

beforeEach(async () => {
  for (const { create, timeToLive } of tables) {
    const { TableName } = create;
    await server.client
      .send(new DeleteTableCommand({ TableName }))
      .catch((error) => assert.equal(error.name, "ResourceNotFoundException"));
    const { TableDescription } = await server.client.send(new CreateTableCommand(create));
    arns[TableName] = TableDescription.LatestStreamArn;
    if (!timeToLive) continue;
    const TimeToLiveSpecification = { Enabled: true, AttributeName: timeToLive };
    await server.client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
});

/** A service whose calls are remembered. */
const service = (calls, ...names) =>
  Object.fromEntries(names.map((name) => [name, async (...given) => calls.push([name, ...given])]));

async function until(condition, what) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`waited too long until ${what}`);
}

// Orders: confirmations, a search index, and a workflow that follows the status.

const calls = [];
const emailService = service(calls, "sendOrderConfirmation");
const searchService = service(calls, "indexOrder");
const workflowService = service(calls, "onStatusChange");

// Lambda handler for DynamoDB Stream:
const ordersHandler = async (event) => {
  for (const record of event.Records) {
    if (record.eventName === 'INSERT') {
      const newItem = unmarshall(record.dynamodb.NewImage);

      if (newItem.pk?.startsWith('ORDER#')) {
        // New order created - send confirmation email
        await emailService.sendOrderConfirmation(newItem);
        // Update search index
        await searchService.indexOrder(newItem);
      }
    }

    if (record.eventName === 'MODIFY') {
      const oldItem = unmarshall(record.dynamodb.OldImage);
      const newItem = unmarshall(record.dynamodb.NewImage);

      if (oldItem.status !== newItem.status) {
        // Status changed - trigger downstream workflow
        await workflowService.onStatusChange(newItem.pk, oldItem.status, newItem.status);
      }
    }
  }
};

const order = (id, more = {}) => ({ pk: `ORDER#${id}`, sk: `ORDER#${id}`, ...more });
const setStatus = (id, status) =>
  server.documents.send(
    new UpdateCommand({
      TableName: "Orders",
      Key: order(id),
      UpdateExpression: "SET #s = :s",
      ExpressionAttributeNames: { "#s": "status" },
      ExpressionAttributeValues: { ":s": status },
    }),
  );

test("orders are confirmed once and every change of status is followed", async () => {
  calls.length = 0;
  const mapping = new EventSourceMapping(server.streams, arns.Orders, ordersHandler);
  const first = order(1, { status: "PENDING", total: 99.99, gsi1pk: "USER#1", gsi1sk: "1" });
  const put = (Item) => server.documents.send(new PutCommand({ TableName: "Orders", Item }));
  await put(first);
  await put(first);
  await put({ pk: "USER#1", sk: "PROFILE", status: "ACTIVE" });
  await mapping.poll();
  assert.deepEqual(calls, [
    ["sendOrderConfirmation", first],
    ["indexOrder", first],
  ]);
  calls.length = 0;
  for (const status of ["PAID", "PAID", "SHIPPED"]) await setStatus(1, status);
  await server.documents.send(
    new UpdateCommand({
      TableName: "Orders",
      Key: order(1),
      UpdateExpression: "SET note = :n",
      ExpressionAttributeValues: { ":n": "fragile" },
    }),
  );
  await server.documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: { TableName: "Orders", Item: { ...first, status: "DELIVERED" } },
        },
        { Put: { TableName: "Orders", Item: { pk: "USER#2", sk: "PROFILE" } } },
      ],
    }),
  );
  await server.documents.send(new DeleteCommand({ TableName: "Orders", Key: order(1) }));
  const handled = await mapping.poll();
  assert.deepEqual(calls, [
    ["onStatusChange", "ORDER#1", "PENDING", "PAID"],
    ["onStatusChange", "ORDER#1", "PAID", "SHIPPED"],
    ["onStatusChange", "ORDER#1", "SHIPPED", "DELIVERED"],
  ]);
  assert.equal(handled.filter(({ eventName }) => eventName === "REMOVE").length, 1);
  assert.deepEqual(await mapping.poll(), []);
});

test("the status of many orders is followed in order, one by one", async () => {
  calls.length = 0;
  const mapping = new EventSourceMapping(server.streams, arns.Orders, ordersHandler, {
    batchSize: 7,
  });
  const ids = Array.from({ length: 20 }, (_, id) => id);
  const PutRequests = ids.map((id) => ({ PutRequest: { Item: order(id, { status: "0" }) } }));
  await server.documents.send(new BatchWriteCommand({ RequestItems: { Orders: PutRequests } }));
  let writing = true;
  const polling = (async () => {
    while (writing) await mapping.poll();
    await mapping.poll();
  })();
  await Promise.all(
    ids.map(async (id) => {
      for (let step = 1; step <= 15; step++) {
        await setStatus(id, `${step}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }),
  );
  writing = false;
  await polling;
  assert.equal(calls.filter(([name]) => name === "sendOrderConfirmation").length, 20);
  for (const id of ids) {
    const changes = calls.filter(([name, pk]) => name === "onStatusChange" && pk === `ORDER#${id}`);
    assert.deepEqual(
      changes.map(([, , from, to]) => [from, to]),
      Array.from({ length: 15 }, (_, step) => [`${step}`, `${step + 1}`]),
    );
  }
});

// Tasks: a search index behind a filter of the event source mapping.

const indexed = [];
const esClient = { index: async (given) => indexed.push(given) };
const pattern = {
  eventName: ["INSERT", "MODIFY"],
  dynamodb: {
    NewImage: {
      type: { S: ["task"] }
    }
  }
};

// Stream processor Lambda
const tasksHandler = async (event) => {
for (const record of event.Records) {
const newImage = unmarshall(record.dynamodb.NewImage);
switch (newImage.type) {
case 'task':
// Update Elasticsearch index
await esClient.index({
index: 'tasks',
id: newImage.SK.replace('TASK#', ''),
body: {
title: newImage.title,
status: newImage.status,
projectId: newImage.PK.replace('PROJ#', ''),
updatedAt: newImage.updatedAt,
},
});
break;
}
}
};

test("tasks that are made and changed are indexed, and nothing else", async () => {
  indexed.length = 0;
  const mapping = new EventSourceMapping(server.streams, arns["app-dev"], tasksHandler, {
    pattern,
  });
  const task = (title, status) => ({
    PK: "PROJ#7",
    SK: "TASK#42",
    type: "task",
    title,
    status,
    updatedAt: "2026-01-15T10:00:00Z",
  });
  const put = (Item) => server.documents.send(new PutCommand({ TableName: "app-dev", Item }));
  await put(task("write", "open"));
  await put({ PK: "PROJ#7", SK: "META", type: "project", title: "x" });
  await put({ PK: "PROJ#7", SK: "NOTE#1", title: "no type" });
  await put(task("write", "done"));
  await put(task("write", "done"));
  const Key = { PK: "PROJ#7", SK: "TASK#42" };
  await server.documents.send(new DeleteCommand({ TableName: "app-dev", Key }));
  const handled = await mapping.poll();
  assert.deepEqual(handled.map(({ eventName }) => eventName), ["INSERT", "MODIFY"]);
  const entry = (status) => ({
    index: "tasks",
    id: "42",
    body: { title: "write", status, projectId: "7", updatedAt: "2026-01-15T10:00:00Z" },
  });
  assert.deepEqual(indexed, [entry("open"), entry("done")]);
});

// What the service deletes is told from what people delete.

test("deletions at the end of the time to live have the service as their principal", async () => {
  const cleaned = [];
  const removed = [];
  const handler = async (event) => {
    for (const record of event.Records) {
      if (record.eventName !== "REMOVE") continue;
      const expired =
        record.userIdentity?.type === 'Service' &&
        record.userIdentity?.principalId === 'dynamodb.amazonaws.com';
      (expired ? cleaned : removed).push(unmarshall(record.dynamodb.OldImage));
    }
  };
  const mapping = new EventSourceMapping(server.streams, arns["app-dev"], handler);
  const session = (id, expiresAt) => ({ PK: `SESSION#${id}`, SK: "META", expiresAt });
  const past = Math.floor(Date.now() / 1000) - 5;
  const sessions = [1, 2, 3].map((id) => session(id, past));
  const logout = session(4, past + 3600);
  const put = (Item) => server.documents.send(new PutCommand({ TableName: "app-dev", Item }));
  for (const each of [logout, ...sessions]) await put(each);
  const { PK, SK } = logout;
  await server.documents.send(new DeleteCommand({ TableName: "app-dev", Key: { PK, SK } }));
  await until(async () => {
    await mapping.poll();
    return cleaned.length >= 3;
  }, "the sessions are deleted");
  const byKey = (a, b) => a.PK.localeCompare(b.PK);
  assert.deepEqual(cleaned.toSorted(byKey), sessions);
  assert.deepEqual(removed, [logout]);
});
