"""Power cuts: a disk that forgets, at random, what was not synced; afterwards nothing acknowledged may be missing."""
