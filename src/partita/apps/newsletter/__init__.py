"""The newsletter generator, and the proposal writer beside it."""
