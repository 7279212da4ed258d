"""Owners of accounts hear of what was changed, in mail that carries no link but ours."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.accounts import Accounts
from partita.kit.accounts.inputs import Name, checked_field
from partita.kit.accounts.mails import mail
from partita.kit.letters import linkless, unlinked
from partita.kit.mail import Outbox
from partita.kit.notifications import Words
from partita.kit.notifications.letters import Line, letter
from partita.kit.problems import Invalid
from tests.kit.accounts.conftest import PASSWORD, join, mails_to
from tests.kit.accounts.test_second_factor import add
from tests.kit.conftest import HandClock

NEW = "staple of the battery"
_LINKED = re.compile(
    r"[a-z]+:/|//|@|\bwww\.\w|[<>\[\]]|(?:\w{2,}|\d)[.\u3002\uff0e\uff61]\w|\w[.\u3002\uff0e\uff61]\w{2,}",
    re.IGNORECASE,
)
"""What mail programs make links of, and more."""


@pytest.mark.anyio
async def test_owners_are_told_of_every_change_that_matters(
    accounts: Accounts, outbox: Outbox, clock: HandClock
) -> None:
    ada = await join(accounts, "ada")
    await accounts.tokens.create(ada, "backup https://evil.example/x", [], 1)
    await add(accounts, ada, clock)
    await accounts.second_factors.remove(ada)
    await accounts.profile.change_password(ada, PASSWORD, NEW)
    await accounts.administration.set_password(accounts.operator(), ada.id)
    told = await mails_to(accounts, outbox, "ada@example.org")
    assert sorted(each.subject for each in told) == [
        "A new API token was created",
        "A second factor was added",
        "The second factor was removed",
        "Your password was changed",
        "Your password was changed",
    ]
    for each in told:
        assert each.text.startswith("Hello Ada,\n\n")
        assert set(re.findall(r"https?://\S+", each.text)) == {"https://partita.example.org"}
        assert set(re.findall(r'href="([^"]*)"', each.html)) == {"https://partita.example.org"}
        assert "reset your password at once" in each.text or "contact an administrator" in each.text
        assert PASSWORD not in each.text
        assert NEW not in each.text


@pytest.mark.anyio
async def test_nobody_is_told_at_an_address_that_is_not_confirmed(accounts: Accounts, outbox: Outbox) -> None:
    await accounts.registration.sign_up("eve", "victim@example.org", "Eve", PASSWORD)
    session = await accounts.sessions.sign_in("eve", PASSWORD)
    eve = await accounts.recognition.from_session(session.token)
    await accounts.tokens.create(eve, "robot", [], 1)
    await accounts.profile.change_password(eve, PASSWORD, NEW)
    (only,) = await mails_to(accounts, outbox, "victim@example.org")
    assert only.subject == "Confirm your email address"


_PARTS = st.sampled_from(
    ["http://", "https:", "www.", "evil", ".com", "example.org", "@", "/", " ", "\n", "。", "．", "<a>", "]("]
)


@given(st.one_of(st.text(max_size=60), st.lists(_PARTS, max_size=8).map("".join)))
def test_no_name_is_a_link(name: str) -> None:
    safe = linkless(name)
    assert not _LINKED.search(safe), safe
    assert "\n" not in safe
    assert len(safe) <= 80
    written = mail("ada@example.org", name, "Subject", ["Says."], base_url="https://partita.example.org")
    assert written.text.splitlines()[0] == (f"Hello {safe}," if safe else "Hello,")
    first = re.search(r"<p[^>]*>(Hello[^<]*)</p>", written.html)
    assert first is not None
    assert unescape(first[1]) == written.text.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("J.R.R. Tolkien", "J.R.R. Tolkien"),
        ("Ana-María O’Neil (Ops) & Co.", "Ana-María O’Neil (Ops) & Co."),
        ("St.John", "St. John"),
        ("李 小龍", "李 小龍"),
        ("Log in at https://evil.example/login", "Log in at https evil. example login"),
    ],
)
def test_a_name_stays_a_name(name: str, safe: str) -> None:
    assert linkless(name) == safe


_HOSTS = re.compile(_LINKED.pattern.replace("|[<>\\[\\]]", ""), re.IGNORECASE)
_DECIMALS = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")


@given(st.one_of(st.text(max_size=60), st.lists(_PARTS, max_size=8).map("".join)))
def test_nothing_that_is_told_becomes_a_link(typed: str) -> None:
    safe = unlinked(typed)
    assert not _HOSTS.search(_DECIMALS.sub("", safe)), safe
    assert unlinked(safe) == safe
    written = letter(f"About {typed}", [Line(Words(typed, typed, typed))], name=typed, why="", unsubscribe="")
    for told in (written.subject, written.text.partition("-- ")[0]):
        assert not _HOSTS.search(_DECIMALS.sub("", told)), told


@pytest.mark.parametrize(
    "text",
    ["“J.R.R. Tolkien” was not accepted", "The reason: too long (2.5 pages), and/or dull!", "Rename “a” to “b”: done"],
)
def test_other_words_are_told_as_they_are(text: str) -> None:
    assert unlinked(text) == text


@pytest.mark.parametrize(
    "name",
    ["x.com/win", "t.me/evil", "t.co", "login-a.com", "a+b.com", "evil。com", "evil．com", "1.1.1.1/x", "https:evil"],
)
def test_a_name_that_could_be_a_link_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        checked_field("name", Name, name)


@pytest.mark.parametrize("name", ["Ada Lovelace", "J.R.R. Tolkien", "Jo “Bee” O’Neil", "Dr. No", "李", "Zoë / Max"])
def test_other_names_are_names(name: str) -> None:
    assert checked_field("name", Name, name) == name
