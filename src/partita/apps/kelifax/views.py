"""Resources as they leave: with the document's attribute names, lists as lists, and nothing private in public."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from partita.apps.kelifax.formats import split_features, split_learning, split_tags
from partita.apps.kelifax.schema import Resource


class View(BaseModel):
    """Documents the shape of an answer."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class LearningView(View):
    title: str
    url: str
    type: str


class Summary(View):
    """A resource in a list."""

    resource_slug: str = Field(examples=["amazing-dev-tool"])
    resource_name: str
    resource_url: str
    usage_purpose: str
    category: str
    tags: list[str]
    featured: bool
    view_count: int
    created_at: str
    logo_url: str | None = None


class Detail(Summary):
    """An approved resource, whole."""

    key_features: list[str]
    use_cases: list[str]
    learning_resources: list[LearningView]
    approved_at: str
    last_viewed: str


class Moderated(Detail):
    """A resource as moderators see it, with who submitted it."""

    submission_id: str
    resource_status: str
    submitted_at: str
    rejected_at: str
    rejection_reason: str
    submitter_first_name: str
    submitter_last_name: str
    submitter_email: str
    submitter_company: str
    submitter_phone: str
    submitter_domain: str
    revision: int = Field(description="Send it with changes, and they are refused if somebody was faster.")


class SummaryList(BaseModel):
    items: list[Summary]
    next_cursor: str | None


class ModeratedList(BaseModel):
    items: list[Moderated]
    next_cursor: str | None


Json = dict[str, Any]


def summary(resource: Resource, logo_url: str | None) -> Json:
    return {
        "resourceSlug": resource.resource_slug,
        "resourceName": resource.resource_name,
        "resourceUrl": resource.resource_url,
        "usagePurpose": resource.usage_purpose,
        "category": resource.category,
        "tags": list(split_tags(resource.tags)),
        "featured": resource.featured,
        "viewCount": resource.view_count,
        "createdAt": resource.created_at,
        "logoUrl": logo_url,
    }


def detail(resource: Resource, logo_url: str | None) -> Json:
    return {
        **summary(resource, logo_url),
        "keyFeatures": list(split_features(resource.key_features)),
        "useCases": list(split_features(resource.use_cases)),
        "learningResources": [each.model_dump() for each in split_learning(resource.learning_resources)],
        "approvedAt": resource.approved_at,
        "lastViewed": resource.last_viewed,
    }


def moderated(resource: Resource, logo_url: str | None) -> Json:
    return {
        **detail(resource, logo_url),
        "submissionId": resource.submission_id,
        "resourceStatus": resource.resource_status,
        "submittedAt": resource.submitted_at,
        "rejectedAt": resource.rejected_at,
        "rejectionReason": resource.rejection_reason,
        "submitterFirstName": resource.submitter_first_name,
        "submitterLastName": resource.submitter_last_name,
        "submitterEmail": resource.submitter_email,
        "submitterCompany": resource.submitter_company,
        "submitterPhone": resource.submitter_phone,
        "submitterDomain": resource.submitter_domain or "",
        "revision": resource.revision,
    }
