"""What pages show of a resource: its lists as lists, its logo as a link."""

from __future__ import annotations

from typing import Any

from partita.apps.kelifax.formats import category_name, split_features, split_learning, split_tags
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.service import CATEGORIES, KelifaxService

OPTIONS = [(category, category_name(category)) for category in CATEGORIES]
"""The categories, to choose from."""


def shown(service: KelifaxService, resource: Resource) -> dict[str, Any]:
    """A resource for the page that shows all of it."""
    return {
        "resource": resource,
        "tags": split_tags(resource.tags),
        "features": split_features(resource.key_features),
        "use_cases": split_features(resource.use_cases),
        "learning": split_learning(resource.learning_resources),
        "logo": service.logo_url(resource),
    }
