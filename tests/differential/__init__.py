"""The differential test: the same generated requests to this engine and to others, every difference explained."""
