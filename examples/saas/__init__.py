"""A service with many tenants, and nothing between them."""
