"""The newsletter generator over HTTP."""

from __future__ import annotations

from partita.apps.newsletter.api import (
    approval,
    brand,
    draft,
    drafting,
    exports,
    generators,
    history,
    images,
    links,
    newsletters,
    notes,
    outline,
    prompts,
    proposal_citations,
    proposal_reviews,
    proposals,
    retrieval,
    shares,
    sources,
    steps,
    topics,
)
from partita.apps.newsletter.service import NewsletterService
from partita.kit.routes import Routes

_NOUNS = (
    approval,
    brand,
    draft,
    drafting,
    exports,
    generators,
    history,
    images,
    links,
    newsletters,
    notes,
    outline,
    prompts,
    proposal_citations,
    proposal_reviews,
    proposals,
    retrieval,
    shares,
    steps,
    topics,
    sources,
)
"""Sources come last: `/sources/{source_id}` is any word, and some have a meaning of their own."""


def routes(service: NewsletterService) -> Routes:
    """The API."""
    api = Routes("/api/newsletter", tag="newsletter")
    for noun in _NOUNS:
        noun.add(api, service)
    return api
