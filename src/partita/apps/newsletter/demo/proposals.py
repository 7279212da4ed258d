"""The demo's proposals: a draft whose call was read, one in review, and one that was submitted."""

from __future__ import annotations

from datetime import timedelta

from partita.apps.newsletter.demo.library import in_words
from partita.apps.newsletter.demo.people import AUTHOR, EDITOR
from partita.apps.newsletter.demo.stage import Stage
from partita.apps.newsletter.inputs import NewProposal, NewShare, ProposalSectionText
from partita.apps.newsletter.service.sources import FOLDER
from partita.kit.files import UploadedFile
from partita.kit.files.content import TEXT

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
    service, viewer = stage.service.proposals, stage.viewers[AUTHOR]
    draft = await service.create(
        viewer,
        NewProposal(
            title="Sand dams for 60 villages",
            frame="full_proposal",
            funder="Horn Water Fund",
            deadline=today + timedelta(days=45),
            amount=175_000,
            currency="USD",
        ),
    )
    data = in_words(_CALL, "en", today).encode()
    name = await stage.kit.uploads.keep(FOLDER, data, TEXT)
    code = draft.proposal_code
    await stage.service.proposal_files.add(viewer, code, "call", UploadedFile(name, TEXT, len(data), "call.md"))
    await stage.work()
    await stage.service.steps.start(viewer, code, "requirements")
    await stage.work()
    written = await service.read(viewer, code)
    section = written.sections[0]
    text = "Sixty villages in Karamoja have no water from January to March. Sand dams store it where it falls."
    await service.save_section(
        viewer, code, section.key, ProposalSectionText(text=text, revision=written.proposal.revision)
    )
    await stage.service.proposal_drafting.start(viewer, code)
    await stage.work()
    for title, states in (
        ("Fodder banks at schools", ("in_review",)),
        ("Airtight bags for 5,000 households", ("in_review", "ready", "submitted")),
    ):
        made = await service.create(viewer, NewProposal(title=title, funder="Dryland Trust", currency="USD"))
        for state in states:
            if state == "in_review":
                await stage.service.shares.share(viewer, made.proposal_code, NewShare(to=EDITOR, review=True))
            else:
                await service.set_status(viewer, made.proposal_code, state)
    return "3 proposals"
