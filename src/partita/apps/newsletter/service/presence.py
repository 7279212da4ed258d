"""What belongs to a newsletter or proposal is written only while that is there."""

from __future__ import annotations

from partita.apps.newsletter.schema import Newsletter, Proposal
from partita.kit.problems import NotFound
from partita.table import Check


def still_there(subject: Newsletter | Proposal) -> Check[Newsletter] | Check[Proposal]:
    """The condition of a transaction that it was not deleted meanwhile."""
    gone = NotFound("It has just been deleted.")
    if isinstance(subject, Newsletter):
        return Check(subject.own_key, subject.own_key.present()).otherwise(gone)
    return Check(subject.own_key, subject.own_key.present()).otherwise(gone)
