"""The demo catalog keeps the rules of the catalog, and everything in it refers to something that is there."""

import re
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from partita.apps.fus.schema import Comment, Group, Rating, Site
from partita.table.types import timestamp
from tests.apps.demo_data import demo_entries, demo_text, page, reaches_nobody, readable

NAMES = ("sites.json", "people.json", "comments.json", "ratings.json", "groups.json")
SITES, PEOPLE, COMMENTS, RATINGS, GROUPS = (demo_entries("fus", name) for name in NAMES)
MORE_NAMES = ("collections.json", "suggestions.json", "profiles.json")
COLLECTIONS, SUGGESTIONS, PROFILES = (demo_entries("fus", name) for name in MORE_NAMES)

AGE = {site["url"]: site["daysAgo"] for site in SITES}
USERNAMES = {person["username"] for person in PEOPLE}
TAGS = Counter(tag for site in SITES for tag in site["tags"])
NOW = timestamp(datetime(2026, 1, 1, tzinfo=UTC))

PERMISSIONS = {
    "kelifax:moderation:read",
    "kelifax:resource:approve",
    "kelifax:resource:edit",
    "kelifax:resource:delete",
    "kelifax:log:read",
    "kelifax:analytics:read",
    "fus:site:create",
    "fus:site:edit",
    "fus:site:delete",
    "fus:comment:moderate",
    "fus:copy:manage",
    "fus:group:manage",
    "fus:catalog:export",
    "fus:catalog:import",
}


@pytest.mark.parametrize("entry", SITES, ids=lambda entry: entry["title"])
def test_a_site_keeps_the_rules_of_the_catalog(entry: dict[str, Any]) -> None:
    assert set(entry) == {"url", "title", "description", "tags", "daysAgo"}
    site = Site(
        site_id="1",
        url=entry["url"],
        title=entry["title"],
        description=entry["description"],
        tags=tuple(entry["tags"]),
        created_at=NOW,
        updated_at=NOW,
    )
    assert list(site.tags) == entry["tags"], "tags are lower case and trimmed"
    assert 2 <= len(set(entry["tags"])) == len(entry["tags"]) <= 6
    assert 1 <= len(re.findall(r"[.!?…](?= [A-Z]|$)", entry["description"])) <= 3
    assert 1 <= entry["daysAgo"] <= 400


def test_no_page_and_no_title_is_in_the_catalog_twice() -> None:
    assert len(SITES) >= 130
    assert len({page(site["url"]) for site in SITES}) == len(SITES)
    assert len({site["title"] for site in SITES}) == len(SITES)
    assert len({site["description"] for site in SITES}) == len(SITES)


def test_tags_are_few_enough_to_choose_from_and_each_finds_several_sites() -> None:
    assert 35 <= len(TAGS) <= 50
    assert min(TAGS.values()) >= 4, TAGS.most_common()[-3:]


def test_every_tag_meets_others_so_that_and_and_or_differ() -> None:
    for tag in TAGS:
        beside = {other for site in SITES if tag in site["tags"] for other in site["tags"]} - {tag}
        assert len(beside) >= 4, tag
        assert any(tag not in site["tags"] and beside & set(site["tags"]) for site in SITES)


def test_people_have_names_of_their_own_and_addresses_that_reach_nobody() -> None:
    assert len(PEOPLE) == len(USERNAMES) == len({person["email"] for person in PEOPLE}) == 24
    for person in PEOPLE:
        assert set(person) == {"name", "username", "email", "taste"}
        assert re.fullmatch(r"[a-z0-9-]{3,30}", person["username"]), person
        assert person["name"].strip() == person["name"] != ""
        assert reaches_nobody(person["email"]), person


def test_tastes_are_weights_of_tags_that_exist() -> None:
    for person in PEOPLE:
        assert person["taste"], person
        assert set(person["taste"]) <= set(TAGS), person
        assert set(person["taste"].values()) <= {1, 2, 3, 4, 5}, person


def test_comments_keep_the_rules_and_come_after_their_site() -> None:
    assert len(COMMENTS) >= 150
    assert {comment["by"] for comment in COMMENTS} == USERNAMES
    for comment in COMMENTS:
        assert set(comment) == {"site", "by", "body", "daysAgo"}
        Comment(
            user_id=comment["by"], site_id="1", comment_id="1", body=comment["body"], created_at=NOW, updated_at=NOW
        )
        assert 1 <= comment["daysAgo"] <= AGE[comment["site"]], comment
    assert len({comment["body"] for comment in COMMENTS}) == len(COMMENTS)


