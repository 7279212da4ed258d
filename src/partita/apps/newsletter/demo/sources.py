"""The demo's sources, added as people add them, and read in."""

from __future__ import annotations

import asyncio

from partita.apps.newsletter import schema
from partita.apps.newsletter.demo import library
from partita.apps.newsletter.demo.documents import file_of
from partita.apps.newsletter.demo.library import DemoSource
from partita.apps.newsletter.demo.people import EDITOR
from partita.apps.newsletter.demo.stage import Stage
from partita.apps.newsletter.inputs import NewSource, SourceEdit, SourceFacts
from partita.apps.newsletter.schema import Source
from partita.apps.newsletter.service.sources import FOLDER
from partita.kit.files import UploadedFile
from partita.kit.lists import find


async def fill(stage: Stage) -> str:
    """Add all sources, read them in, and correct their titles and days as people do."""
    added = [(each, await _add(stage, each)) for each in library.sources()]
    stage.sources |= {source.slug: stored.source_id for source, stored in added}
    await stage.work()
    for source, stored in added:
        await _correct(stage, source, stored)
    await stage.index()
    return f"{len(added)} sources"


async def _add(stage: Stage, source: DemoSource) -> Source:
    service, viewer = stage.service.sources, stage.viewers[EDITOR]
    today = stage.now.date()
    if source.kind == "text":
        text = f"{source.title}\n\n{source.markdown(today).replace('## ', '')}"
        return await service.add(viewer, NewSource(title=source.title, text=text, tags=source.tags))
    data, called, kind = await asyncio.to_thread(file_of, source, today)
    name = await stage.kit.uploads.keep(FOLDER, data, kind)
    file = UploadedFile(name, kind, len(data), called)
    return await service.add_file(viewer, file, SourceFacts(tags=source.tags))


async def _correct(stage: Stage, source: DemoSource, stored: Source) -> None:
    now = await find(stage.kit.store, schema.source, stored.source_id)
    if now is None or now.status != "ready":
        return
    edit = SourceEdit(
        title=source.title,
        published=source.published(stage.now.date()),
        publisher=source.head["publisher"],
        language=source.language,
        revision=now.revision,
    )
    await stage.service.sources.edit(stage.viewers[EDITOR], now.source_id, edit)
