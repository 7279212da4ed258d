"""The commands that need more than a few lines, a file each."""
