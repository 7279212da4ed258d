"""ZIP archives: the names of what is inside. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from partita.kit.previews.refusals import PreviewRefused

_UNBOUND = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def names_in(data: bytes, most: int) -> list[str]:
    """The names of the files in an archive, in its order; folders are left out, and nothing is unpacked."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = [_UNBOUND.sub(" ", each.filename)[:300] for each in archive.infolist() if not each.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, RuntimeError):
        raise PreviewRefused("This archive is damaged. Save it again and try once more.") from None
    return names[:most]
