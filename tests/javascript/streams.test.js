// DynamoDB Streams through the SDK's own client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  PutItemCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsServiceException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";
import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { onDemand } from "./definitions.js";
import { lambdaRecord } from "./lambda.js";
import { Walker, shardsOf } from "./lineage.js";
import { start } from "./server.js";

let server;
let tables = 0;
before(async () => (server = await start("--stream-shards", "4", "--shard-age", "1s")));
after(async () => assert.equal(await server.stop(), 0));

async function streamed(StreamViewType = "NEW_AND_OLD_IMAGES", range = undefined) {
  const TableName = `streamed-${++tables}`;
  const StreamSpecification = { StreamEnabled: true, StreamViewType };
  const definition = onDemand(TableName, "pk", range, { StreamSpecification });
  const { TableDescription } = await server.client.send(new CreateTableCommand(definition));
  return { TableName, StreamArn: TableDescription.LatestStreamArn };
}

async function everything(StreamArn) {
  const found = [];
  const walker = new Walker(server.streams, StreamArn);
  for await (const { record } of walker.records()) found.push(record);
  return found;
}

const put = (TableName, Item) => server.documents.send(new PutCommand({ TableName, Item }));

test("streams are listed page by page", async () => {
  const made = [await streamed(), await streamed(), await streamed()];
  const found = [];
  for (let start; ; ) {
    const { Streams, LastEvaluatedStreamArn } = await server.streams.send(
      new ListStreamsCommand({ Limit: 2, ExclusiveStartStreamArn: start }),
    );
    assert.ok(Streams.length <= 2);
    found.push(...Streams);
    start = LastEvaluatedStreamArn;
    if (!start) break;
  }
  for (const { TableName, StreamArn } of made) {
    const [stream, ...more] = found.filter((each) => each.TableName === TableName);
    assert.deepEqual(more, []);
    const StreamLabel = StreamArn.split("/").at(-1);
    assert.deepEqual(stream, { TableName, StreamArn, StreamLabel });
    const { Streams } = await server.streams.send(new ListStreamsCommand({ TableName }));
    assert.deepEqual(Streams, [stream]);
  }
});

test("a stream is described with its shards", async () => {
  const { TableName, StreamArn } = await streamed("KEYS_ONLY", "sk");
  const { StreamDescription } = await server.streams.send(new DescribeStreamCommand({ StreamArn }));
  const { Shards, CreationRequestDateTime, ...described } = StreamDescription;
  assert.deepEqual(described, {
    StreamArn,
    StreamLabel: StreamArn.split("/").at(-1),
    StreamStatus: "ENABLED",
    StreamViewType: "KEYS_ONLY",
    TableName,
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
  });
  assert.ok(Math.abs(CreationRequestDateTime - Date.now()) < 60_000);
  assert.ok(Shards.length >= 4);
  for (const { ShardId, SequenceNumberRange } of Shards) {
    assert.match(ShardId, /^shardId-\d{20}-[0-9a-f]{8}$/);
    assert.match(SequenceNumberRange.StartingSequenceNumber, /^\d{21,40}$/);
  }
  const paged = await shardsOf(server.streams, StreamArn, 1);
  const ids = (shards) => shards.map(({ ShardId }) => ShardId);
  assert.deepEqual(ids(paged).slice(0, Shards.length), ids(Shards));
});

const every = {
  pk: "k",
  text: "\u00e9\u20ac\u{1f600}",
  number: -1.5,
  bytes: new Uint8Array([0, 255, 1]),
  yes: true,
  no: false,
  nothing: null,
  list: [1, "two", new Uint8Array([3]), [], {}],
  map: { deep: { deeper: [new Uint8Array([128])] } },
  texts: new Set(["a", "b"]),
  numbers: new Set([1, 2.5]),
  blobs: new Set([new Uint8Array([9])]),
};

