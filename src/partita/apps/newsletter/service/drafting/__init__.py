"""Making outlines and drafts: the steps in which writers work, from what is stored and back."""

from partita.apps.newsletter.service.drafting.steps import Drafting

__all__ = ["Drafting"]
