// The client that all programs use: the server is named on the command line.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

export const client = new DynamoDBClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "any", secretAccessKey: "any" },
});

// What a program has seen, as JSON: sets as sorted lists, so that it can be compared.
export function print(seen) {
  const plain = (_, value) => (value instanceof Set ? [...value].sort() : value);
  console.log(JSON.stringify(seen, plain));
}
