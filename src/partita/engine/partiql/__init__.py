"""PartiQL on the engine: statements become the reads and writes that every other operation is made of."""
