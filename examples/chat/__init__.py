"""Rooms full of messages."""
