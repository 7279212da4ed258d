"""Which files our items name, for `partita files sweep`: exports, pictures, logos, originals of sources."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from partita.apps.newsletter.schema import Brand, Draft, Proposal, Source
from partita.kit.files.names import segments_of
from partita.kit.kit import Kit

EDITIONS = "newsletters"
"""Where the document keeps exports; pictures and logos lie there too."""


PROPOSALS = "proposals"
"""Exports of proposals."""


class LetterFiles:
    """Names of files that are in use."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def of_editions(self) -> AsyncIterator[str]:
        """Exports, pictures and logos."""
        async for draft in self._store.scan_whole_table(Draft):
            for name in keys_of((*draft.exports.values(), *draft.images)):
                yield name
        async for brand in self._store.scan_whole_table(Brand):
            if brand.logo_key:
                yield brand.logo_key

    async def of_proposals(self) -> AsyncIterator[str]:
        """Exports of proposals, and files of theirs that other programs keep beside them."""
        async for proposal in self._store.scan_whole_table(Proposal):
            for name in keys_of((*proposal.exports.values(), *_uploaded(proposal))):
                yield name

    async def of_sources(self) -> AsyncIterator[str]:
        """Originals of sources, and files of proposals."""
        async for source in self._store.scan_whole_table(Source):
            if source.file_key:
                yield source.file_key
        async for proposal in self._store.scan_whole_table(Proposal):
            for name in keys_of(_uploaded(proposal)):
                yield name


def _uploaded(proposal: Proposal) -> list[Any]:
    return [each for files in proposal.uploaded_files.values() if isinstance(files, list | tuple) for each in files]


def keys_of(values: Iterable[Any]) -> list[str]:
    """The files that entries name: their own, and the pictures of their pages."""
    named: list[Any] = []
    for each in values:
        named += [each.get("s3_key") if isinstance(each, dict) else each, *pages_of(each)]
    return [name for name in named if isinstance(name, str) and name]


def pages_of(export: Any) -> tuple[str, ...]:
    """The pictures of the pages of an export."""
    return tuple(map(str, export.get("page_keys") or ())) if isinstance(export, dict) else ()


def own_files(folder: str, code: str, names: Iterable[str]) -> list[str]:
    """Those that are of one newsletter or proposal: another program may have written any name into its draft."""

    def is_own(name: str) -> bool:
        try:
            top, owner, *rest = segments_of(name)
        except ValueError:  # no name of a file, or of one part alone
            return False
        return top == folder and owner.casefold() == code.casefold() and bool(rest)

    return [name for name in dict.fromkeys(names) if is_own(name)]
