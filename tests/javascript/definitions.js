// The tables our users define, in API terms.

const attributes = (...names) =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: "S" }));

const key = (hash, range) => [
  { AttributeName: hash, KeyType: "HASH" },
  ...(range ? [{ AttributeName: range, KeyType: "RANGE" }] : []),
];

export const index = (IndexName, hash, range, Projection = { ProjectionType: "ALL" }) => ({
  IndexName,
  KeySchema: key(hash, range),
  Projection,
});

export const onDemand = (TableName, hash = "pk", range = undefined, more = {}, extra = []) => ({
  TableName,
  AttributeDefinitions: attributes(...[hash, range].filter(Boolean), ...extra),
  KeySchema: key(hash, range),
  BillingMode: "PAY_PER_REQUEST",
  ...more,
});

const gsiKeys = (count, prefix = "GSI") =>
  Array.from({ length: count }, (_, n) => [`${prefix}${n + 1}PK`, `${prefix}${n + 1}SK`]).flat();

const stream = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" };

export const usersTables = [
  {
    title: "Terraform",
    create: onDemand("app-dev", "PK", "SK", {
      GlobalSecondaryIndexes: [
        index("GSI1", "GSI1PK", "GSI1SK"),
        index("GSI2", "GSI2PK", "GSI2SK", {
          ProjectionType: "INCLUDE",
          NonKeyAttributes: ["type", "title", "status", "createdAt"],
        }),
      ],
      StreamSpecification: stream,
    }, gsiKeys(2)),
    timeToLive: "expiresAt",
    recovery: true,
  },
  { title: "Serverless", create: onDemand("MyAwesomeTable", "PK", "SK") },
  {
    title: "Serverless with an index",
    create: onDemand("MyAwesomeTable", "PK", "SK", {
      GlobalSecondaryIndexes: [index("GSI1", "GSI1PK", "GSI1SK")],
    }, gsiKeys(1)),
  },
  {
    title: "CloudFormation",
    create: onDemand("main-table", "PK", "SK", {
      GlobalSecondaryIndexes: [
        index("GSI1", "GSI1PK", "GSI1SK"),
        index("GSI2", "GSI2PK", "GSI2SK"),
      ],
      DeletionProtectionEnabled: true,
    }, gsiKeys(2)),
    recovery: true,
  },
  {
    title: "boto3",
    create: onDemand("ecommerce", "PK", "SK", {
      GlobalSecondaryIndexes: [1, 2, 3].map((n) => index(`GSI${n}`, `GSI${n}PK`, `GSI${n}SK`)),
    }, gsiKeys(3)),
    timeToLive: "TTL",
  },
  {
    title: "JavaScript orders",
    create: onDemand("Orders", "pk", "sk", {
      GlobalSecondaryIndexes: [index("GSI1", "gsi1pk", "gsi1sk")],
      StreamSpecification: stream,
    }, ["gsi1pk", "gsi1sk"]),
  },
  { title: "JavaScript sessions", create: onDemand("Sessions", "pk", "sk"), timeToLive: "ttl" },
  { title: "JavaScript accounts", create: onDemand("Accounts", "pk", "sk") },
  {
    title: "JavaScript store",
    create: onDemand("CheatCodersStore", "PK", "SK", {
      GlobalSecondaryIndexes: [index("GSI1", "GSI1PK", "GSI1SK")],
    }, gsiKeys(1)),
  },
];
