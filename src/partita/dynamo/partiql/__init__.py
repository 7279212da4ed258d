"""PartiQL as DynamoDB speaks it: statements from text to values, onto the same conditions and updates as elsewhere."""
