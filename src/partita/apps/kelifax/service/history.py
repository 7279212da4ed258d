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


_CATEGORIES: dict[str, str] = {each: category_name(each) for each in CATEGORIES}
RESOURCE_FIELDS = Fields(
    Field("resourceName", "Name", "resource_name"),
    Field("category", "Category", "category", choices=_CATEGORIES),
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


def submission_fields(typed_logo: str, stored_logo: str) -> Fields:
    """What a submitter edits, by the names and labels of the three steps. The two logos are told apart by words."""
    logos = {stored_logo: "The logo that is stored", typed_logo: "The logo of your form"}
    return Fields(
        Field("submitter.firstName", "First name", "submitter_first_name"),
        Field("submitter.lastName", "Last name", "submitter_last_name"),
        Field("submitter.companyEmail", "Email", "submitter_email"),
        Field("submitter.company", "Company", "submitter_company"),
        Field("submitter.phoneNumber", "Phone", "submitter_phone"),
        Field("resource.resourceName", "Name", "resource_name"),
        Field("resource.category", "Category", "category", choices=_CATEGORIES),
        Field("resource.resourceUrl", "Address", "resource_url"),
        Field("resource.usagePurpose", "Purpose", "usage_purpose"),
        Field("resource.tags", "Tags", "tags"),
        Field("resource.licence", "Licence", "licence", choices=LICENCES),
        Field("resource.pricing", "Price", "pricing", choices=PRICINGS),
        Field("resource.logoImage", "Logo", "logo_image", choices={name: said for name, said in logos.items() if name}),
        Field("details.keyFeatures", "Key features", "feature_list"),
        Field("details.useCases", "Use cases", "use_case_list"),
        Field("details.learningResources", "Learning resources", _learning),
    )


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
