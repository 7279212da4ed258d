// Films with dynamodb-toolbox: schemas, an index with a number, pages, batches and transactions.
import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add,
  $append,
  $delete,
  $get,
  $remove,
  $set,
  BatchDeleteRequest,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  ConditionCheck,
  DeleteItemCommand,
  DeleteTransaction,
  Entity,
  executeBatchGet,
  executeBatchWrite,
  executeTransactGet,
  executeTransactWrite,
  GetItemCommand,
  GetTransaction,
  item,
  list,
  map,
  number,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  ScanCommand,
  set,
  string,
  Table,
  UpdateItemCommand,
} from "dynamodb-toolbox";

import { client, print } from "./connection.js";

const seen = {};

await client.send(
  new CreateTableCommand({
    TableName: "films",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "country", AttributeType: "S" },
      { AttributeName: "title", AttributeType: "S" },
      { AttributeName: "director", AttributeType: "S" },
      { AttributeName: "year", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "country", KeyType: "HASH" },
      { AttributeName: "title", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "byDirector",
        KeySchema: [
          { AttributeName: "director", KeyType: "HASH" },
          { AttributeName: "year", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  }),
);
await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: "films" });

const films = new Table({
  name: "films",
  partitionKey: { name: "country", type: "string" },
  sortKey: { name: "title", type: "string" },
  indexes: {
    byDirector: {
      type: "global",
      partitionKey: { name: "director", type: "string" },
      sortKey: { name: "year", type: "number" },
    },
  },
  documentClient: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
});
const Film = new Entity({
  name: "film",
  table: films,
  timestamps: false,
  schema: item({
    country: string().key(),
    title: string().key(),
    director: string(),
    year: number(),
    stars: number().default(0),
    score: number().optional(),
    awards: set(string()).optional(),
    cast: list(string()).optional(),
    place: map({ city: string(), rooms: number() }).optional(),
  }),
});

const all = Array.from({ length: 30 }, (_, count) => ({
  country: "JP",
  title: `film ${String(count).padStart(2, "0")}`,
  director: count % 3 ? "Ozu" : "Naruse",
  year: 1930 + count,
  awards: new Set(["Kinema", `prize ${count}`]),
}));
const puts = all.map((film) => Film.build(BatchPutRequest).item(film));
for (const chunk of [puts.slice(0, 25), puts.slice(25)]) {
  await executeBatchWrite({ maxAttempts: 3 }, films.build(BatchWriteCommand).requests(...chunk));
}

const keys = all.slice(0, 3).map(({ country, title }) => ({ country, title }));
const gets = films.build(BatchGetCommand).requests(...keys.map((key) => Film.build(BatchGetRequest).key(key)));
const { Responses: fetched } = await executeBatchGet(gets);
seen.fetched = fetched[0].map((film) => [film.title, film.awards]);

// Every page, by the last key of the one before.
seen.pages = [];
let exclusiveStartKey;
do {
  const page = await films
    .build(QueryCommand)
    .query({ partition: "JP" })
    .entities(Film)
    .options({ limit: 12, exclusiveStartKey })
    .send();
  seen.pages.push(page.Items.length);
  exclusiveStartKey = page.LastEvaluatedKey;
} while (exclusiveStartKey !== undefined);

const byDirector = await films
  .build(QueryCommand)
  .query({ index: "byDirector", partition: "Ozu", range: { between: [1934, 1941] } })
  .entities(Film)
  .options({ reverse: true, filters: { film: { attr: "awards", contains: "prize 5" } }, attributes: ["title", "year"] })
  .send();
seen.byDirector = byDirector.Items;
const byNaruse = films.build(QueryCommand).query({ index: "byDirector", partition: "Naruse" });
seen.counted = (await byNaruse.options({ select: "COUNT" }).send()).Count;
const segments = await Promise.all(
  [0, 1, 2].map((segment) => films.build(ScanCommand).entities(Film).options({ totalSegments: 3, segment }).send()),
);
seen.scanned = segments.reduce((sum, page) => sum + page.Items.length, 0);

const key = keys[1];
const updated = await Film.build(UpdateItemCommand)
  .item({
    ...key,
    stars: $add(2),
    score: 7.25,
    awards: $delete(new Set(["Kinema"])),
    cast: $set(["Hara"]),
    place: $set({ city: "Kamakura", rooms: 3 }),
  })
  .options({ returnValues: "ALL_NEW" })
  .send();
seen.updated = updated.Attributes;
await Film.build(UpdateItemCommand)
  .item({ ...key, cast: $append(["Ryu"]), place: { rooms: $add(1) }, score: $get("year"), awards: $remove() })
  .options({ condition: { attr: "place.city", beginsWith: "Kama" } })
  .send();
seen.changed = (await Film.build(GetItemCommand).key(key).options({ consistent: true }).send()).Item;

// Conditions that fail, and what the item was.
const refusal = (error) => error.name;
const absent = { attr: "title", exists: false };
seen.refused = [
  await Film.build(PutItemCommand).item(all[2]).options({ condition: absent }).send().catch(refusal),
  await Film.build(DeleteItemCommand)
    .key(keys[2])
    .options({ condition: { attr: "stars", gt: 3 }, returnValuesOnConditionFalse: "ALL_OLD" })
    .send()
    .catch((error) => [error.name, error.Item.title]),
];

// A transaction that is canceled, and one that is not.
const added = { country: "FR", title: "film 30", director: "Varda", year: 1962 };
const gone = { country: "FR", title: "no such film" };
seen.canceled = await executeTransactWrite(
  Film.build(PutTransaction).item(added),
  Film.build(ConditionCheck).key(gone).condition({ attr: "title", exists: true }),
).catch((error) => [error.name, error.CancellationReasons.map((reason) => reason.Code)]);
seen.nothing = (await Film.build(GetItemCommand).key(added).send()).Item ?? null;
await executeTransactWrite(
  { clientRequestToken: "one film for another" },
  Film.build(PutTransaction).item(added).options({ condition: absent }),
  Film.build(DeleteTransaction).key(keys[0]),
);
const both = await executeTransactGet(Film.build(GetTransaction).key(added), Film.build(GetTransaction).key(keys[0]));
seen.both = both.Responses.map((each) => each.Item?.director ?? null);

const deleted = await Film.build(DeleteItemCommand).key(added).options({ returnValues: "ALL_OLD" }).send();
seen.deleted = deleted.Attributes.year;
const deletes = all.slice(5).map(({ country, title }) => Film.build(BatchDeleteRequest).key({ country, title }));
await executeBatchWrite(films.build(BatchWriteCommand).requests(...deletes));
seen.left = (await films.build(ScanCommand).entities(Film).send()).Items.map((film) => film.title);
print(seen);
