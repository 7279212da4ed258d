"""Newsletters to look at: people with every role, and a draft to write on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.browser.house import NO_FETCH, PASSWORD, House
from tests.browser.ready import elsewhere, serving

AUTHOR, COLLEAGUE, READER, STRANGER = "olga-author", "ed-editor", "ria-reader", "stan-stranger"
ADMIN = "xena-admin"
ROLES = {
    AUTHOR: "newsletter:author",
    COLLEAGUE: "newsletter:editor",
    READER: "newsletter:author",
    STRANGER: "newsletter:author",
    ADMIN: "newsletter:admin",
}
EN, AR, LONG = "NL-20260126-A1B2", "NL-20260126-ARAB", "NL-20260126-LANG"
_PASSAGE = (
    "The season began late. Sorghum yields in Turkana rose by 12 percent between 2023 and 2025. Farmers planted early "
    "and used the new varieties on a third of their fields. Prices stayed stable."
)
TEXTS = {
    "introduction": "Welcome to this week's digest: three stories from the region, and what to do with them.",
    "research_findings": "## Research Findings\n\n### Sorghum that needs less rain\n\nSorghum yields in Turkana rose "
    "by 12 percent between 2023 and 2025 [1]. Farmers planted early and used the new varieties on a third of "
    "their fields [1].\n\n- **12 %** more sorghum [1]\n- **3,400** farms took part [2]\n\n"
    "> “We kept seed for the first time.” [2]",
    "market_access": "## Market Access & Trade\n\n| Crop | Price | Change |\n| --- | ---: | ---: |\n"
    "| Maize | 42 | −3 % |\n| Sorghum | 51 | +2 % |\n\nPrices of maize fell in the border markets [3].",
    "conclusion": "## Conclusion\n\nThank you for reading. Write to us if something is missing.",
}
_ARABIC = {
    "introduction": "مرحبا بكم في نشرة هذا الأسبوع من Nairobi.",
    "news": "## الأخبار\n\nارتفع إنتاج الذرة الرفيعة بنسبة 12 % في توركانا [1].",
}


def _citation(number: int, title: str, **more: Any) -> dict[str, Any]:
    return {"n": number, "chunk_id": f"chunk-{number}", "source_id": f"s{number}", "title": title, **more}


CITATIONS = (
    _citation(
        1,
        "Dryland cereals: a review of three seasons",
        date="2026-01-15",
        page=12,
        quote="Sorghum yields in Turkana rose by 12 percent between 2023 and 2025.\nFarmers planted early and used "
        "the new varieties on a third of their fields.",
    ),
    _citation(2, "Seed systems in the Horn", date="2025-11-02", quote="3,400 farms took part."),
    _citation(3, "Border market bulletin", quote="Prices of maize fell in the border markets."),
)


@contextmanager
def desk_with(
    browser: Browser, folder: Path, *, after: Callable[[Path], Coroutine[None, None, None]] | None = None
) -> Iterator[House]:
    """The suite with newsletters of Olga's, and what else a test puts there before it is served."""
    elsewhere(_fill, folder)
    if after is not None:
        elsewhere(after, folder)
    with serving(folder, NO_FETCH) as suite:
        house = House(suite.url, browser, frozenset({"newsletter"}))
        for username in ROLES:
            with house.program() as somebody:
                answer = somebody.post("/sign-in", form={"identity": username, "password": PASSWORD})
                assert answer.ok, answer.text()
                house.keys[username] = somebody.storage_state()
        yield house


async def _fill(folder: Path) -> None:
    from partita.apps.newsletter.schema import Draft, Newsletter, Share, Topics
    from partita.bootstrap import build
    from partita.kit.settings import Settings
    from partita.table import Put

    suite = build(Settings(data=folder / "data", fetch=False))
    kit = suite.kit
    ids: dict[str, str] = {}
    for username, role in ROLES.items():
        name = username.partition("-")[0].title()
        account = await kit.accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
        await kit.accounts.administration.set_roles(kit.accounts.operator(), account.user_id, [role])
        ids[username] = account.user_id
    now = "2026-01-26T10:32:00.000000Z"
    long_texts = {f"section_{n}": f"## Section {n}\n\n" + "Rain fell. " * 400 for n in range(1, 21)}

    async def add(code: str, title: str, texts: dict[str, str], **more: Any) -> None:
        owner = ids[AUTHOR]
        await kit.store.write(
            Put(
                Newsletter(
                    id=code,
                    newsletter_code=code,
                    title=title,
                    user_id=owner,
                    user_email="olga@example.org",
                    created_at=now,
                    updated_at=now,
                    touched_at=now,
                    current_step=4,
                    status="completed",
                    **more,
                )
            )
        )
        whole = "\n\n".join((f"# {title}", *texts.values()))
        draft = Draft(
            newsletter_code=code,
            draft_status="completed",
            sections=texts,
            generated_content=whole,
            citations=CITATIONS,
            word_count=len(whole.split()),
            estimated_read_time="1 minute",
            generated_at=now,
            updated_at=now,
        )
        found = {
            "id": "chunk-1",
            "topic": "Research Findings",
            "source": "s1",
            "content": _PASSAGE,
            "metadata": {"source_id": "s1", "title": "Dryland cereals", "date": "2026-01-15", "page": 12},
        }
        await kit.store.write(Put(draft))
        await kit.store.write(
            Put(Topics(newsletter_code=code, retrieval_status="completed", retrieved_content=(found,), updated_at=now))
        )
        for shared in (
            Share(code=code, user_id=ids[COLLEAGUE], role="editor", shared_by=owner, shared_at=now),
            Share(code=code, user_id=ids[READER], role="reader", shared_by=owner, shared_at=now),
        ):
            await kit.store.write(Put(shared))

    await add(EN, "Weekly Research Digest", TEXTS)
    await add(AR, "النشرة الأسبوعية", _ARABIC, language="ar", theme="bulletin")
    await add(LONG, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk " * 3, long_texts, theme="field")
    await suite.close()
