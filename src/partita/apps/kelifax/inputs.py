"""What people type: the document's `form_data` with its limits, a moderator's edit, and a reason."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, EmailStr, Field, ValidationInfo, field_validator

from partita.apps.kelifax.formats import LOGO_NAME, LearningResource, LearningType, Licence, Pricing
from partita.apps.kelifax.schema import Category, Resource
from partita.kit.inputs import Edit, Input, PublicUrl, Text, Title, counted, distinct, example, items, tidy, without

_PHONE_FILLERS = re.compile(r"[\s().\-/]")
_E164 = re.compile(r"\+[1-9]\d{6,14}\Z")
_FEATURES = ["Adds, subtracts and multiplies", "Keeps a thousand numbers", "Decides what to do next"]
_USE_CASES = ["Numbers of Bernoulli", "Tables without mistakes"]
_SEPARATES = "{!r} cannot be part of this: it separates entries where they are stored."


def _name(value: str) -> str:
    if not any(character.isalpha() for character in value):
        raise ValueError("A name has at least one letter.")
    for character in value:
        # Letters of any script, and the marks that some scripts write on them.
        if not (character.isalpha() or unicodedata.category(character).startswith("M") or character in " -'.’"):
            raise ValueError(f"Only letters, spaces and - ' . are allowed here, not {character!r}.")
    return value


def _phone(value: str) -> str:
    if not value:
        return ""
    digits = _PHONE_FILLERS.sub("", value)
    if not _E164.match(digits):
        raise ValueError("Write the number with its country code, such as +44 20 7946 0000.")
    return digits


def _lower(value: Any) -> Any:
    """In lower case, before its length is counted: `İ` becomes two characters."""
    return value.lower() if isinstance(value, str) else value


Name = Annotated[Text, Field(min_length=2, max_length=50), AfterValidator(_name)]
Tag = Annotated[Text, BeforeValidator(_lower), Field(min_length=1, max_length=30), without(",", _SEPARATES.format(","))]
AskedTag = Annotated[str, Field(max_length=30)]
"""A tag to look for, however it is spelled."""
Feature = Annotated[Text, Field(min_length=10, max_length=200), without("|", _SEPARATES.format("|"))]
UseCase = Annotated[Text, Field(min_length=15, max_length=300), without("|", _SEPARATES.format("|"))]

ResourceName = Annotated[Title, Field(min_length=3, max_length=100, examples=["Analytical Engine"])]
UsagePurpose = Annotated[
    Text, Field(min_length=20, max_length=500, examples=["Weaves algebraical patterns, as a loom weaves flowers."])
]
Tags = Annotated[list[Tag], Field(max_length=10), AfterValidator(distinct)]
LEAST_FEATURES, LEAST_USE_CASES = 3, 2
Features = Annotated[
    list[Feature],
    counted(LEAST_FEATURES, 10),
    Field(examples=[_FEATURES], json_schema_extra=items(LEAST_FEATURES, 10)),
]
UseCases = Annotated[
    list[UseCase],
    counted(LEAST_USE_CASES, 8),
    Field(examples=[_USE_CASES], json_schema_extra=items(LEAST_USE_CASES, 8)),
]
FewFeatures = Annotated[list[Feature], Field(max_length=10)]
FewUseCases = Annotated[list[UseCase], Field(max_length=8)]
"""Of resources that come from a file, whose lists may be short."""


class Submitter(Input):
    """The person who submits a resource; never public."""

    first_name: Annotated[Name, Field(examples=["Ada"])]
    last_name: Annotated[Name, Field(examples=["Lovelace"])]
    company_email: Annotated[EmailStr, BeforeValidator(tidy), AfterValidator(_lower), Field(max_length=254)]
    company: Annotated[Text, Field(max_length=100)] = ""
    phone_number: Annotated[Text, AfterValidator(_phone)] = ""


class Description(Input):
    """What every form says about a resource first."""

    resource_name: ResourceName
    resource_url: PublicUrl
    usage_purpose: UsagePurpose
    category: Category
    tags: Tags = Field(default=[])
    licence: Licence | Literal[""] = ""
    pricing: Pricing | Literal[""] = ""


class PageAddress(Input):
    """The address of a page to fill in a submission from."""

    resource_url: PublicUrl


class ResourceFields(Description):
    """The second step: the resource."""

    logo_image: Annotated[str, Field(pattern=rf"^({LOGO_NAME})?$")] = ""


class Learning(Input, LearningResource):
    """Something to learn from."""

    title: Annotated[Title, Field(min_length=1, max_length=100)]
    url: PublicUrl
    type: LearningType


LearningResources = Annotated[list[Learning], Field(max_length=5)]


class Details(Input):
    """The third step: features, use cases and places to learn more."""

    key_features: Features
    use_cases: UseCases
    learning_resources: LearningResources = Field(default=[])


class Submission(Input):
    """The three steps of the form together."""

    submitter: Submitter
    resource: ResourceFields
    details: Details


def submission_of(resource: Resource) -> Submission:
    """A submission as its submitter opens it again. Other programs may have stored what the form would refuse."""
    return Submission.model_construct(
        submitter=Submitter.model_construct(
            first_name=resource.submitter_first_name,
            last_name=resource.submitter_last_name,
            company_email=resource.submitter_email,
            company=resource.submitter_company,
            phone_number=resource.submitter_phone,
        ),
        resource=ResourceFields.model_construct(
            resource_name=resource.resource_name,
            resource_url=resource.resource_url,
            usage_purpose=resource.usage_purpose,
            category=resource.category,
            tags=list(resource.tag_list),
            licence=resource.licence or "",
            pricing=resource.pricing or "",
            logo_image=resource.logo_image,
        ),
        details=Details.model_construct(
            key_features=list(resource.feature_list),
            use_cases=list(resource.use_case_list),
            learning_resources=[Learning.model_construct(**each.model_dump()) for each in resource.learning_list],
        ),
    )


class ResourceEdit(Edit):
    """A moderator's changes; fields that are left out stay as they are."""

    model_config = example(category="learning", tags=["looms", "numbers"])

    resource_name: ResourceName | None = None
    resource_url: PublicUrl | None = None
    usage_purpose: UsagePurpose | None = None
    category: Category | None = None
    tags: Tags | None = None
    licence: Licence | Literal[""] | None = None
    pricing: Pricing | Literal[""] | None = None
    key_features: Features | None = None
    use_cases: UseCases | None = None
    learning_resources: LearningResources | None = None


