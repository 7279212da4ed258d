"""Crash tests: processes that write are killed at random moments; afterwards nothing acknowledged may be missing."""
