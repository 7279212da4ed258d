"""Three systems to copy: a shop, a multi-tenant service, a chat."""