def test_a_conversation_is_told_in_the_order_it_happened() -> None:
    for conversation in conversations():
        assert all(before["daysAgo"] > after["daysAgo"] for before, after in pairwise(conversation)), conversation


def test_an_answer_speaks_to_somebody_who_spoke_before() -> None:
    answers = 0
    for conversation in conversations():
        spoken: set[str] = set()
        for comment in conversation:
            for name in re.findall(r"@([a-z0-9-]+)", comment["body"]):
                assert name in spoken, comment
                answers += 1
            spoken.add(comment["by"])
    assert answers >= 10


def test_everybody_rates_a_site_at_most_once_and_after_it_was_added() -> None:
    assert len(RATINGS) >= 700
    assert {rating["by"] for rating in RATINGS} == USERNAMES
    assert len({(rating["by"], rating["site"]) for rating in RATINGS}) == len(RATINGS)
    for rating in RATINGS:
        assert set(rating) == {"site", "by", "stars", "note", "daysAgo"}
        Rating(
            user_id=rating["by"],
            site_id="1",
            stars=rating["stars"],
            note=rating["note"],
            updated_at=NOW,
        )
        assert 1 <= rating["daysAgo"] <= AGE[rating["site"]], rating


def test_stars_are_spread_as_people_spread_them() -> None:
    stars = Counter(rating["stars"] for rating in RATINGS)
    assert set(stars) == {1, 2, 3, 4, 5}
    assert stars[1] < stars[2] < stars[3] < stars[4]
    assert 3.4 < sum(rating["stars"] for rating in RATINGS) / len(RATINGS) < 4.2


def test_people_like_what_suits_their_taste() -> None:
    tags_of = {site["url"]: set(site["tags"]) for site in SITES}
    taste_of = {person["username"]: person["taste"] for person in PEOPLE}
    near: list[int] = []
    far: list[int] = []
    for rating in RATINGS:
        suits = sum(taste_of[rating["by"]].get(tag, 0) for tag in tags_of[rating["site"]])
        (near if suits >= 5 else far).append(rating["stars"])
    assert sum(near) / len(near) > sum(far) / len(far) + 0.2


def test_most_ratings_have_no_note_and_each_person_keeps_some() -> None:
    noted = [rating for rating in RATINGS if rating["note"]]
    assert len(noted) < len(RATINGS) / 2
    assert {rating["by"] for rating in noted} == USERNAMES
    assert len({rating["note"] for rating in noted}) == len(noted)


def test_groups_grant_known_permissions_to_people_who_exist() -> None:
    assert len(GROUPS) == len({group["name"] for group in GROUPS}) == 5
    for group in GROUPS:
        assert set(group) == {"name", "description", "permissions", "members"}
        Group(
            name=group["name"],
            description=group["description"],
            permissions=tuple(group["permissions"]),
            created_at=NOW,
            updated_at=NOW,
        )
        assert group["description"]
        for listed, known in ((group["permissions"], PERMISSIONS), (group["members"], USERNAMES)):
            assert listed
            assert len(set(listed)) == len(listed)
            assert set(listed) <= known, group["name"]
    assert {permission for group in GROUPS for permission in group["permissions"]} == PERMISSIONS


def test_collections_suggestions_and_profiles_are_of_people_and_sites_that_exist() -> None:
    for collection in COLLECTIONS:
        assert collection["by"] in USERNAMES
        assert collection["sites"], collection
        assert all(AGE[url] >= collection["daysAgo"] > len(collection["sites"]) for url in collection["sites"])
    known = {page(url) for url in AGE}
    for suggestion in SUGGESTIONS:
        assert suggestion["by"] in USERNAMES
        assert page(suggestion["url"]) not in known
        assert reaches_nobody(f"x@{page(suggestion['url'])[0]}"), "a suggestion leads to nobody's site"
    assert {entry["by"] for entry in PROFILES} <= USERNAMES
    assert {"shared", "private"} == {"shared" if each["shared"] else "private" for each in COLLECTIONS}


@pytest.mark.parametrize("name", [*NAMES, *MORE_NAMES])
def test_a_file_is_written_to_be_read(name: str) -> None:
    assert demo_text("fus", name) == readable(demo_entries("fus", name))


def conversations() -> list[list[dict[str, Any]]]:
    """The comments of each site, in the order of the file."""
    by_site: dict[str, list[dict[str, Any]]] = {}
    for comment in COMMENTS:
        by_site.setdefault(comment["site"], []).append(comment)
    return list(by_site.values())
