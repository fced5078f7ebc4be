// Tables through the client: created, waited for, described, listed, changed, deleted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTagsOfResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  paginateListTables,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { onDemand, usersTables } from "./definitions.js";
import { start } from "./server.js";

const patience = (client) => ({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 });
let server;
let client;

before(async () => {
  server = await start();
  client = server.client;
});
after(async () => assert.equal(await server.stop(), 0));

const describe = async (TableName) =>
  (await client.send(new DescribeTableCommand({ TableName }))).Table;

async function remove(TableName) {
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(patience(client), { TableName });
}

for (const { title, create, timeToLive, recovery } of usersTables) {
  test(`the table of ${title} has the settings it was given`, async () => {
    const { TableName } = create;
    await client.send(new CreateTableCommand(create));
    await waitUntilTableExists(patience(client), { TableName });
    if (timeToLive) {
      const TimeToLiveSpecification = { Enabled: true, AttributeName: timeToLive };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
    if (recovery) {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      const request = { TableName, PointInTimeRecoverySpecification };
      await client.send(new UpdateContinuousBackupsCommand(request));
    }

    const found = await describe(TableName);
    assert.equal(found.TableStatus, "ACTIVE");
    assert.ok(found.CreationDateTime instanceof Date);
    assert.deepEqual(found.KeySchema, create.KeySchema);
    assert.equal(found.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
    assert.equal(found.DeletionProtectionEnabled, create.DeletionProtectionEnabled ?? false);
    assert.deepEqual(found.StreamSpecification, create.StreamSpecification);
    const indexes = (list = []) =>
      Object.fromEntries(list.map((i) => [i.IndexName, [i.KeySchema, i.Projection]]));
    assert.deepEqual(
      indexes(found.GlobalSecondaryIndexes),
      indexes(create.GlobalSecondaryIndexes),
    );
    const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    assert.equal(ttl.TimeToLiveDescription.AttributeName, timeToLive);
    const backups = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    assert.equal(
      backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription
        .PointInTimeRecoveryStatus,
      recovery ? "ENABLED" : "DISABLED",
    );

    if (create.DeletionProtectionEnabled) {
      const request = { TableName, DeletionProtectionEnabled: false };
      await client.send(new UpdateTableCommand(request));
    }
    await remove(TableName);
  });
}

test("a paginator lists every table once and in order", async () => {
  const names = ["one", "two", "three", "four", "five"].map((n) => `paged-${n}`);
  for (const name of names) await client.send(new CreateTableCommand(onDemand(name)));
  const listed = [];
  for await (const page of paginateListTables({ client, pageSize: 2 }, {})) {
    assert.ok(page.TableNames.length <= 2);
    listed.push(...page.TableNames);
  }
  assert.deepEqual(listed, names.toSorted());
  for (const name of names) await remove(name);
});

test("tags are added, listed and removed", async () => {
  await client.send(new CreateTableCommand(onDemand("tagged")));
  const { TableArn: ResourceArn } = await describe("tagged");
  const tags = async () =>
    (await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags;
  const Tags = [{ Key: "team", Value: "orders" }, { Key: "empty", Value: "" }];
  await client.send(new TagResourceCommand({ ResourceArn, Tags }));
  assert.deepEqual((await tags()).toSorted((a, b) => b.Key.localeCompare(a.Key)), Tags);
  await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["empty"] }));
  assert.deepEqual(await tags(), [Tags[0]]);
  await remove("tagged");
});

test("a table changes its billing mode, its stream and its class", async () => {
  const TableName = "changed";
  await client.send(new CreateTableCommand(onDemand(TableName)));
  const update = async (change) => {
    await client.send(new UpdateTableCommand({ TableName, ...change }));
    await waitUntilTableExists(patience(client), { TableName });
    return describe(TableName);
  };
  const ProvisionedThroughput = { ReadCapacityUnits: 3, WriteCapacityUnits: 4 };
  let found = await update({ BillingMode: "PROVISIONED", ProvisionedThroughput });
  assert.equal(found.BillingModeSummary.BillingMode, "PROVISIONED");
  assert.equal(found.ProvisionedThroughput.WriteCapacityUnits, 4);
  found = await update({ BillingMode: "PAY_PER_REQUEST" });
  assert.equal(found.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
  const StreamSpecification = { StreamEnabled: true, StreamViewType: "KEYS_ONLY" };
  found = await update({ StreamSpecification });
  assert.deepEqual(found.StreamSpecification, StreamSpecification);
  assert.ok(found.LatestStreamArn.endsWith(found.LatestStreamLabel));
  found = await update({ StreamSpecification: { StreamEnabled: false } });
  assert.equal(found.StreamSpecification, undefined);
  found = await update({ TableClass: "STANDARD_INFREQUENT_ACCESS" });
  assert.equal(found.TableClassSummary.TableClass, "STANDARD_INFREQUENT_ACCESS");
  await remove(TableName);
});

test("waiters see a table come and go", async () => {
  const slow = await start("--table-delay", "200ms");
  const TableName = "waited";
  const made = await slow.client.send(new CreateTableCommand(onDemand(TableName)));
  assert.equal(made.TableDescription.TableStatus, "CREATING");
  const there = await waitUntilTableExists(patience(slow.client), { TableName });
  assert.equal(there.state, "SUCCESS");
  await slow.client.send(new DeleteTableCommand({ TableName }));
  const gone = await waitUntilTableNotExists(patience(slow.client), { TableName });
  assert.equal(gone.state, "SUCCESS");
  assert.equal(await slow.stop(), 0);
});
