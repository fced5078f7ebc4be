// Exports and imports through the client, to and from a folder.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  CreateTableCommand,
  DescribeExportCommand,
  DescribeImportCommand,
  DescribeTableCommand,
  ExportTableToPointInTimeCommand,
  ImportTableCommand,
  ListExportsCommand,
  ListImportsCommand,
  UpdateContinuousBackupsCommand,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { onDemand } from "./definitions.js";
import { start } from "./server.js";

const Bucket = "bucket";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let folder;
let server;
let client;
let numbers = 0;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "transfers-"));
  await mkdir(path.join(folder, Bucket));
  server = await start("--storage-dir", folder);
  client = server.client;
});
after(async () => {
  assert.equal(await server.stop(), 0);
  await rm(folder, { recursive: true });
});

const item = (n) => ({
  PK: `USER#${n % 3}`,
  SK: `ORDER#${n}`,
  total: n * 1.5,
  lines: [{ sku: "a", tags: new Set(["x", "y"]), raw: new Uint8Array([0, 255]) }],
  note: n % 2 ? "" : "gr\u00fc\u00df \u4f60",
  gone: null,
});
const byKey = (items) => new Map(items.map((each) => [`${each.PK} ${each.SK}`, each]));

async function contents(TableName) {
  const { Items } = await server.documents.send(new ScanCommand({ TableName }));
  return byKey(Items);
}

