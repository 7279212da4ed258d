"""Expressions: one syntax tree that is parsed, bound, rendered and evaluated."""
