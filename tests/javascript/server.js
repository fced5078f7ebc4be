// Starts Monotable as a process of its own, and makes clients for it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const binary = process.env.MONOTABLE_BIN ?? path.join(repository, "target/debug/monotable");

// Nothing may look at the network, nor at anybody's own settings.
for (const name of Object.keys(process.env)) {
  if (/^(AWS|MONOTABLE)_/.test(name)) delete process.env[name];
}
process.env.AWS_EC2_METADATA_DISABLED = "true";
process.env.AWS_CONFIG_FILE = "/dev/null";
process.env.AWS_SHARED_CREDENTIALS_FILE = "/dev/null";

const settings = (endpoint) => ({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  maxAttempts: 1,
});

/** A client of a server. */
export const connect = (endpoint) => new DynamoDBClient(settings(endpoint));

/** A client of a server's streams. */
export const connectStreams = (endpoint) => new DynamoDBStreamsClient(settings(endpoint));

/** Starts a server in memory; gives its clients and a way to stop it. */
export async function start(...options) {
  const child = spawn(binary, ["serve", "--port", "0", "--memory", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, MONOTABLE_LOG: "warn" },
  });
  const exited = once(child, "exit");
  const endpoint = await printedEndpoint(child);
  const client = connect(endpoint);
  const documents = DynamoDBDocumentClient.from(client);
  const streams = connectStreams(endpoint);
  return {
    endpoint,
    client,
    documents,
    streams,
    async stop() {
      client.destroy();
      streams.destroy();
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

async function printedEndpoint(child) {
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const found = /^ {2}endpoint {2}(\S+)$/.exec(line);
    if (found) return found[1];
  }
  throw new Error("the server ended without printing its endpoint");
}
