"""The pages of the newsletter generator."""

from __future__ import annotations

from partita.apps.newsletter.pages import (
    approval,
    brand,
    draft,
    exports,
    generators,
    history,
    links,
    newsletters,
    outline,
    prompts,
    proposal_citations,
    proposal_reviews,
    proposals,
    retrieval,
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
    exports,
    generators,
    history,
    links,
    newsletters,
    outline,
    prompts,
    proposal_citations,
    proposal_reviews,
    proposals,
    retrieval,
    steps,
    topics,
    sources,
)
"""Sources come last: `/sources/{source_id}` is any word, and some have a meaning of their own."""


def routes(service: NewsletterService) -> Routes:
    """The pages."""
    pages = Routes("/newsletter", tag="newsletter", pages=True)
    for noun in _NOUNS:
        noun.add(pages, service)
    return pages
