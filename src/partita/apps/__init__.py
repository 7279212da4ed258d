"""The five systems."""
