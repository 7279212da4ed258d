"""robots.txt: everything private is forbidden, nothing public is."""

from __future__ import annotations

import pytest

from partita.kit.sharing.robots import covers, robots

PRIVATE = {"/fus/groups", "/fus/groups/{name}", "/fus/sites/{site_id}/edit", "/notifications", "/account/tokens"}
PUBLIC = {"/", "/fus", "/fus/sites/{site_id}", "/notifications/unsubscribe", "/sign-in"}


def _rules() -> list[str]:
    lines = robots(PRIVATE, PUBLIC, "https://example.org/sitemap.xml").splitlines()
    return [line.removeprefix("Disallow: ") for line in lines if line.startswith("Disallow: ")]


def test_what_is_private_is_forbidden_and_what_is_public_is_not() -> None:
    for path in (
        "/fus/groups",
        "/fus/groups/editors",
        "/fus/sites/1/edit",
        "/notifications",
        "/account/tokens",
        "/sign-in",
    ):
        assert any(covers(rule, path) for rule in _rules()), path
    for path in ("/", "/fus", "/fus/sites/1", "/notifications/unsubscribe", "/fus?tags=maps"):
        assert not any(covers(rule, path) for rule in _rules()), path


def test_no_rule_says_what_another_says_already() -> None:
    assert "/fus/groups" in _rules()
    assert "/fus/groups/*" not in _rules()


def test_the_sitemap_is_named_with_its_whole_address() -> None:
    text = robots(PRIVATE, PUBLIC, "https://example.org/sitemap.xml")
    assert text.startswith("User-agent: *\n")
    assert text.endswith("\nSitemap: https://example.org/sitemap.xml\n")


@pytest.mark.parametrize(
    ("rule", "path", "covered"),
    [
        ("/a", "/a/b", True),
        ("/a$", "/a/b", False),
        ("/a$", "/a", True),
        ("/a/*/edit", "/a/1/edit", True),
        ("/a/*/edit", "/a/1", False),
        ("/a.b", "/axb", False),
    ],
)
def test_rules_are_read_as_robots_read_them(rule: str, path: str, covered: bool) -> None:
    assert covers(rule, path) is covered
