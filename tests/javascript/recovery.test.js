// Recovery and backups through the client.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  CreateBackupCommand,
  CreateTableCommand,
  DeleteBackupCommand,
  DeleteTableCommand,
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ListBackupsCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { index, onDemand } from "./definitions.js";
import { start } from "./server.js";

const patience = () => ({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let server;
let client;
let TableName;
let numbers = 0;

before(async () => {
  server = await start();
  client = server.client;
});
after(async () => assert.equal(await server.stop(), 0));

beforeEach(async () => {
  TableName = `source-${(numbers += 1)}`;
  const more = {
    GlobalSecondaryIndexes: [index("GSI1", "GSI1PK", "SK")],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
  };
  await client.send(new CreateTableCommand(onDemand(TableName, "PK", "SK", more, ["GSI1PK"])));
});

const order = (n, status = "open") => ({
  PK: "USER#1",
  SK: `ORDER#${n}`,
  GSI1PK: `STATUS#${status}`,
  total: n * 1.5,
  lines: [{ sku: "a", tags: new Set(["x", "y"]) }],
});
const put = (Item) => server.documents.send(new PutCommand({ TableName, Item }));
const remove = ({ PK, SK }) =>
  server.documents.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
const items = async (table) =>
  (await server.documents.send(new ScanCommand({ TableName: table }))).Items;
const describe = async (table) =>
  (await client.send(new DescribeTableCommand({ TableName: table }))).Table;

async function recovery(PointInTimeRecoveryEnabled, more = {}) {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled, ...more };
  const answer = await client.send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
  );
  return answer.ContinuousBackupsDescription;
}

async function restored(TargetTableName, request) {
  const answer = await client.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName: TableName, TargetTableName, ...request }),
  );
  assert.equal(answer.TableDescription.TableStatus, "CREATING");
  assert.equal(answer.TableDescription.RestoreSummary.RestoreInProgress, true);
  const waited = await waitUntilTableExists(patience(), { TableName: TargetTableName });
  assert.equal(waited.state, "SUCCESS");
  return items(TargetTableName);
}

/** Waits for the next whole second, so that a time means the same however it is rounded. */
async function wholeSecond() {
  const second = Math.ceil((Date.now() + 1) / 1000) * 1000;
  while (Date.now() < second + 5) await pause(second + 5 - Date.now());
  return new Date(second);
}

test("recovery is turned on, described and turned off", async () => {
  const on = await recovery(true, { RecoveryPeriodInDays: 7 });
  assert.equal(on.ContinuousBackupsStatus, "ENABLED");
  const described = on.PointInTimeRecoveryDescription;
  assert.equal(described.PointInTimeRecoveryStatus, "ENABLED");
  assert.equal(described.RecoveryPeriodInDays, 7);
  assert.ok(described.EarliestRestorableDateTime instanceof Date);
  assert.ok(described.LatestRestorableDateTime >= described.EarliestRestorableDateTime);
  const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const later = answer.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  assert.deepEqual(later.EarliestRestorableDateTime, described.EarliestRestorableDateTime);
  const off = (await recovery(false)).PointInTimeRecoveryDescription;
  assert.deepEqual(off, { PointInTimeRecoveryStatus: "DISABLED" });
});

test("a table is restored to a second and to the latest moment", async () => {
  await recovery(true);
  for (let n = 0; n < 5; n += 1) await put(order(n));
  const then = await items(TableName);
  const RestoreDateTime = await wholeSecond();
  await put(order(1, "paid"));
  await remove(order(2));
  await put(order(9));
  assert.deepEqual(await restored("to-a-second", { RestoreDateTime }), then);
  const now = await items(TableName);
  assert.deepEqual(await restored("to-the-latest", { UseLatestRestorableTime: true }), now);
  const { Items } = await server.documents.send(
    new QueryCommand({
      TableName: "to-a-second",
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :open",
      ExpressionAttributeValues: { ":open": "STATUS#open" },
    }),
  );
  assert.equal(Items.length, 5);
  const found = await describe("to-a-second");
  const { TableArn } = await describe(TableName);
  assert.deepEqual(found.RestoreSummary, {
    SourceTableArn: TableArn,
    RestoreDateTime,
    RestoreInProgress: false,
  });
  assert.equal(found.StreamSpecification, undefined);
});

test("a table is restored from its ARN with other settings", async () => {
  await recovery(true);
  await put(order(1));
  const { TableArn: SourceTableArn } = await describe(TableName);
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableArn,
      TargetTableName: "changed",
      UseLatestRestorableTime: true,
      BillingModeOverride: "PROVISIONED",
      ProvisionedThroughputOverride: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
      GlobalSecondaryIndexOverride: [],
      SSESpecificationOverride: { Enabled: true },
    }),
  );
  await waitUntilTableExists(patience(), { TableName: "changed" });
  const found = await describe("changed");
  assert.equal(found.ProvisionedThroughput.WriteCapacityUnits, 4);
  assert.equal(found.GlobalSecondaryIndexes, undefined);
  assert.equal(found.SSEDescription.Status, "ENABLED");
  assert.deepEqual(await items("changed"), [order(1)]);
});

