"""What readers say: votes, and reports of which two are answered."""

from __future__ import annotations

import random

from partita.apps.enablement.demo.stage import Entry, Stage, each, entries
from partita.apps.enablement.inputs import NewReport, ReportAnswer, VoteInput
from partita.apps.enablement.service.reports import public_id

_VOTERS = ("ines", "kwame", "yuki", "layla", "fergus")
_HELPFUL = 0.85
_VOTED = 0.4
_ANSWERED_AFTER = 3


async def fill(stage: Stage) -> str:
    """Votes on what is released, and the reports."""
    votes = [
        {"content": entry["key"], "by": by, "ago": entry["daysAgo"] // 2}
        for entry in entries("content")
        if entry["state"] == "released"
        for by in _VOTERS
        if random.Random(f"{by} on {entry['key']}").random() < _VOTED
    ]
    await each(votes, lambda vote: _vote(stage, vote))
    reports = entries("reports")
    await each(reports, lambda report: _report(stage, report))
    return f"{len(votes)} votes, {len(reports)} reports"


async def _vote(stage: Stage, vote: Entry) -> None:
    seed = f"{vote['by']} votes on {vote['content']}"
    service, _ = stage.past(vote["ago"], seed)
    helped = VoteInput(helped=random.Random(seed).random() < _HELPFUL)
    await service.votes.vote(stage.viewers[vote["by"]], stage.content[vote["content"]], helped)


async def _report(stage: Stage, report: Entry) -> None:
    service, clock = stage.past(report["daysAgo"], report["text"])
    made = await service.reports.add(
        stage.viewers[report["by"]], stage.content[report["content"]], NewReport(text=report["text"])
    )
    if "answer" in report:
        clock.to(stage.moment(report["daysAgo"] - _ANSWERED_AFTER, report["answer"]))
        answer = ReportAnswer(answer=report["answer"])
        await service.reports.close(stage.viewers[report["answeredBy"]], public_id(made), answer)
