"""Middleware as plain ASGI: one idea each, a few microseconds each."""
