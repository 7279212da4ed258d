"""An import of the demo: three rows became drafts, three were refused."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Stage, entries
from partita.apps.enablement.service.files import ATTACHMENTS
from partita.kit.files import UploadedFile
from partita.kit.files.content import TEXT
from partita.kit.spreadsheets import line

_CALLED = "drafts-from-the-old-folder.csv"


async def fill(stage: Stage) -> str:
    """A contributor's import, two days ago."""
    wanted = entries("import")
    viewer = stage.viewers["ioana"]
    service, _ = stage.past(2, _CALLED)
    sheet = "".join(map(line, (wanted["columns"], *wanted["rows"])))
    checks = await service.imports.begin(viewer, sheet.encode(), _CALLED)
    for called, text in wanted["files"].items():
        data = text.encode()
        name = await stage.kit.uploads.keep(ATTACHMENTS, data, TEXT)
        await service.imports.add_file(viewer, checks.work.import_id, UploadedFile(name, TEXT, len(data), called))
    done = await service.imports.make_drafts(viewer, checks.work.import_id)
    return f"an import of {done.done_rows} drafts"
