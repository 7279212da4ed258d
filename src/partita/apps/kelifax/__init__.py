"""Kelifax: a public, moderated directory of developer resources."""
