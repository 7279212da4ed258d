"""What is still kept of somebody after they were erased, and for how long."""

from __future__ import annotations

from partita.kit.settings import Settings

_BACKUPS = "Backups that were made before keep it until they are deleted."
_MOST_DAYS = 35
"""How long DynamoDB keeps earlier states at most."""


def still_kept(settings: Settings) -> str:
    """Read by whoever is about to erase."""
    days = settings.recovery_days
    if settings.backend != "embedded":
        return (
            "If earlier states of the database are kept, whoever runs Partita can still bring back what was erased, for"
            f" up to {_MOST_DAYS} days. {_BACKUPS}"
        )
    if days == 0:
        return (
            "What was erased cannot be brought back, except from a backup; records of the change are on the disk for"
            f" one more day. {_BACKUPS}"
        )
    so_long = "one more day" if days == 1 else f"{days} more days"
    return (
        f"For {so_long}, whoever runs Partita can still bring back what was erased. Then it is gone from the disk too."
        f" {_BACKUPS}"
    )
