"""Schemas of common shapes, as somebody else would write them."""
