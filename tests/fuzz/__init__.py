"""Hostile input at the door: no 500, no crash, bounded memory."""
