"""A shop in one table."""
