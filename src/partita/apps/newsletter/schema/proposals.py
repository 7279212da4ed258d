"""The neighbour: a proposal is a single item under its own prefix."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter.formats import deadline_of
from partita.apps.newsletter.schema.main import BY_USER, DUE, MAIN, TOUCHED, ProposalCode, UnlessEmpty
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    access_pattern,
    attribute,
    derived,
    version,
)
from partita.table.types import Timestamp


class Proposal(
    Item,
    table=MAIN,
    pk="PROPOSAL#{proposal_code}",
    sk="METADATA",
    keys={"GSI1PK": "USER#{user_id}", "GSI1SK": "PROPOSAL#{created_at}"},
):
    """A proposal, all of its data in one item."""

    id: Attribute[str]
    proposal_code: Attribute[ProposalCode] = attribute("proposalCode")
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    description: Attribute[str] = attribute(default="", max_length=5000)
    status: Attribute[str] = attribute(default="draft")
    user_id: Attribute[str]
    user_email: Attribute[str] = attribute(default="")
    user_name: Attribute[str] = attribute(default="")
    uploaded_files: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    """Kind (call, reference, annex) → list of `name`, `s3_key`, `size`, `type`, `time`; plain texts are read too."""
    text_inputs: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=100_000)
    """Section key → Markdown."""
    metadata: Attribute[dict[str, Any]] = attribute(default_factory=dict, examples=[{"deadline": "2026-03-31"}])
    """`frame`, `sections`, `applicant`, `funder`, `call_url`, `deadline`, `amount`, `currency`, `language`, `theme`,
    `requirements`; at most 60 KB."""
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]

    # Ours
    revision: Attribute[int] = version()
    exports: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict)
    citations: Attribute[UnlessEmpty[tuple[dict[str, Any], ...]]] = attribute(default=(), large=32_000)
    made_with: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict, large=32_000)
    """Key of a section that was drafted from sources → what a draft keeps of how it was made."""
    touched_at: Attribute[Timestamp | None] = attribute("touchedAt", default=None)
    touched_by: Attribute[str | None] = derived(
        lambda user_id, touched_at: None if touched_at is None else f"PROPOSAL#{user_id}", name="touchedBy"
    )
    due_at: Attribute[str | None] = derived(lambda metadata: deadline_of(metadata), name="dueAt")
    due_by: Attribute[str | None] = derived(
        lambda user_id, metadata: None if deadline_of(metadata) is None else f"PROPOSAL#{user_id}", name="dueBy"
    )


@access_pattern(
    "Get proposal by code",
    MAIN,
    documented="Comparison with Proposal Writer: Single item (all data)",
    proposal_code="PROP-20260126-A1B2",
)
def proposal(proposal_code: str) -> Get[Proposal]:
    return Proposal.get(Proposal.proposal_code(proposal_code))


@access_pattern(
    "A proposal as lists show it, without its texts", MAIN, documented=False, proposal_code="PROP-20260126-A1B2"
)
def proposal_in_list(proposal_code: str) -> Query[Proposal]:
    """By its whole key, so that a part of it can be fetched."""
    return Proposal.query(Proposal.proposal_code(proposal_code))


@access_pattern(
    "List user's proposals",
    MAIN,
    documented="Comparison with Proposal Writer: GSI1SK PROPOSAL#timestamp",
    user_id="user123",
)
def proposals_of(user_id: str) -> Query[Proposal]:
    return Proposal.query(BY_USER, Proposal.user_id(user_id)).newest_first()


@access_pattern("A user's proposals, last edited first", MAIN, documented=False, user_id="user123")
def proposals_touched(user_id: str) -> Query[Proposal]:
    return Proposal.query(TOUCHED, Proposal.touched_by(f"PROPOSAL#{user_id}")).newest_first()


@access_pattern("A user's proposals by deadline", MAIN, documented=False, user_id="user123")
def proposals_due(user_id: str) -> Query[Proposal]:
    return Proposal.query(DUE, Proposal.due_by(f"PROPOSAL#{user_id}"))


@access_pattern(
    "Several proposals, such as those shared with somebody",
    MAIN,
    documented=False,
    proposal_codes=("PROP-20260126-A1B2", "PROP-20260126-A1B3"),
)
def proposals_with(proposal_codes: tuple[str, ...]) -> BatchGet[Proposal]:
    return BatchGet(tuple(Proposal.key(Proposal.proposal_code(code)) for code in proposal_codes))
