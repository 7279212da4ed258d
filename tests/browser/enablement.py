"""A portal to look at: people with every role, released content of every kind, and drafts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Browser

from tests.browser.house import NO_FETCH, PASSWORD, House
from tests.browser.ready import elsewhere, serving
from tests.kit.previews.samples import pdf

VIEWER, CONTRIBUTOR, APPROVER, ADMIN = "vera-viewer", "cora-contributor", "aron-approver", "xena-admin"
_ROLES = {
    VIEWER: "",
    CONTRIBUTOR: "enablement:contributor",
    APPROVER: "enablement:approver",
    ADMIN: "enablement:admin",
}
_API = "/api/enablement"
_LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 2
CSV = "Model,Price,Discount\n" + "\n".join(f"Atlas {n},{n * 100},{n} %" for n in range(1, 80))


@contextmanager
def portal_with(browser: Browser, folder: Path, *, filled: bool = True) -> Iterator[House]:
    """The suite with a portal in which there is something to find."""
    elsewhere(_fill, folder, filled)
    with serving(folder, NO_FETCH) as suite:
        house = House(suite.url, browser, frozenset({"enablement"}))
        for username in _ROLES:
            with house.program() as somebody:
                answer = somebody.post("/sign-in", form={"identity": username, "password": PASSWORD})
                assert answer.ok, answer.text()
                house.keys[username] = somebody.storage_state()
        yield house


def call(portal: House, who: str, method: str, path: str, body: Any = None) -> Any:
    """What a program of somebody does."""
    with portal.program(who) as program:
        answer = program.fetch(f"{portal.url}{_API}{path}", method=method, data=body)
        assert answer.ok, answer.text()
        return answer.json()


def picture() -> bytes:
    """A drawing with colours."""
    drawn = Image.new("RGB", (1600, 1000), "#1b6e8c")
    pen = ImageDraw.Draw(drawn)
    for step in range(12):
        pen.ellipse((60 * step, 40 * step, 60 * step + 500, 40 * step + 400), outline="#ffd27d", width=9)
    made = io.BytesIO()
    drawn.save(made, "PNG")
    return made.getvalue()


async def _fill(folder: Path, filled: bool) -> None:
    from partita.apps.enablement.inputs import Approval, Attachment, NewContent, NewUpload, Retirement, Submission
    from partita.apps.enablement.schema import Products, Suite
    from partita.apps.enablement.service import EnablementService
    from partita.bootstrap import build
    from partita.kit.permissions import Viewer
    from partita.kit.settings import Settings
    from partita.table import Put

    suite = build(Settings(data=folder / "data", fetch=False))
    kit = suite.kit
    service = EnablementService(kit)
    accounts = kit.accounts
    viewers: dict[str, Viewer] = {}
    for username, role in _ROLES.items():
        name = username.partition("-")[0].title()
        account = await accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
        await accounts.administration.set_roles(accounts.operator(), account.user_id, [role] if role else [])
        session = await accounts.sessions.sign_in(username, PASSWORD, user_agent="Test/1.0")
        viewers[username] = await accounts.recognition.from_session(session.token)
    cora, aron = viewers[CONTRIBUTOR], viewers[APPROVER]

    async def add(title: str, data: bytes = b"", name: str = "", *, released: bool = True, **fields: Any) -> str:
        values = {"summary": f"What to know about: {title[:60]}.", "text": _TEXT, **fields}
        content = await service.content.create(cora, NewContent(title=title, **values))
        if data:
            begun = await service.attachments.begin(cora, content.content_id, NewUpload(file_name=name))
            await kit.files.save(begun.row.s3_key, data, "application/octet-stream")
            attachment = Attachment(upload_id=begun.row.upload_id)
            await service.attachments.attach(cora, content.content_id, attachment)
        if released:
            waiting = await service.lifecycle.submit(cora, content.content_id, Submission())
            await service.lifecycle.approve(aron, content.content_id, Approval(version=waiting.version))
        return content.content_id

    if filled:
        suites = (
            Suite(name="Atlas", concepts=("Pricing", "Calibration"), colour=8),
            Suite(name="Borealis", concepts=("Installation",), colour=5),
            Suite(name="Cirrus", concepts=("Safety",), colour=11),
        )
        audiences, stages = ("Sellers", "Support"), ("Launch", "Mature")
        await kit.store.write(Put(Products(suites=suites, audiences=audiences, stages=stages)))
        pages = [f"Calibrating the spectrometer, step {number}" for number in range(1, 8)]
        atlas: dict[str, Any] = {"product_suite": "Atlas", "product_concept": "Pricing", "audience_role": "Sellers"}
        await add("Calibrating Atlas", pdf(*pages), "calibration.pdf", tags=("lab", "optics"), **atlas)
        await add("Atlas price list", CSV.encode(), "prices.csv", text=None, tags=("prices",), **atlas)
        await add("How Borealis looks", picture(), "borealis.png", product_suite="Borealis", tags=("lab",))
        await add("Installing Borealis", product_suite="Borealis", product_concept="Installation")
        await add("Safety first", product_suite="Cirrus", product_concept="Safety", audience_role="Support")
        await add(_LONG + "and everything that belongs to it", product_suite="Cirrus")
        await add("كيف تستخدم أطلس", product_suite="Atlas")
        await add("アトラスの使い方", product_suite="Atlas")
        await add("Prices of next year", released=False, **atlas)
        old = await add("Prices of last year", **atlas)
        new = await add("Prices of this year", **atlas)
        gone = Retirement(reason="These prices are no longer valid.", superseded_by=new)
        await service.lifecycle.retire(aron, old, gone)
    await suite.close()


_TEXT = """# Why it matters

Customers ask for **three things**: price, *delivery*, and `support`.

- First ask what they measure.
- Then show [the catalogue](https://example.org/catalogue).

| Model | Price |
|---|---|
| Atlas 1 | 100 |
| Atlas 2 | 200 |

> Never promise a discount.
"""
