"""The state of a proposal, and where it can go from there."""

from __future__ import annotations

from partita.kit.problems import Conflict

STATUSES = {
    "draft": "Draft",
    "in_review": "In review",
    "ready": "Ready to submit",
    "submitted": "Submitted",
    "accepted": "Accepted",
    "declined": "Declined",
    "archived": "Archived",
}
"""Stored word → as people read it; other words in old rows are shown as they are."""
_NEXT: dict[str, tuple[str, ...]] = {
    "draft": ("in_review",),
    "in_review": ("ready", "draft"),
    "ready": ("submitted", "draft"),
    "submitted": ("accepted", "declined"),
}


def next_states(status: str) -> tuple[str, ...]:
    """Where a proposal can go; from anywhere into the archive, and from a word of another program back to a draft."""
    if status == "archived":
        return ()
    known = _NEXT.get(status, ()) if status in STATUSES else ("draft",)
    return (*known, "archived")


def check_move(status: str, wanted: str) -> None:
    """Refuse a step that is none."""
    if wanted not in next_states(status):
        now = STATUSES.get(status, status)
        onward = ", ".join(f"“{STATUSES[each]}”" for each in next_states(status)) or "nothing"
        raise Conflict(
            f"It is “{now}”; from there it can become {onward}, not “{STATUSES.get(wanted, wanted)}”.",
            code="wrong_status",
        )


def is_editable(status: str) -> bool:
    """Whether its text can be changed: what was sent stays as it was sent."""
    return status not in ("submitted", "accepted", "declined", "archived")
