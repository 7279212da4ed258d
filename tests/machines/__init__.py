"""Three machines on one DynamoDB, with faults between them: machines are killed, and the endpoint falls silent."""
