"""Finding files that no item names: what a crash, a mistake or another program has left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from partita.kit.files.files import Files, ListedFile
from partita.kit.files.names import segments_of
from partita.kit.files.schema import Upload
from partita.store.store import AsyncStore

MayFollow = Callable[[str, str], Awaitable[None]]
GRACE = timedelta(days=1)
"""Files younger than this are left alone: the item that names them may be on its way."""
_FEW = 100


@dataclass(frozen=True, slots=True)
class OwnedFiles:
    """The files of a system: those whose names begin with `prefix/`, and a function that says which its items name."""

    prefix: str
    named: Callable[[], AsyncIterator[str]]
    """Every name that an item names right now. It reads the items themselves, consistently (`scan_whole_table`), and
    also yields what is made from files and kept beside them, such as thumbnails."""

    may_follow: MayFollow | None = None
    """Asked whenever a link to one of the files is followed, with the file's name and what the link was made with
    (`files.url(claim=…)`); it raises if the file is no longer for whoever got the link. Links without a claim do not
    work then."""

    def __post_init__(self) -> None:
        segments_of(self.prefix)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep saw."""

    looked_at: int
    unnamed: tuple[ListedFile, ...]
    deleted: bool
    incoming: int
    """How many uploads had broken off; 0 if nothing was deleted."""

    @property
    def size(self) -> int:
        """The bytes of the files that nothing names."""
        return sum(file.size for file in self.unnamed)


class TooMuchUnnamed(Exception):
    """So many files that nothing names: rather the tables are not those that belong to the files."""

    def __init__(self, found: Swept) -> None:
        super().__init__(f"{len(found.unnamed):,} of {found.looked_at:,} files are named by nothing")
        self.found = found


async def sweep(
    files: Files,
    store: AsyncStore,
    owners: Sequence[OwnedFiles],
    *,
    now: datetime,
    grace: timedelta = GRACE,
    delete: bool = False,
    most_share: float = 1.0,
) -> Swept:
    """Find the files that nothing names, and delete them if told to. Files of nobody's prefix are not looked at. Rather
    than more than a hundred files and more than `most_share` of all it deletes none: `TooMuchUnnamed`."""
    old: list[ListedFile] = []
    for prefix in _outermost(owner.prefix for owner in owners):
        old += [file async for file in files.listed(prefix) if file.saved_at < now - grace]
    unnamed = await _unnamed(old, store, owners)
    if delete and unnamed:
        if len(unnamed) > max(_FEW, most_share * len(old)):
            raise TooMuchUnnamed(Swept(len(old), unnamed, False, 0))
        # A name that went from an item that was not read yet to one that was is seen the second time.
        unnamed = await _unnamed(unnamed, store, owners)
        for file in unnamed:
            await files.delete(file.name)
    incoming = await files.clear_incoming(now - max(grace, GRACE)) if delete else 0
    return Swept(len(old), unnamed, delete, incoming)


async def _unnamed(
    files: Sequence[ListedFile], store: AsyncStore, owners: Sequence[OwnedFiles]
) -> tuple[ListedFile, ...]:
    # First the uploads, then the items: a claim takes the name from the one to the other in one transaction, so that
    # whoever looks in this order sees it in at least one of them.
    named = {upload.name async for upload in store.scan_whole_table(Upload)}
    for owner in owners:
        named.update([name async for name in owner.named()])
    return tuple(file for file in files if file.name not in named)


def _outermost(prefixes: Iterable[str]) -> list[str]:
    """Each place once, though one may lie in another."""
    found: list[str] = []
    for prefix in sorted(set(prefixes)):
        if not any(prefix.startswith(f"{other}/") for other in found):
            found.append(prefix)
    return found
