// An event source mapping: turns records of the Streams API into the events that Lambda hands to
// functions, filters them, and calls a function with batches of them.

import { Walker } from "./lineage.js";

/** A value as it is in an event, which is JSON: binaries are base64. */
const json = (value) => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(json);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, json(inner)]));
};

/** One record as a function sees it. */
export function lambdaRecord({ dynamodb, userIdentity, ...record }, eventSourceARN) {
  const { ApproximateCreationDateTime, ...body } = dynamodb;
  const seconds = Math.floor(ApproximateCreationDateTime.getTime() / 1000);
  const event = { ...record, eventSourceARN };
  event.dynamodb = { ...json(body), ApproximateCreationDateTime: seconds };
  if (userIdentity) {
    event.userIdentity = { type: userIdentity.Type, principalId: userIdentity.PrincipalId };
  }
  return event;
}

/** Whether a record fits a filter pattern: each leaf is a list of the values it may have. */
export function matches(pattern, record) {
  if (Array.isArray(pattern)) return pattern.includes(record);
  return Object.entries(pattern).every(
    ([name, inner]) => record !== undefined && matches(inner, record?.[name]),
  );
}

/** Polls a stream for a function. */
export class EventSourceMapping {
  #walker;
  #arn;
  #handler;
  #batchSize;
  #pattern;

  constructor(client, arn, handler, { batchSize = 100, pattern = {} } = {}) {
    this.#walker = new Walker(client, arn);
    this.#arn = arn;
    this.#handler = handler;
    this.#batchSize = batchSize;
    this.#pattern = pattern;
  }

  /** Hands on all there is; gives the records that the function was called with. */
  async poll() {
    const batches = new Map();
    for await (const { shard, record } of this.#walker.records()) {
      const event = lambdaRecord(record, this.#arn);
      if (!matches(this.#pattern, event)) continue;
      if (!batches.has(shard)) batches.set(shard, []);
      batches.get(shard).push(event);
    }
    for (const records of batches.values()) {
      for (let start = 0; start < records.length; start += this.#batchSize) {
        await this.#handler({ Records: records.slice(start, start + this.#batchSize) });
      }
    }
    return [...batches.values()].flat();
  }
}
