"""What every request passes, as plain ASGI: each one idea, each a few microseconds."""
