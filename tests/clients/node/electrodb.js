// Loans of a library with ElectroDB: composite keys, an index, cursors, batches and transactions.
import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import electrodb from "electrodb";

import { client, print } from "./connection.js";

const { Entity, Service } = electrodb;
const table = "loans";
const seen = {};

const names = ["pk", "sk", "gsi1pk", "gsi1sk"];
await client.send(
  new CreateTableCommand({
    TableName: table,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "gsi1",
        KeySchema: [
          { AttributeName: "gsi1pk", KeyType: "HASH" },
          { AttributeName: "gsi1sk", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  }),
);
await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: table });

const Loan = new Entity(
  {
    model: { entity: "loan", version: "1", service: "library" },
    attributes: {
      branch: { type: "string", required: true },
      book: { type: "string", required: true },
      member: { type: "string", required: true },
      due: { type: "string", required: true },
      renewals: { type: "number", default: 0 },
      fine: { type: "number" },
      notes: { type: "list", items: { type: "string" } },
      tags: { type: "set", items: "string" },
    },
    indexes: {
      loan: { pk: { field: "pk", composite: ["branch"] }, sk: { field: "sk", composite: ["book"] } },
      byMember: {
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["member"] },
        sk: { field: "gsi1sk", composite: ["due"] },
      },
    },
  },
  { client, table },
);
const library = new Service({ loan: Loan }, { client, table });
const number = (count) => String(count).padStart(2, "0");

// More than one batch of 25.
const loans = Array.from({ length: 40 }, (_, count) => ({
  branch: "north",
  book: `book ${number(count)}`,
  member: count % 2 ? "ada" : "grace",
  due: `2026-01-${number(1 + (count % 28))}`,
  tags: ["new", `shelf ${count % 5}`],
}));
seen.unprocessed = (await Loan.put(loans).go()).unprocessed.length;
const some = loans.slice(0, 3).map(({ branch, book }) => ({ branch, book }));
seen.fetched = (await Loan.get(some).go({ preserveBatchOrder: true })).data.map((loan) => loan.book);

// Every page of a partition, by cursors.
seen.pages = [];
let cursor = null;
do {
  const page = await Loan.query.loan({ branch: "north" }).go({ limit: 15, cursor });
  seen.pages.push(page.data.length);
  cursor = page.cursor;
} while (cursor !== null);
seen.all = (await Loan.query.loan({ branch: "north" }).go({ pages: "all" })).data.length;
seen.beginning = (await Loan.query.loan({ branch: "north" }).begins({ book: "book 1" }).go()).data.length;

// An index, backwards, between two days, with a filter.
const between = await Loan.query
  .byMember({ member: "ada" })
  .between({ due: "2026-01-02" }, { due: "2026-01-08" })
  .where(({ tags }, { contains }) => contains(tags, "shelf 1"))
  .go({ order: "desc" });
seen.between = between.data.map((loan) => loan.book);

const key = { branch: "north", book: "book 07" };
const renewed = await Loan.patch(key)
  .add({ renewals: 2 })
  .set({ fine: 0.35 })
  .delete({ tags: ["new"] })
  .go({ response: "all_new" });
seen.renewed = renewed.data;
await Loan.patch(key).subtract({ fine: 0.1 }).append({ notes: ["called"] }).go();
await Loan.patch(key).append({ notes: ["wrote"] }).remove(["tags"]).go();
seen.changed = (await Loan.get(key).go({ consistent: true })).data;

// Conditions that fail.
const refusal = (error) => (error.cause ?? error).name;
seen.refused = [
  await Loan.create(loans[7]).go().catch(refusal),
  await Loan.patch({ branch: "north", book: "no such book" }).set({ fine: 1 }).go().catch(refusal),
  await Loan.update(key)
    .set({ fine: 9 })
    .where(({ renewals }, { lt }) => lt(renewals, 1))
    .go()
    .catch(refusal),
];

// A transaction that is canceled, and one that is not.
const elsewhere = { ...loans[0], branch: "south" };
const canceled = await library.transaction
  .write(({ loan }) => [
    loan.create(elsewhere).commit(),
    loan.check({ branch: "north", book: "no such book" }).where(({ book }, { exists }) => exists(book)).commit(),
  ])
  .go();
seen.canceled = [canceled.canceled, canceled.data.map((each) => each.code)];
seen.nothing = (await Loan.get(elsewhere).go()).data;
const moved = await library.transaction
  .write(({ loan }) => [loan.create(elsewhere).commit(), loan.remove(loans[0]).commit()])
  .go({ token: "a move of one book" });
seen.moved = moved.canceled;
const both = await library.transaction
  .get(({ loan }) => [loan.get(elsewhere).commit(), loan.get(loans[0]).commit()])
  .go();
seen.both = both.data.map((each) => each.item && each.item.branch);

seen.removed = (await Loan.delete(loans.slice(0, 30)).go()).unprocessed.length;
seen.left = (await Loan.scan.go({ pages: "all" })).data.length;
print(seen);
