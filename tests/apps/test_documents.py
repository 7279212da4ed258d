"""Every example item of the design documents is read as its type and written back unchanged."""

from typing import Any

import pytest

from partita.apps.enablement import schema as enablement
from partita.apps.fus import schema as fus
from partita.apps.kelifax import examples as kelifax_examples
from partita.apps.kelifax import formats
from partita.apps.kelifax import schema as kelifax
from partita.apps.newsletter import examples as newsletter_examples
from partita.apps.worthwatch import examples as worthwatch_examples
from partita.dynamo.python_values import item_from_python
from partita.table import Item

# The documents that only list attributes: an item as their tables describe it.
SITE = {
    "PK": "SITE#1",
    "SK": "METADATA",
    "url": "https://example.org",
    "title": "Example",
    "description": "",
    "scrapedContent": "",
    "tags": ["javascript"],
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
    "entityType": "SITE",
    "entitySk": "SITE#1",
}
CONTENT = {
    "content_id": "c1",
    "status": "Approved",
    "title": "Guide",
    "summary": "",
    "product_suite": "Suite",
    "product_concept": "Concept",
    "owner_user_id": "u1",
    "tags": ["a"],
    "version": "1.0",
    "last_updated": "2026-01-26T10:30:00Z",
    "GSI1PK": "Approved",
    "GSI1SK": "Approved#2026-01-26T10:30:00Z#c1",
    "GSI2PK": "Suite#Concept",
    "GSI2SK": "2026-01-26T10:30:00Z#c1",
}
EVENT = {
    "date_bucket": "2026-01-26",
    "ts#event_id": "2026-01-26T10:30:00Z#e1",
    "event_id": "e1",
    "event_name": "view",
    "timestamp": "2026-01-26T10:30:00Z",
}
NOTIFICATION = {
    "user_id": "u1",
    "created_at#notification_id": "2026-01-26T10:30:00Z#n1",
    "notification_id": "n1",
    "type": "info",
    "title": "New content",
    "message": "Have a look",
    "read": False,
    "created_at": "2026-01-26T10:30:00Z",
}
SUBSCRIPTION = {
    "user_id": "u1",
    "subscription_id": "s1",
    "product_suite": "Suite",
    "tags": ["pricing"],
    "created_at": "2026-01-26T10:30:00Z",
}
# What we add beside the documented attributes: keys of the indexes that solve the traps.
ADDED = {"listedContent", "positionIn", "positionKey", "status_product", "status_suite", "status_audience", "upvotes"}


@pytest.mark.parametrize(
    ("item_type", "example"),
    [
        *kelifax_examples.DOCUMENTED.items(),
        *worthwatch_examples.DOCUMENTED.items(),
        *newsletter_examples.DOCUMENTED.items(),
        (fus.Site, SITE),
        (enablement.Content, CONTENT),
        (enablement.Event, EVENT),
        (enablement.Notification, NOTIFICATION),
        (enablement.Subscription, SUBSCRIPTION),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_an_example_of_the_document_is_read_as_its_type_and_written_back_unchanged(
    item_type: type[Item], example: dict[str, Any]
) -> None:
    row = item_from_python(example)
    owners = [kind for kind in item_type.__table__.item_types if kind.owns(row)]
    assert owners == [item_type]
    written = item_type.from_row(row).to_row()
    made = item_type.__layout__.derived_names()
    assert {name: value for name, value in written.items() if name in row or name not in (*ADDED, *made)} == row


LEARNING = kelifax_examples.DOCUMENTED[kelifax.Resource]["learningResources"]
FEATURES = (
    "Real-time collaboration with team members",
    "Integrated debugging and testing tools",
    "Automated code generation and refactoring",
)


def test_kelifaxs_formats_read_back_the_way_the_document_reads_them() -> None:
    assert formats.join_tags(("productivity", "development")).split(",") == ["productivity", "development"]
    assert formats.join_features(FEATURES).split("|") == list(FEATURES)
    assert formats.split_features(formats.join_features(FEATURES)) == FEATURES
    assert formats.split_features(formats.join_features(())) == ()
    resources = formats.split_learning(LEARNING)
    assert [resource.title for resource in resources] == ["Getting Started", "Video Tutorial"]
    assert formats.join_learning(resources) == LEARNING


def test_a_pipe_inside_a_learning_resource_survives_a_plain_split() -> None:
    resource = formats.LearningResource(title="a|b", url="https://x.org/?q=|", type="video")
    stored = formats.join_learning([resource, resource])
    assert len(stored.split("|")) == 2
    assert formats.split_learning(stored) == (resource, resource)


@pytest.mark.parametrize(("join", "part"), [(formats.join_tags, "a,b"), (formats.join_features, "a|b")])
def test_a_separator_inside_a_part_is_a_clear_error(join: Any, part: str) -> None:
    with pytest.raises(formats.SeparatorError, match="separates parts"):
        join([part])


def test_search_text_combines_what_the_document_combines() -> None:
    text = formats.search_text("Amazing Dev Tool", ("productivity", "automation"), "development", ())
    assert text == "amazing dev tool development productivity automation"
