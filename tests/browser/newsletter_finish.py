"""A newsletter with a draft, ready to be let out, and people who may do that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser

from tests.apps.newsletter.editions import ENGLISH, picture
from tests.browser.house import NO_FETCH, PASSWORD, House
from tests.browser.ready import elsewhere, serving

AUTHOR, ADMINISTRATOR = "ada-author", "xenia-admin"
_ROLES = {AUTHOR: "newsletter:author", ADMINISTRATOR: "newsletter:admin"}
CODES = {1: "NL-20260126-A1B1", 2: "NL-20260126-A1B2", 3: "NL-20260126-A1B3", 4: "NL-20260126-A1B4"}
"""One for each way to look at pages."""
EMPTY = "NL-20260126-A1B9"
NOW = "2026-01-26T10:01:00.000000Z"


@contextmanager
def finished_with(browser: Browser, folder: Path) -> Iterator[House]:
    """The suite with newsletters that can be exported."""
    elsewhere(_fill, folder)
    with serving(folder, NO_FETCH) as suite:
        house = House(suite.url, browser, frozenset({"newsletter"}))
        for username in _ROLES:
            with house.program() as somebody:
                answer = somebody.post("/sign-in", form={"identity": username, "password": PASSWORD})
                assert answer.ok, answer.text()
                house.keys[username] = somebody.storage_state()
        yield house


async def _fill(folder: Path) -> None:
    from partita.apps.newsletter.schema import Draft, Newsletter
    from partita.bootstrap import build
    from partita.kit.settings import Settings
    from partita.table import Put

    suite = build(Settings(data=folder / "data", fetch=False))
    kit = suite.kit
    try:
        accounts = kit.accounts
        people = {}
        for username, role in _ROLES.items():
            name = username.replace("-", " ").title()
            account = await accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
            await accounts.administration.set_roles(accounts.operator(), account.user_id, [role])
            people[username] = account.user_id
        body = ENGLISH.split("# Weekly Research Digest\n\n", 1)[1]
        first, *rest = body.split("\n## ")
        sections = {"introduction": first.strip(), **{f"part_{n}": f"## {text.strip()}" for n, text in enumerate(rest)}}
        citations = (
            {"n": 1, "chunk_id": "a", "source_id": "s1", "title": "Seasonal outlook", "publisher": "Climate Centre"},
            {"n": 2, "chunk_id": "b", "source_id": "s2", "title": "Sorghum on five sites", "date": "2026-09-18"},
        )
        for code in (*CODES.values(), EMPTY):
            key = f"newsletters/{code}/images/fields.png"
            await kit.files.save(key, picture(1200, 640).data, "image/png")
            newsletter = Newsletter(
                id=code,
                newsletter_code=code,
                title="Weekly Research Digest",
                user_id=people[AUTHOR],
                user_email="",
                created_at=NOW,
                updated_at=NOW,
                current_step=1 if code == EMPTY else 4,
                issue_label="No. 12",
                geographic_focus="East Africa",
                format_type="pdf",
                theme="bulletin",
            )
            await kit.store.write(Put(newsletter))
            if code == EMPTY:
                continue
            image = {"s3_key": key, "alt": "Fields", "caption": "", "file_size": 1, "width": 1200, "height": 640}
            draft = Draft(
                newsletter_code=code,
                updated_at=NOW,
                generated_at=NOW,
                draft_status="completed",
                sections=sections,
                generated_content=f"# Weekly Research Digest\n\n{body}",
                citations=citations,
                images=(image,),
                word_count=120,
            )
            await kit.store.write(Put(draft))
    finally:
        await suite.close()