/** A table with recovery on and some items; its ARN with them. */
async function source(count) {
  const TableName = `source-${(numbers += 1)}`;
  await client.send(new CreateTableCommand(onDemand(TableName, "PK", "SK")));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
  );
  const items = Array.from({ length: count }, (_, n) => item(n));
  for (const Item of items) await server.documents.send(new PutCommand({ TableName, Item }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return { TableArn: Table.TableArn, items };
}

async function until(look) {
  for (let turn = 0; turn < 600; turn += 1) {
    const found = await look();
    if (found) return found;
    await pause(100);
  }
  throw new Error("waited too long");
}

const over = (status) => status !== "IN_PROGRESS";
const exported = (ExportArn) =>
  until(async () => {
    const { ExportDescription: found } = await client.send(new DescribeExportCommand({ ExportArn }));
    return over(found.ExportStatus) && found;
  });
const imported = (ImportArn) =>
  until(async () => {
    const answer = await client.send(new DescribeImportCommand({ ImportArn }));
    const found = answer.ImportTableDescription;
    return over(found.ImportStatus) && found;
  });

async function beginExport(TableArn, more = {}) {
  const request = { TableArn, S3Bucket: Bucket, ...more };
  return (await client.send(new ExportTableToPointInTimeCommand(request))).ExportDescription;
}

async function beginImport(S3KeyPrefix, more = {}) {
  const request = {
    S3BucketSource: { S3Bucket: Bucket, S3KeyPrefix },
    InputFormat: "DYNAMODB_JSON",
    TableCreationParameters: onDemand(`imported-${(numbers += 1)}`, "PK", "SK"),
    ...more,
  };
  return (await client.send(new ImportTableCommand(request))).ImportTableDescription;
}

for (const ExportFormat of ["DYNAMODB_JSON", "ION"]) {
  test(`a table is exported as ${ExportFormat} and imported`, async () => {
    const { TableArn, items } = await source(20);
    const S3Prefix = `round-${ExportFormat}`;
    const begun = await beginExport(TableArn, { ExportFormat, S3Prefix });
    assert.equal(begun.ExportStatus, "IN_PROGRESS");
    assert.ok(begun.ExportArn.startsWith(`${TableArn}/export/`));
    assert.ok(begun.StartTime instanceof Date && begun.ExportTime instanceof Date);
    const found = await exported(begun.ExportArn);
    assert.equal(found.ExportStatus, "COMPLETED", found.FailureMessage);
    assert.equal(found.ItemCount, 20);
    assert.ok(found.BilledSizeBytes > 0 && found.EndTime >= found.StartTime);
    assert.deepEqual([found.S3Bucket, found.S3Prefix], [Bucket, S3Prefix]);

    const bucket = path.join(folder, Bucket);
    const summary = JSON.parse(await readFile(path.join(bucket, found.ExportManifest), "utf8"));
    assert.equal(summary.exportArn, begun.ExportArn);
    assert.equal(summary.itemCount, 20);
    const place = path.posix.join(path.posix.dirname(found.ExportManifest), "data");
    const names = await readdir(path.join(bucket, place));
    const texts = await Promise.all(
      names.map(async (name) => gunzipSync(await readFile(path.join(bucket, place, name)))),
    );
    assert.equal(Buffer.concat(texts).toString().trimEnd().split("\n").length, 20);

    const more = { InputFormat: ExportFormat, InputCompressionType: "GZIP" };
    const start = await beginImport(`${place}/`, more);
    assert.equal(start.ImportStatus, "IN_PROGRESS");
    const end = await imported(start.ImportArn);
    assert.equal(end.ImportStatus, "COMPLETED", end.FailureMessage);
    assert.deepEqual([end.ProcessedItemCount, end.ImportedItemCount, end.ErrorCount], [20, 20, 0]);
    const name = end.TableCreationParameters.TableName;
    assert.deepEqual(await contents(name), byKey(items));
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    assert.deepEqual([Table.TableStatus, Table.ItemCount], ["ACTIVE", 20]);
  });
}

test("exports and imports are listed page by page", async () => {
  const { TableArn } = await source(1);
  const arns = [];
  for (let turn = 0; turn < 5; turn += 1) {
    arns.push((await beginExport(TableArn, { S3Prefix: `listed-${turn}` })).ExportArn);
  }
  const listed = [];
  let NextToken;
  do {
    const page = await client.send(new ListExportsCommand({ TableArn, MaxResults: 2, NextToken }));
    assert.ok(page.ExportSummaries.length <= 2);
    listed.push(...page.ExportSummaries);
    NextToken = page.NextToken;
  } while (NextToken);
  assert.deepEqual(listed.map((each) => each.ExportArn).sort(), [...arns].sort());
  assert.ok(listed.every((each) => each.ExportType === "FULL_EXPORT"));
  await Promise.all(arns.map(exported));

  const { ImportArn, TableArn: made } = await beginImport("nothing-at-all/");
  const { ImportSummaryList } = await client.send(new ListImportsCommand({ TableArn: made }));
  assert.deepEqual(ImportSummaryList.map((each) => each.ImportArn), [ImportArn]);
  assert.equal((await imported(ImportArn)).ImportStatus, "COMPLETED");
});

test("rows are imported, and those that are no items are counted", async () => {
  const place = path.join(folder, Bucket, "rows");
  await mkdir(place);
  const rows = "PK;SK;note\na;1;x\nb;2;\n;3;no key\n";
  await writeFile(path.join(place, "x"), gzipSync(rows));
  const { ImportArn } = await beginImport("rows/", {
    InputFormat: "CSV",
    InputCompressionType: "GZIP",
    InputFormatOptions: { Csv: { Delimiter: ";" } },
  });
  const found = await imported(ImportArn);
  assert.deepEqual([found.ImportStatus, found.FailureCode], ["FAILED", "ItemValidationError"]);
  assert.deepEqual([found.ProcessedItemCount, found.ImportedItemCount, found.ErrorCount], [3, 2, 1]);
  assert.deepEqual(
    await contents(found.TableCreationParameters.TableName),
    byKey([
      { PK: "a", SK: "1", note: "x" },
      { PK: "b", SK: "2" },
    ]),
  );
});

test("a bucket that is not there fails the export and the import", async () => {
  const { TableArn } = await source(1);
  const S3Bucket = "no-such-bucket";
  const found = await exported((await beginExport(TableArn, { S3Bucket })).ExportArn);
  assert.deepEqual([found.ExportStatus, found.FailureCode], ["FAILED", "S3NoSuchBucket"]);
  const begun = await beginImport("x", { S3BucketSource: { S3Bucket } });
  const end = await imported(begun.ImportArn);
  assert.deepEqual([end.ImportStatus, end.FailureCode], ["FAILED", "S3NoSuchBucket"]);
});

test("errors have the classes of the client", async () => {
  const ExportArn = "arn:aws:dynamodb:us-east-1:000000000000:table/t/export/01700000000000-00000000";
  await assert.rejects(client.send(new DescribeExportCommand({ ExportArn })), {
    name: "ExportNotFoundException",
  });
  const ImportArn = ExportArn.replace("export", "import");
  await assert.rejects(client.send(new DescribeImportCommand({ ImportArn })), {
    name: "ImportNotFoundException",
  });
  const { TableArn } = await source(1);
  const ClientToken = "the-same-token";
  await beginExport(TableArn, { ClientToken });
  await assert.rejects(beginExport(TableArn, { ClientToken, S3Prefix: "another" }), {
    name: "ExportConflictException",
  });
  await assert.rejects(
    beginExport(TableArn, { ExportTime: new Date(Date.now() - 40 * 24 * 3600 * 1000) }),
    { name: "InvalidExportTimeException" },
  );
});
