// The two clients of the SDK: DynamoDB's own form of values, and plain JavaScript values.

import * as plain from "@aws-sdk/client-dynamodb";
import * as documents from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";

/** Each client with its commands, and how it writes an item. */
export const forms = [
  {
    title: "the client",
    send: (server, command) => server.client.send(command),
    item: (values) => marshall(values),
    BatchGet: plain.BatchGetItemCommand,
    BatchWrite: plain.BatchWriteItemCommand,
    TransactGet: plain.TransactGetItemsCommand,
    TransactWrite: plain.TransactWriteItemsCommand,
  },
  {
    title: "the document client",
    send: (server, command) => server.documents.send(command),
    item: (values) => values,
    BatchGet: documents.BatchGetCommand,
    BatchWrite: documents.BatchWriteCommand,
    TransactGet: documents.TransactGetCommand,
    TransactWrite: documents.TransactWriteCommand,
  },
];
