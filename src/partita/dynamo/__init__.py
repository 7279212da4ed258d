"""DynamoDB's language as pure values: values, numbers, sizes, expressions, requests, errors, capacity. No I/O."""