test("records are unmarshalled into what was written", async () => {
  const { TableName, StreamArn } = await streamed();
  await put(TableName, every);
  await server.documents.send(
    new UpdateCommand({
      TableName,
      Key: { pk: "k" },
      UpdateExpression: "SET #n = #n + :n, bytes = :b",
      ExpressionAttributeNames: { "#n": "number" },
      ExpressionAttributeValues: { ":n": 1, ":b": new Uint8Array([7]) },
    }),
  );
  await server.documents.send(new DeleteCommand({ TableName, Key: { pk: "k" } }));
  const found = await everything(StreamArn);
  assert.deepEqual(found.map(({ eventName }) => eventName), ["INSERT", "MODIFY", "REMOVE"]);
  const changed = { ...every, number: -0.5, bytes: new Uint8Array([7]) };
  const images = found.map(({ dynamodb }) =>
    [dynamodb.OldImage, dynamodb.NewImage].map((image) => image && unmarshall(image)),
  );
  assert.deepEqual(images, [
    [undefined, every],
    [every, changed],
    [changed, undefined],
  ]);
  for (const { eventID, eventVersion, eventSource, awsRegion, dynamodb, userIdentity } of found) {
    assert.match(eventID, /^[0-9a-f]{32}$/);
    assert.deepEqual([eventVersion, eventSource, awsRegion], ["1.1", "aws:dynamodb", "us-east-1"]);
    assert.deepEqual(unmarshall(dynamodb.Keys), { pk: "k" });
    assert.ok(Math.abs(dynamodb.ApproximateCreationDateTime - Date.now()) < 60_000);
    assert.equal(typeof dynamodb.SizeBytes, "number");
    assert.equal(dynamodb.StreamViewType, "NEW_AND_OLD_IMAGES");
    assert.equal(userIdentity, undefined);
  }
});

for (const [view, images] of [
  ["KEYS_ONLY", [[], [], []]],
  ["NEW_IMAGE", [["NewImage"], ["NewImage"], []]],
  ["OLD_IMAGE", [[], ["OldImage"], ["OldImage"]]],
  ["NEW_AND_OLD_IMAGES", [["NewImage"], ["NewImage", "OldImage"], ["OldImage"]]],
]) {
  test(`the images of ${view}`, async () => {
    const { TableName, StreamArn } = await streamed(view);
    await put(TableName, { pk: "k", n: 1 });
    await put(TableName, { pk: "k", n: 2 });
    await put(TableName, { pk: "k", n: 2 });
    await server.documents.send(new DeleteCommand({ TableName, Key: { pk: "k" } }));
    const found = (await everything(StreamArn)).map(({ dynamodb }) =>
      ["NewImage", "OldImage"].filter((image) => dynamodb[image]),
    );
    assert.deepEqual(found, images);
  });
}

test("an iterator begins where it is told to", async () => {
  const { TableName, StreamArn } = await streamed();
  const latest = new Map();
  for (const { ShardId } of await shardsOf(server.streams, StreamArn)) {
    const { ShardIterator } = await server.streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "LATEST" }),
    );
    latest.set(ShardId, ShardIterator);
  }
  for (let n = 0; n < 5; n++) await put(TableName, { pk: "k", n });
  const walker = new Walker(server.streams, StreamArn);
  const byShard = new Map();
  for await (const { shard, record } of walker.records()) {
    byShard.set(shard, [...(byShard.get(shard) ?? []), record]);
  }
  assert.equal([...byShard.values()].flat().length, 5);
  const read = async (ShardIterator) => {
    const { Records } = await server.streams.send(new GetRecordsCommand({ ShardIterator }));
    return Records.map(({ eventID }) => eventID);
  };
  for (const [ShardId, records] of byShard) {
    const ids = records.map(({ eventID }) => eventID);
    if (latest.has(ShardId)) assert.deepEqual(await read(latest.get(ShardId)), ids);
    for (const [place, { dynamodb }] of records.entries()) {
      for (const [ShardIteratorType, expected] of [
        ["AT_SEQUENCE_NUMBER", ids.slice(place)],
        ["AFTER_SEQUENCE_NUMBER", ids.slice(place + 1)],
      ]) {
        const { ShardIterator } = await server.streams.send(
          new GetShardIteratorCommand({
            StreamArn,
            ShardId,
            ShardIteratorType,
            SequenceNumber: dynamodb.SequenceNumber,
          }),
        );
        assert.deepEqual(await read(ShardIterator), expected);
      }
    }
  }
});

