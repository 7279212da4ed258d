"""Partita: five content systems for one instrument, the DynamoDB table."""

__version__ = "0.1.0"
