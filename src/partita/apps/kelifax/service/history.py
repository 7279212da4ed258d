"""The history of a resource: what is recorded of it, and decisions as a timeline."""

from __future__ import annotations

from partita.apps.kelifax.formats import LICENCES, PRICINGS, LearningResource, category_name
from partita.apps.kelifax.schema import CATEGORIES, Decision, Resource
from partita.kit.history import Field, FieldChange, Fields, TimelineEntry
from partita.kit.history.following import ANOTHER_PROGRAM


def _learning(resource: Resource) -> tuple[str, ...]:
    return tuple(map(_spelled, resource.learning_list))


def _spelled(each: LearningResource) -> str:
    return f"{each.title} ({each.type}), {each.url}"


RESOURCE_FIELDS = Fields(
    Field("resourceName", "Name", "resource_name"),
    Field("category", "Category", "category", choices={each: category_name(each) for each in CATEGORIES}),
    Field("resourceUrl", "Address", "resource_url"),
    Field("usagePurpose", "Purpose", "usage_purpose"),
    Field("tags", "Tags", "tag_list"),
    Field("licence", "Licence", "licence", choices=LICENCES),
    Field("pricing", "Price", "pricing", choices=PRICINGS),
    Field("keyFeatures", "Key features", "feature_list"),
    Field("useCases", "Use cases", "use_case_list"),
    Field("learningResources", "Learning resources", _learning),
)
"""What moderators edit, with the labels of the form."""
_KINDS = {"approve": "good", "reject": "bad", "delete": "bad"}


def foreign_decision(resource: Resource, at: str, entry_id: str, edits: tuple[FieldChange, ...]) -> Decision:
    """The entry for what another program has changed."""
    return Decision(
        slug=resource.resource_slug,
        logged_at=at,
        entry_id=entry_id,
        by=ANOTHER_PROGRAM,
        action="edit",
        changed=tuple(each.name for each in edits),
        edits=edits,
    )


def timeline_entry(decision: Decision) -> TimelineEntry:
    """A decision as a timeline shows it. Edits of earlier times have only the names of what they changed."""
    changes = RESOURCE_FIELDS.readable(decision.edits)
    labels = RESOURCE_FIELDS.labels
    names = ", ".join(labels.get(name, name) for name in decision.changed).lower()
    return TimelineEntry(
        who=decision.by,
        when=decision.logged_at,
        what=decision.action_name,
        kind=_KINDS.get(decision.action, ""),
        note=decision.reason or (f"Changed {names}" if names and not changes else ""),
        changes=changes,
    )