test("the lineage is walked while many write", async () => {
  const { TableName, StreamArn } = await streamed("NEW_AND_OLD_IMAGES", "sk");
  const walker = new Walker(server.streams, StreamArn, { Limit: 25 });
  const replica = new Map();
  const problems = [];
  const seen = [];
  const follow = async () => {
    for await (const { shard, record } of walker.records()) {
      const { Keys, OldImage, NewImage } = record.dynamodb;
      const key = JSON.stringify([Keys.pk, Keys.sk]);
      try {
        assert.deepEqual(OldImage, replica.get(key));
      } catch (error) {
        problems.push(error.message);
      }
      if (NewImage) replica.set(key, NewImage);
      else replica.delete(key);
      seen.push({ shard, key, id: record.eventID });
    }
  };
  let writing = true;
  const writer = async (number) => {
    for (let turn = 0; turn < 60; turn++) {
      const Key = { pk: `p${turn % 5}`, sk: `${(turn * 7 + number) % 3}` };
      const Item = { ...Key, by: `${number}-${turn}` };
      const extra = { pk: `p${number}`, sk: `extra-${turn}`, by: `${number}-${turn}` };
      const writes = [Item, extra].map((each) => ({ PutRequest: { Item: each } }));
      const puts = [Item, extra].map((each) => ({ Put: { TableName, Item: each } }));
      await server.documents.send(
        [
          () => new PutCommand({ TableName, Item }),
          () => new DeleteCommand({ TableName, Key }),
          () => new BatchWriteCommand({ RequestItems: { [TableName]: writes } }),
          () => new TransactWriteCommand({ TransactItems: puts }),
        ][(turn + number) % 4](),
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  const writers = Promise.all([0, 1, 2, 3, 4, 5].map(writer)).finally(() => (writing = false));
  while (writing) await follow();
  await writers;
  await follow();
  assert.deepEqual(problems, []);
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  const { Items } = await server.documents.send(
    new ScanCommand({ TableName, ConsistentRead: true }),
  );
  const table = new Map(Items.map((each) => marshall(each)).map((each) => [
    JSON.stringify([each.pk, each.sk]),
    each,
  ]));
  assert.deepEqual(replica, table);
  assert.ok(walker.shards.size >= 8, "shards were rolled meanwhile");
  assert.ok(walker.ended.size >= 4);
  const shards = new Map();
  for (const { shard, key } of seen) {
    if (!shards.has(key)) shards.set(key, []);
    if (shards.get(key).at(-1) !== shard) shards.get(key).push(shard);
  }
  for (const visited of shards.values()) {
    assert.equal(new Set(visited).size, visited.length, "no shard is come back to");
    for (let place = 1; place < visited.length; place++) {
      const ancestors = [];
      for (let at = visited[place]; at; at = walker.shards.get(at)?.ParentShardId) {
        ancestors.push(at);
      }
      assert.ok(ancestors.includes(visited[place - 1]));
    }
  }
});

test("a stream that was turned off, or whose table is gone, can be read to its end", async () => {
  for (const end of [
    ({ TableName }) =>
      new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }),
    ({ TableName }) => new DeleteTableCommand({ TableName }),
  ]) {
    const made = await streamed();
    await put(made.TableName, { pk: "k" });
    await server.client.send(end(made));
    const walker = new Walker(server.streams, made.StreamArn);
    const found = [];
    for await (const { record } of walker.records()) found.push(unmarshall(record.dynamodb.Keys));
    assert.deepEqual(found, [{ pk: "k" }]);
    assert.equal(walker.ended.size, walker.shards.size);
    const { StreamDescription } = await server.streams.send(
      new DescribeStreamCommand({ StreamArn: made.StreamArn }),
    );
    assert.equal(StreamDescription.StreamStatus, "DISABLED");
  }
});

test("errors arrive as the classes that programs catch", async () => {
  const { StreamArn } = await streamed();
  const nobody = StreamArn.replace(/[^/]*$/, "2020-01-01T00:00:00.000");
  const missing = await server.streams
    .send(new DescribeStreamCommand({ StreamArn: nobody }))
    .then(assert.fail, (e) => e);
  assert.ok(missing instanceof ResourceNotFoundException, String(missing));
  assert.ok(missing instanceof DynamoDBStreamsServiceException);
  assert.equal(missing.message, `Requested resource not found: Stream: ${nobody} not found`);
  assert.equal(missing.$metadata.httpStatusCode, 400);
  await assert.rejects(
    server.streams.send(new GetRecordsCommand({ ShardIterator: "nonsense" })),
    { name: "ValidationException" },
  );
  await assert.rejects(server.streams.send(new ListStreamsCommand({ Limit: 0 })), {
    name: "ValidationException",
    message:
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: " +
      "Member must have value greater than or equal to 1",
  });
});

test("a record in the shape of Lambda's events", async () => {
  const { TableName, StreamArn } = await streamed();
  const Item = { pk: { S: "k" }, b: { B: new Uint8Array([0, 255]) } };
  await server.client.send(new PutItemCommand({ TableName, Item }));
  const [record] = await everything(StreamArn);
  const event = lambdaRecord(record, StreamArn);
  assert.deepEqual(event.dynamodb.NewImage, { pk: { S: "k" }, b: { B: "AP8=" } });
  assert.equal(event.eventSourceARN, StreamArn);
  assert.ok(Number.isInteger(event.dynamodb.ApproximateCreationDateTime));
  assert.ok(!("userIdentity" in event));
  assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
});
