// HTTP/2 without TLS: many requests at once on one connection.

import assert from "node:assert/strict";
import http2 from "node:http2";
import { after, before, test } from "node:test";
import { onDemand } from "./definitions.js";
import { start } from "./server.js";

let server;
let session;

before(async () => {
  server = await start();
  session = http2.connect(server.endpoint);
});
after(async () => {
  session.close();
  assert.equal(await server.stop(), 0);
});

const authorization =
  "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, " +
  "SignedHeaders=host, Signature=0";

/** Sends a request; gives status, headers and body of its answer. */
function call(operation, body, headers = {}) {
  const stream = session.request({
    ":method": "POST",
    ":path": "/",
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    "x-amz-date": "20260101T000000Z",
    authorization,
    ...headers,
  });
  return new Promise((resolve, reject) => {
    const answer = { text: "" };
    stream.setEncoding("utf8");
    stream.on("response", (found) => Object.assign(answer, { status: found[":status"], found }));
    stream.on("data", (piece) => (answer.text += piece));
    stream.on("end", () => resolve(answer));
    stream.on("error", reject);
    stream.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

test("requests at once are all answered", async () => {
  assert.equal((await call("CreateTable", onDemand("two"))).status, 200);
  const numbers = [...Array(300).keys()];
  const text = "x".repeat(20_000);
  const puts = numbers.map((number) =>
    call("PutItem", { TableName: "two", Item: { pk: { S: `${number}` }, text: { S: text } } }),
  );
  for (const answer of await Promise.all(puts)) {
    assert.deepEqual([answer.status, answer.text], [200, "{}"]);
    assert.match(answer.found["x-amzn-requestid"], /^[A-Z0-9]{52}$/);
    assert.equal(answer.found["x-amz-crc32"], "2745614147");
  }
  const gets = numbers.map((number) =>
    call("GetItem", { TableName: "two", Key: { pk: { S: `${number}` } } }),
  );
  for (const [number, answer] of (await Promise.all(gets)).entries()) {
    assert.equal(JSON.parse(answer.text).Item.pk.S, `${number}`);
  }
});

test("errors are those of HTTP/1", async () => {
  const missing = await call("GetItem", { TableName: "nowhere", Key: { pk: { S: "1" } } });
  assert.equal(missing.status, 400);
  assert.match(missing.text, /ResourceNotFoundException/);
  const unsigned = await call("ListTables", "{}", { authorization: undefined });
  assert.match(unsigned.text, /MissingAuthenticationToken/);
  assert.equal((await call("ListTables", "{}", { "content-type": "text/plain" })).status, 404);
  assert.equal((await call("ListTables", "{}", { "x-filler": "x".repeat(17_000) })).status, 431);
});

test("a body that is too large is refused, and its connection may end with it", async () => {
  const usual = session;
  session = http2.connect(server.endpoint);
  session.on("error", () => {});
  const large = `{${" ".repeat(16 * 1024 * 1024)}}`;
  const refused = await call("ListTables", large).catch(() => ({ status: 413 }));
  session.destroy();
  session = usual;
  assert.equal(refused.status, 413);
  assert.equal((await call("ListTables", "{}")).status, 200);
});
