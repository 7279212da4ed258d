"""The demo's proposals: a draft for a call that was read, one in review, and one that was submitted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from partita.apps.newsletter.demo.library import in_words
from partita.apps.newsletter.demo.people import AUTHOR, EDITOR
from partita.apps.newsletter.demo.stage import Stage
from partita.apps.newsletter.inputs import NewProposal, NewShare
from partita.apps.newsletter.service.sources import FOLDER
from partita.kit.files import UploadedFile
from partita.kit.files.content import TEXT

_PROJECTS = Path(__file__).parent / "projects"
_CALL = """# Call for proposals: water in dry seasons

## Who can apply
Applicants must be registered in an IGAD member state. Consortia are eligible if one partner is an organisation of
farmers or herders.

## What we fund
The fund pays at most 180,000 dollars for each project. Projects must not last longer than 24 months. A contribution of
ten percent is required.

## How to apply
The proposal must not exceed ten pages. A budget by year is required. The summary shall have no more than 300 words.
The deadline for applications is {+45}.

## Criteria
Proposals are judged by relevance (40 points), quality of the method (35 points) and cost (25 points).
"""


async def fill(stage: Stage) -> str:
    """Make them."""
    today = stage.now.date()
    files = stage.service.proposal_files
    viewer = stage.viewers[AUTHOR]
    dams = NewProposal(
        title="Sand dams for 60 villages",
        frame="full_proposal",
        funder="Horn Water Fund",
        deadline=today + timedelta(days=45),
        amount=175_000,
        currency="USD",
    )
    code = (await stage.service.proposals.create(viewer, dams)).proposal_code
    await files.add(viewer, code, "call", await _kept(stage, in_words(_CALL, "en", today).encode(), "call.md"))
    await stage.work()
    await stage.service.steps.start(viewer, code, "requirements")
    await stage.work()
    await _written(stage, code, "sand-dams")
    for title, amount, project, states in (
        ("Fodder banks at schools", 59_000, "fodder-banks", ("in_review",)),
        ("Airtight bags for 5,000 households", 60_000, "airtight-bags", ("in_review", "ready", "submitted")),
    ):
        new = NewProposal(title=title, funder="Dryland Trust", amount=amount, currency="USD")
        made = await stage.service.proposals.create(viewer, new)
        await _written(stage, made.proposal_code, project)
        for state in states:
            if state == "in_review":
                await stage.service.shares.share(viewer, made.proposal_code, NewShare(to=EDITOR, review=True))
            else:
                await stage.service.proposals.set_status(viewer, made.proposal_code, state)
    return "3 proposals"


async def _written(stage: Stage, code: str, project: str) -> None:
    """What the applicant says of the project as a file, and each section drafted from it."""
    viewer, name = stage.viewers[AUTHOR], f"{project}.md"
    file = await _kept(stage, (_PROJECTS / name).read_bytes(), name)
    await stage.service.proposal_files.add(viewer, code, "reference", file)
    await stage.work()
    await stage.service.proposal_drafting.start(viewer, code)
    await stage.work()


async def _kept(stage: Stage, data: bytes, name: str) -> UploadedFile:
    return UploadedFile(await stage.kit.uploads.keep(FOLDER, data, TEXT), TEXT, len(data), name)
