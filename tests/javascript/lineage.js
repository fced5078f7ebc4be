// Reads a stream along the lineage of its shards: a shard once its parent is at its end.

import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from "@aws-sdk/client-dynamodb-streams";

/** All shards of a stream, page by page. */
export async function shardsOf(client, StreamArn, Limit = 100) {
  const shards = [];
  for (let start; ; ) {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({ StreamArn, Limit, ExclusiveStartShardId: start }),
    );
    shards.push(...StreamDescription.Shards);
    start = StreamDescription.LastEvaluatedShardId;
    if (!start) return shards;
  }
}

/** One reader of a stream, which remembers how far it has come. */
export class Walker {
  #client;
  #arn;
  #options;
  #iterators = new Map();
  shards = new Map();
  ended = new Set();

  constructor(client, arn, options = {}) {
    this.#client = client;
    this.#arn = arn;
    this.#options = options;
  }

  /** The records there are by now that were not given before, with their shards. */
  async *records() {
    for (let moved = true; moved; ) {
      moved = false;
      for (const shard of await shardsOf(this.#client, this.#arn, 3)) {
        this.shards.set(shard.ShardId, shard);
      }
      for (const shard of this.#ready()) {
        const { Records, NextShardIterator } = await this.#client.send(
          new GetRecordsCommand({
            ShardIterator: await this.#iterator(shard),
            ...this.#options,
          }),
        );
        if (NextShardIterator) this.#iterators.set(shard, NextShardIterator);
        else this.ended.add(shard);
        moved ||= Records.length > 0 || !NextShardIterator;
        for (const record of Records) yield { shard, record };
      }
    }
  }

  #ready() {
    return [...this.shards.values()]
      .filter(({ ShardId, ParentShardId }) => {
        const waits = this.shards.has(ParentShardId) && !this.ended.has(ParentShardId);
        return !this.ended.has(ShardId) && !waits;
      })
      .map(({ ShardId }) => ShardId);
  }

  async #iterator(ShardId) {
    if (!this.#iterators.has(ShardId)) {
      const { ShardIterator } = await this.#client.send(
        new GetShardIteratorCommand({
          StreamArn: this.#arn,
          ShardId,
          ShardIteratorType: "TRIM_HORIZON",
        }),
      );
      this.#iterators.set(ShardId, ShardIterator);
    }
    return this.#iterators.get(ShardId);
  }
}
