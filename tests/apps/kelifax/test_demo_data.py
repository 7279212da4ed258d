"""The demo directory keeps the rules that every submission has to keep."""

import unicodedata
from collections import Counter
from typing import Annotated, Any, get_args

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, StringConstraints

from partita.apps.kelifax.formats import (
    LearningResource,
    LearningType,
    Licence,
    Pricing,
    join_features,
    join_learning,
    join_tags,
    split_features,
    split_learning,
    split_tags,
)
from partita.apps.kelifax.schema import Category, Status
from tests.apps.demo_data import demo_entries, demo_text, page, reaches_nobody, readable

RESOURCES = demo_entries("kelifax", "resources.json")


def of_letters(name: str) -> str:
    """Letters of any script with their marks, spaces, and `-'.`."""
    strange = [sign for sign in name if sign not in " -'." and unicodedata.category(sign)[0] not in "LM"]
    assert not strange, f"{name!r} holds {strange}"
    return name


Name = Annotated[str, StringConstraints(min_length=2, max_length=50), AfterValidator(of_letters)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=30, pattern=r"^[^A-Z,]+$")]
Feature = Annotated[str, StringConstraints(min_length=10, max_length=200, pattern=r"^[^|]+$")]
UseCase = Annotated[str, StringConstraints(min_length=15, max_length=300, pattern=r"^[^|]+$")]


class Rules(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Submitter(Rules):
    firstName: Name  # noqa: N815 - the document's names
    lastName: Name  # noqa: N815
    companyEmail: str = Field(pattern=r"^[a-z0-9.]+@[a-z0-9.-]+$")  # noqa: N815
    company: str = Field(max_length=100)
    phoneNumber: str = Field(pattern=r"^(\+[1-9][0-9]{6,14})?$")  # noqa: N815


class Described(Rules):
    resourceName: str = Field(min_length=3, max_length=100)  # noqa: N815
    resourceUrl: HttpUrl  # noqa: N815
    usagePurpose: str = Field(min_length=20, max_length=500)  # noqa: N815
    category: Category
    tags: list[Tag] = Field(min_length=1, max_length=10)
    licence: Licence | None = None
    pricing: Pricing


class Learning(Rules):
    title: str = Field(min_length=1, max_length=100)
    url: HttpUrl
    type: LearningType


class Details(Rules):
    keyFeatures: list[Feature] = Field(min_length=3, max_length=10)  # noqa: N815
    useCases: list[UseCase] = Field(min_length=2, max_length=8)  # noqa: N815
    learningResources: list[Learning] = Field(max_length=5)  # noqa: N815


class Entry(Rules):
    submitter: Submitter
    resource: Described
    details: Details
    status: Status
    rejectionReason: str = Field(default="", max_length=500)  # noqa: N815
    featured: bool
    views: int = Field(ge=0)
    daysAgo: int = Field(ge=1, le=400)  # noqa: N815


each_entry = pytest.mark.parametrize("entry", RESOURCES, ids=lambda entry: entry["resource"]["resourceName"])


@each_entry
def test_an_entry_keeps_the_limits_of_a_submission(entry: dict[str, Any]) -> None:
    Entry.model_validate(entry)


@each_entry
def test_an_entry_survives_being_kept_in_strings(entry: dict[str, Any]) -> None:
    details = entry["details"]
    learning = tuple(LearningResource.model_validate(each) for each in details["learningResources"])
    assert list(split_tags(join_tags(entry["resource"]["tags"]))) == entry["resource"]["tags"]
    assert list(split_features(join_features(details["keyFeatures"]))) == details["keyFeatures"]
    assert list(split_features(join_features(details["useCases"]))) == details["useCases"]
    assert split_learning(join_learning(learning)) == learning


@each_entry
def test_nothing_is_said_twice_in_an_entry(entry: dict[str, Any]) -> None:
    details = entry["details"]
    for texts in (entry["resource"]["tags"], details["keyFeatures"], details["useCases"]):
        assert len(set(texts)) == len(texts)
    learning = [each["url"] for each in details["learningResources"]]
    assert len(set(learning)) == len(learning)


@each_entry
def test_a_submitter_s_address_reaches_nobody(entry: dict[str, Any]) -> None:
    assert reaches_nobody(entry["submitter"]["companyEmail"])


def test_no_name_and_no_page_is_listed_twice() -> None:
    names = Counter(entry["resource"]["resourceName"].casefold() for entry in RESOURCES)
    pages = Counter(page(entry["resource"]["resourceUrl"]) for entry in RESOURCES)
    assert max(names.values()) == 1, names.most_common(3)
    assert max(pages.values()) == 1, pages.most_common(3)


def test_no_sentence_is_used_twice() -> None:
    purposes = [entry["resource"]["usagePurpose"] for entry in RESOURCES]
    assert len(set(purposes)) == len(purposes)


def test_every_category_has_at_least_eight_approved_resources() -> None:
    approved = Counter(entry["resource"]["category"] for entry in RESOURCES if entry["status"] == "approved")
    assert {category: approved[category] >= 8 for category in get_args(Category)} == dict.fromkeys(
        get_args(Category), True
    ), approved


def test_most_are_approved_some_wait_and_some_are_rejected() -> None:
    statuses = Counter(entry["status"] for entry in RESOURCES)
    assert len(RESOURCES) >= 70
    assert statuses["approved"] >= 56
    assert (statuses["pending"], statuses["rejected"]) == (8, 6)


def test_the_rejected_and_only_they_have_a_reason() -> None:
    for entry in RESOURCES:
        assert bool(entry.get("rejectionReason")) == (entry["status"] == "rejected"), entry["resource"]["resourceName"]


def test_only_approved_resources_are_featured_or_have_been_viewed() -> None:
    for entry in RESOURCES:
        if entry["status"] != "approved":
            assert not entry["featured"], entry["resource"]["resourceName"]
            assert entry["views"] == 0, entry["resource"]["resourceName"]
    assert sum(entry["featured"] for entry in RESOURCES) == 8


def test_one_person_has_one_name_and_one_company() -> None:
    people: dict[str, dict[str, str]] = {}
    for entry in RESOURCES:
        submitter = entry["submitter"]
        assert people.setdefault(submitter["companyEmail"], submitter) == submitter
    assert len(people) >= 30
    assert len({email.partition("@")[2] for email in people}) >= 8


def test_submissions_are_spread_over_the_year() -> None:
    days = [entry["daysAgo"] for entry in RESOURCES]
    assert min(days) <= 7
    assert max(days) >= 365
    assert all(any(start <= day < start + 50 for day in days) for start in range(1, 351, 50))


def test_the_file_is_written_to_be_read() -> None:
    assert demo_text("kelifax", "resources.json") == readable(RESOURCES)