test("restores that are refused have errors of their own", async () => {
  const refused = (error, request) =>
    assert.rejects(
      client.send(
        new RestoreTableToPointInTimeCommand({
          SourceTableName: TableName,
          TargetTableName: "refused",
          ...request,
        }),
      ),
      { name: error },
    );
  const latest = { UseLatestRestorableTime: true };
  await refused("PointInTimeRecoveryUnavailableException", latest);
  await recovery(true);
  await refused("TableNotFoundException", { ...latest, SourceTableName: "nowhere" });
  await refused("TableAlreadyExistsException", { ...latest, TargetTableName: TableName });
  const RestoreDateTime = new Date(Date.now() - 3_600_000);
  await refused("InvalidRestoreTimeException", { RestoreDateTime });
  await refused("ValidationException", { ...latest, RestoreDateTime });
  await refused("ValidationException", {});
});

const backupOf = async (BackupArn) =>
  (await client.send(new DescribeBackupCommand({ BackupArn }))).BackupDescription;

async function available(BackupArn) {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(20)) {
    const found = await backupOf(BackupArn);
    if (found.BackupDetails.BackupStatus === "AVAILABLE") return found;
  }
  return assert.fail("the backup was not complete");
}

async function backUp(BackupName) {
  const { BackupDetails } = await client.send(new CreateBackupCommand({ TableName, BackupName }));
  assert.equal(BackupDetails.BackupName, BackupName);
  assert.ok(["CREATING", "AVAILABLE"].includes(BackupDetails.BackupStatus));
  return available(BackupDetails.BackupArn);
}

test("a backup is made, described, listed, restored from and deleted", async () => {
  for (let n = 0; n < 5; n += 1) await put(order(n));
  const then = await items(TableName);
  const first = await backUp("first");
  const { BackupArn } = first.BackupDetails;
  assert.equal(first.SourceTableDetails.ItemCount, 5);
  assert.equal(first.SourceTableDetails.TableName, TableName);
  assert.ok(first.BackupDetails.BackupCreationDateTime instanceof Date);
  const [described] = first.SourceTableFeatureDetails.GlobalSecondaryIndexes;
  assert.equal(described.IndexName, "GSI1");
  await remove(order(0));
  const second = await backUp("second");

  const listed = async (request = {}) => {
    const answer = await client.send(new ListBackupsCommand({ TableName, ...request }));
    return answer.BackupSummaries.map(({ BackupName }) => BackupName).toSorted();
  };
  assert.deepEqual(await listed(), ["first", "second"]);
  assert.deepEqual(await listed({ BackupType: "SYSTEM" }), []);
  const page = await client.send(new ListBackupsCommand({ TableName, Limit: 1 }));
  assert.equal(page.BackupSummaries.length, 1);
  const ExclusiveStartBackupArn = page.LastEvaluatedBackupArn;
  assert.equal((await listed({ ExclusiveStartBackupArn })).length, 1);

  // Also once the table is gone.
  await client.send(new DeleteTableCommand({ TableName }));
  const TargetTableName = "from-a-backup";
  await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }));
  await waitUntilTableExists(patience(), { TableName: TargetTableName });
  assert.deepEqual(await items(TargetTableName), then);
  const { RestoreSummary } = await describe(TargetTableName);
  assert.equal(RestoreSummary.SourceBackupArn, BackupArn);
  assert.equal(RestoreSummary.RestoreInProgress, false);

  const { BackupDescription } = await client.send(new DeleteBackupCommand({ BackupArn }));
  assert.equal(BackupDescription.BackupDetails.BackupStatus, "DELETED");
  for (const command of [DescribeBackupCommand, DeleteBackupCommand]) {
    await assert.rejects(client.send(new command({ BackupArn })), {
      name: "BackupNotFoundException",
      message: `Backup not found: ${BackupArn}`,
    });
  }
  assert.deepEqual(await listed(), ["second"]);
  assert.equal(second.SourceTableDetails.ItemCount, 4);
});

test("a deleted table with recovery is restored from the backup it left", async () => {
  await recovery(true);
  await put(order(1));
  await client.send(new DeleteTableCommand({ TableName }));
  const request = { TableName, BackupType: "SYSTEM" };
  const { BackupSummaries } = await client.send(new ListBackupsCommand(request));
  const [{ BackupArn, BackupName, BackupCreationDateTime, BackupExpiryDateTime }] = BackupSummaries;
  assert.equal(BackupName, `${TableName}$DeletedTableBackup`);
  assert.equal(BackupExpiryDateTime - BackupCreationDateTime, 35 * 86_400_000);
  await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName: TableName }));
  await waitUntilTableExists(patience(), { TableName });
  assert.deepEqual(await items(TableName), [order(1)]);
});
