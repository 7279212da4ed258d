"""Every example item of the design documents is read as its type and written back unchanged."""

from typing import Any

import pytest

from partita.apps.enablement import schema as enablement
from partita.apps.fus import schema as fus
from partita.apps.kelifax import formats
from partita.apps.kelifax import schema as kelifax
from partita.apps.newsletter import schema as newsletter
from partita.apps.worthwatch import schema as worthwatch
from partita.dynamo.python_values import item_from_python
from partita.table import Item

RESOURCE = {
    "resourceSlug": "amazing-dev-tool",
    "submissionId": "uuid-v4-string",
    "resourceStatus": "pending",
    "createdAt": "2025-10-25T10:30:00Z",
    "submittedAt": "2025-10-25T10:30:00Z",
    "approvedAt": "",
    "rejectedAt": "",
    "rejectionReason": "",
    "submitterFirstName": "John",
    "submitterLastName": "Doe",
    "submitterEmail": "john@techcorp.com",
    "submitterCompany": "Tech Corp",
    "submitterPhone": "+1234567890",
    "resourceName": "Amazing Dev Tool",
    "resourceUrl": "https://amazingdevtool.com",
    "usagePurpose": "This tool helps developers...",
    "category": "development",
    "logoImage": "Amazing_Dev_Tool.png",
    "tags": "productivity,development,automation",
    "keyFeatures": "Automated code generation|Integrated debugging tools|Real-time collaboration",
    "useCases": "Rapid prototyping for startups|Enterprise app development",
    "learningResources": '{"title":"Getting Started","url":"https://docs.com","type":"documentation"}'
    '|{"title":"Video Tutorial","url":"https://video.com","type":"video"}',
    "searchText": "amazing dev tool development productivity automation",
    "featured": False,
    "viewCount": 0,
    "lastViewed": "",
    "submitterDomain": "techcorp.com",
}
USER = {
    "PK": "USER#123e4567-e89b-12d3-a456-426614174000",
    "SK": "PROFILE",
    "entityType": "USER",
    "userId": "123e4567-e89b-12d3-a456-426614174000",
    "email": "john@example.com",
    "username": "johndoe",
    "isCurator": True,
    "curatorStatus": "approved",
    "createdAt": "2026-01-15T10:30:00Z",
    "updatedAt": "2026-01-15T10:30:00Z",
}
WATCHLIST = {
    "PK": "WATCHLIST#abc12345-6789-0def-ghij-klmnopqrstuv",
    "SK": "METADATA",
    "entityType": "WATCHLIST",
    "watchlistId": "abc12345-6789-0def-ghij-klmnopqrstuv",
    "curatorId": "123e4567-e89b-12d3-a456-426614174000",
    "title": "Best Sci-Fi Movies of 2025",
    "description": "A curated list of must-watch science fiction films",
    "isPublic": True,
    "isPublicStr": "true",
    "tags": ["sci-fi", "2025", "must-watch"],
    "itemCount": 10,
    "createdAt": "2026-01-20T14:00:00Z",
    "updatedAt": "2026-01-20T14:00:00Z",
}
WATCHLIST_ITEM = {
    "PK": "WATCHLIST#abc12345-6789-0def-ghij-klmnopqrstuv",
    "SK": "ITEM#MOVIE#tt1234567",
    "entityType": "WATCHLIST_ITEM",
    "contentType": "MOVIE",
    "contentId": "tt1234567",
    "position": 1,
    "curatorNote": "A masterpiece of modern sci-fi cinema",
    "addedAt": "2026-01-20T14:05:00Z",
}
MOVIE = {
    "PK": "MOVIE#tt1234567",
    "SK": "METADATA",
    "entityType": "MOVIE",
    "movieId": "tt1234567",
    "title": "Inception",
    "releaseYear": 2010,
    "genres": ["Action", "Sci-Fi", "Thriller"],
    "directors": ["Christopher Nolan"],
    "synopsis": "A thief who steals corporate secrets...",
    "runtime": 148,
    "tmdbId": "27205",
    "imdbId": "tt1375666",
    "createdAt": "2026-01-10T08:00:00Z",
    "updatedAt": "2026-01-10T08:00:00Z",
}
METADATA = {
    "PK": "NEWSLETTER#NL-20260126-A1B2",
    "SK": "METADATA",
    "GSI1PK": "USER#user123",
    "GSI1SK": "NEWSLETTER#2026-01-26T10:30:00Z",
    "id": "uuid-string",
    "newsletterCode": "NL-20260126-A1B2",
    "title": "Weekly Research Digest",
    "description": "Newsletter for IGAD researchers",
    "status": "draft",
    "user_id": "user123",
    "user_email": "user@example.com",
    "user_name": "User Name",
    "created_at": "2026-01-26T10:30:00Z",
    "updated_at": "2026-01-26T10:35:30Z",
    "target_audience": ["researchers", "policy_makers", "development_partners"],
    "tone_professional": 70,
    "tone_technical": 50,
    "format_type": "email",
    "length_preference": "mixed",
    "frequency": "weekly",
    "geographic_focus": "East Africa - IGAD Region",
    "current_step": 1,
}
TOPICS = {
    "PK": "NEWSLETTER#NL-20260126-A1B2",
    "SK": "TOPICS",
    "selected_types": ["Breaking News & Updates", "Research Findings"],
    "retrieval_status": "completed",
    "retrieval_started_at": "2026-01-26T10:40:00Z",
    "retrieval_completed_at": "2026-01-26T10:41:30Z",
    "retrieval_error": None,
    "retrieved_content": [
        {
            "topic": "Research Findings",
            "source": "knowledge-base-igad-web-scraping",
            "score": "0.89",
            "content": "Recent study shows improved drought-resistant varieties...",
            "metadata": {"url": "https://igad.int/research/study-2026", "date": "2026-01-15"},
        }
    ],
    "total_chunks_retrieved": 25,
    "updated_at": "2026-01-26T10:41:30Z",
}
OUTLINE = {
    "PK": "NEWSLETTER#NL-20260126-A1B2",
    "SK": "OUTLINE",
    "outline_status": "completed",
    "outline_started_at": "2026-01-26T10:50:00Z",
    "outline_completed_at": "2026-01-26T10:51:45Z",
    "outline_error": None,
    "sections": [
        {
            "id": "section-2",
            "name": "Research Findings",
            "order": 2,
            "items": [
                {
                    "id": "item-2-1",
                    "title": "Drought-Resistant Crop Varieties Study",
                    "description": "Summary of recent IGAD research findings",
                    "editable": True,
                    "source": "rag_content",
                    "rag_reference_id": "chunk-123",
                }
            ],
        }
    ],
    "user_modifications": {"items_added": ["custom-item-1"], "items_removed": [], "items_edited": ["item-2-1"]},
    "generated_at": "2026-01-26T10:51:45Z",
    "updated_at": "2026-01-26T11:00:00Z",
}
DRAFT = {
    "PK": "NEWSLETTER#NL-20260126-A1B2",
    "SK": "DRAFT",
    "draft_status": "completed",
    "draft_started_at": "2026-01-26T11:05:00Z",
    "draft_completed_at": "2026-01-26T11:08:30Z",
    "draft_error": None,
    "generated_content": "# Weekly Research Digest\n\n## Introduction\n\nWelcome to this week's...",
    "sections": {"introduction": "Welcome to this week's edition of the IGAD Research Digest..."},
    "user_edits": "# Weekly Research Digest (Edited)\n\n...",
    "has_user_edits": True,
    "word_count": 1250,
    "estimated_read_time": "5 minutes",
    "generated_at": "2026-01-26T11:08:30Z",
    "updated_at": "2026-01-26T11:15:00Z",
    "exports": {
        "pdf": {
            "s3_key": "newsletters/NL-20260126-A1B2/export.pdf",
            "generated_at": "2026-01-26T11:20:00Z",
            "file_size": 245000,
        }
    },
}

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
# What we add beside the documented attributes: keys of the indexes that solve the traps.
ADDED = {"listedContent", "positionIn", "positionKey"}


@pytest.mark.parametrize(
    ("item_type", "example"),
    [
        (kelifax.Resource, RESOURCE),
        (fus.Site, SITE),
        (worthwatch.User, USER),
        (worthwatch.Watchlist, WATCHLIST),
        (worthwatch.WatchlistItem, WATCHLIST_ITEM),
        (worthwatch.Movie, MOVIE),
        (newsletter.Newsletter, METADATA),
        (newsletter.Topics, TOPICS),
        (newsletter.Outline, OUTLINE),
        (newsletter.Draft, DRAFT),
        (enablement.Content, CONTENT),
        (enablement.Event, EVENT),
        (enablement.Notification, NOTIFICATION),
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
    assert {name: value for name, value in written.items() if name not in ADDED} == row


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
    resources = formats.split_learning(str(RESOURCE["learningResources"]))
    assert [resource.title for resource in resources] == ["Getting Started", "Video Tutorial"]
    assert formats.join_learning(resources) == RESOURCE["learningResources"]


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