class EditForm(Details, Description, Edit):
    """The form of an edit. It shows the whole resource, so that what is empty was emptied."""

    @classmethod
    def of(cls, resource: Resource) -> EditForm:
        """The form as it is opened. Other programs may have stored what the form would refuse."""
        return cls.model_construct(
            resource_name=resource.resource_name,
            resource_url=resource.resource_url,
            usage_purpose=resource.usage_purpose,
            category=resource.category,
            tags=list(resource.tag_list),
            licence=resource.licence or "",
            pricing=resource.pricing or "",
            key_features=list(resource.feature_list),
            use_cases=list(resource.use_case_list),
            learning_resources=[Learning.model_construct(**each.model_dump()) for each in resource.learning_list],
            revision=resource.revision,
        )


class ShortEditForm(EditForm):
    """The same for a resource that came with few features or use cases: an edit does not ask for more."""

    key_features: FewFeatures
    use_cases: FewUseCases


def edit_form_of(resource: Resource) -> type[EditForm]:
    """The form that a resource is edited by."""
    is_short = len(resource.feature_list) < LEAST_FEATURES or len(resource.use_case_list) < LEAST_USE_CASES
    return ShortEditForm if is_short else EditForm


class Reason(Input):
    """Why a resource is rejected, or what is wrong with it."""

    reason: Annotated[Text, Field(min_length=1, max_length=1000)]


ChosenOne = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,120}@\d{1,9}$")]
"""A slug and the revision that the moderator saw: `amazing-dev-tool@3`."""
Usual = Literal["unreachable", "advertising", "unclear", "not-for-developers", "duplicate"]
CANNED: dict[Usual, str] = {
    "unreachable": "The address does not answer. Please check it and submit again.",
    "advertising": "The text reads like advertising. Say in plain words what the tool does, and for whom.",
    "unclear": "We could not tell from the text what it is for. Please describe it for somebody who has never seen it.",
    "not-for-developers": "It is not for people who develop software, and this directory is for them alone.",
    "duplicate": "The directory has this resource already, under another address.",
}
"""Reasons that are given often: name → what the submitter reads."""


class RejectionWords(Input):
    """One of the usual reasons, words of one's own, or both."""

    usual: Usual | None = None
    reason: Annotated[Text, Field(max_length=1000, validate_default=True)] = ""

    @property
    def text(self) -> str:
        """What the submitter reads."""
        return " ".join(part for part in (self.usual and CANNED[self.usual], self.reason) if part)


class Rejection(RejectionWords):
    """Why a resource is rejected."""

    @field_validator("reason")
    @classmethod
    def _says_why(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.data.get("usual") is None:
            raise ValueError("Choose a reason, or write one: the submitter will read it.")
        return value


class Chosen(RejectionWords):
    """Submissions that are decided on together, each as the moderator saw it."""

    decision: Literal["approve", "reject"]
    chosen: Annotated[list[ChosenOne], Field(max_length=100, validate_default=True)] = Field(default=[])

    @field_validator("chosen")
    @classmethod
    def _decides(cls, value: list[str], info: ValidationInfo) -> list[str]:
        if not value:
            raise ValueError("Choose at least one submission.")
        if info.data.get("decision") == "reject" and not (info.data.get("usual") or info.data.get("reason")):
            raise ValueError("Choose a reason, or write one: the submitters will read it.")
        return value

    @property
    def revisions(self) -> dict[str, int]:
        """Slug → revision that the moderator saw."""
        pairs = (each.rpartition("@") for each in self.chosen)
        return {slug: int(revision) for slug, _, revision in pairs}

    @property
    def rejection(self) -> str | None:
        """What the submitters read; None if they are approved."""
        return self.text if self.decision == "reject" else None


class FeaturedPlace(Input):
    """Where a featured resource is shown."""

    before: Annotated[str, Field(max_length=120, description="The slug of another; empty for the last place.")] = ""
