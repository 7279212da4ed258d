// Accounts, users and visits with dynamodb-onetable: one table, unique names, an index, pages and transactions.
import { Dynamo } from "dynamodb-onetable/Dynamo";
import { Table } from "dynamodb-onetable";

import { client, print } from "./connection.js";

const seen = {};
const table = new Table({
  name: "accounts",
  client: new Dynamo({ client }),
  partial: true,
  isoDates: true,
  logger: false,
  schema: {
    format: "onetable:1.1.0",
    version: "1.0.0",
    indexes: {
      primary: { hash: "pk", sort: "sk" },
      gs1: { hash: "gs1pk", sort: "gs1sk", project: "all" },
    },
    models: {
      Account: {
        pk: { type: String, value: "account:${name}" },
        sk: { type: String, value: "account:" },
        name: { type: String, required: true },
        users: { type: Number, default: 0 },
        balance: { type: Number, default: 0 },
      },
      User: {
        pk: { type: String, value: "account:${account}" },
        sk: { type: String, value: "user:${email}" },
        gs1pk: { type: String, value: "role:${role}" },
        gs1sk: { type: String, value: "user:${email}" },
        account: { type: String, required: true },
        email: { type: String, required: true, unique: true },
        role: { type: String, enum: ["reader", "writer"], required: true },
        joined: { type: Date },
        visits: { type: Number, default: 0 },
        topics: { type: Set },
        address: { type: Object, schema: { city: { type: String }, zip: { type: String } } },
      },
      Visit: {
        pk: { type: String, value: "account:${account}" },
        sk: { type: String, value: "visit:${number}" },
        account: { type: String, required: true },
        number: { type: String, required: true },
        seconds: { type: Number },
      },
    },
    params: { typeField: "_type" },
  },
});
await table.createTable();
seen.made = await table.exists();
const Account = table.getModel("Account");
const User = table.getModel("User");
const Visit = table.getModel("Visit");

const visible = ({ account, ...user }) => user;
seen.account = await Account.create({ name: "acme" });
for (const [count, name] of ["ada", "grace", "edsger"].entries()) {
  await User.create({
    account: "acme",
    email: `${name}@example.org`,
    role: count % 2 ? "reader" : "writer",
    joined: new Date(Date.UTC(2026, 0, 1 + count)),
    topics: new Set(["proofs", name]),
    address: { city: "Leiden", zip: "2311" },
  });
}
const ada = { account: "acme", email: "ada@example.org" };
seen.user = visible(await User.get(ada));

// Names that are taken, and conditions that fail.
const refusal = (error) => [error.constructor.name, error.code];
seen.refused = [
  await User.create({ ...ada, role: "reader" }).catch(refusal),
  await User.create({ ...ada, account: "other", role: "reader" }).catch(refusal),
  await User.update({ account: "acme", email: "nobody@example.org", visits: 1 }).catch(refusal),
  await User.update({ ...ada, role: "reader" }, { where: "${visits} > {3}" }).catch(refusal),
];

const changed = await User.update(ada, {
  add: { visits: 2 },
  set: { "address.city": "Delft" },
  delete: { topics: new Set(["ada"]) },
  return: "get", // a transaction does not return it
});
seen.changed = visible(changed);
seen.cleared = visible(await User.update(ada, { remove: ["topics"], add: { visits: -0.5 }, return: "get" }));

// A batch, and its pages, forwards and by a prefix.
const write = {};
for (let count = 0; count < 23; count++) {
  const number = String(count).padStart(3, "0");
  await Visit.create({ account: "acme", number, seconds: count * 1.5 }, { batch: write });
}
seen.batch = await table.batchWrite(write);
seen.pages = [];
let next;
do {
  const page = await Visit.find({ account: "acme" }, { limit: 10, next });
  seen.pages.push([page.length, page[0].number]);
  next = page.next;
} while (next);
const read = {};
for (const number of ["003", "004"]) await Visit.get({ account: "acme", number }, { batch: read });
const both = await table.batchGet(read, { parse: true, hidden: false });
seen.both = both.map((visit) => visit.seconds).sort((a, b) => a - b);
seen.long = (await Visit.find({ account: "acme" }, { where: "${seconds} >= {30}" })).map((visit) => visit.number);
const twenties = { pk: "account:acme", sk: { begins: "visit:02" } };
seen.last = (await Visit.find(twenties, { reverse: true })).map((visit) => visit.number);
seen.counted = (await Visit.find({ account: "acme" }, { count: true })).count;
seen.writers = (await User.find({ role: "writer" }, { index: "gs1" })).map((user) => user.email);
seen.scanned = (await Visit.scan()).length;

// A transaction that is canceled, and one that is not.
const move = (amount) => {
  const transaction = {};
  return Promise.all([
    Account.update({ name: "acme" }, { add: { balance: amount, users: 1 }, transaction }),
    Visit.create({ account: "acme", number: "100" }, { transaction }),
  ]).then(() => table.transact("write", transaction));
};
await move(1.25);
seen.canceled = await move(1.25).catch(refusal);
seen.balance = await Account.get({ name: "acme" });

await User.remove(ada);
seen.again = (await User.create({ ...ada, role: "reader" })).email; // the name is free
seen.collection = (await table.fetch(["Account", "User"], { pk: "account:acme" })).User.length;
await table.deleteTable("DeleteTableForever");
seen.left = await table.exists();
print(seen);
