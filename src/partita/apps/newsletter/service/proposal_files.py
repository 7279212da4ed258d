"""The files of a proposal: the call, own documents and annexes, read onto a shelf that no other search looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from partita.apps.newsletter.formats import as_stored
from partita.apps.newsletter.inputs import SourceFacts
from partita.apps.newsletter.schema import Proposal, Source
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, files_of
from partita.apps.newsletter.service.proposing.call_signs import named_like_a_call, reads_like_a_call
from partita.apps.newsletter.service.proposing.frames import ProposalSection, sections_of_headings
from partita.apps.newsletter.service.reading.reading import read_in
from partita.apps.newsletter.service.source_removal import SourceRemovals
from partita.apps.newsletter.service.sources import Sources
from partita.kit.clock import stamp
from partita.kit.files import UploadedFile, UploadedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.problems import FieldError, Invalid, NotFound, Problem, TooLarge

_FEW = 3
FileKind = Literal["call", "reference", "annex"]
FILE_KINDS: dict[FileKind, str] = {"call": "The call", "reference": "Own documents", "annex": "Annexes"}
MOST_FILES = 60
_LOOKED_AT, _LOOKED_AT_BYTES = 3, 2_000_000
"""So many files, of so many bytes at most, are looked into before they are added."""


def file_kind(name: str) -> FileKind | None:
    """The kind of that name."""
    return next((kind for kind in FILE_KINDS if kind == name), None)


class ProposalFiles:
    """Adding and removing files."""

    def __init__(self, kit: Kit, proposals: Proposals, sources: Sources, removals: SourceRemovals) -> None:
        self._kit = kit
        self._proposals = proposals
        self._sources = sources
        self._removals = removals

    async def add_all(
        self, viewer: Viewer, code: str, kind: FileKind | None, sent: UploadedFiles
    ) -> tuple[list[Source], list[tuple[str, Problem]]]:
        """Files that were sent together: the sources, and why others are none. Without a kind they are own documents,
        but for the first that looks like the call if there is none yet."""
        added: list[Source] = []
        refused = list(sent.refused)
        call = None if kind else await self._call_among(viewer, code, sent.files)
        for file in sent.files:
            wanted: FileKind = kind or ("call" if file is call else "reference")
            try:
                added.append(await self.add(viewer, code, wanted, file))
            except Problem as problem:
                refused.append((file.called, problem))
        return added, refused

    async def _call_among(self, viewer: Viewer, code: str, files: Sequence[UploadedFile]) -> UploadedFile | None:
        """The file that looks like the call of a proposal which has none: by its name, else by its text."""
        there = await self._proposals.read(viewer, code, write=True)
        if there.files.get("call"):
            return None
        named = next((file for file in files if named_like_a_call(file.called)), None)
        if named is not None:
            return named
        for file in [each for each in files if each.size <= _LOOKED_AT_BYTES][:_LOOKED_AT]:
            try:
                data = (await self._kit.files.load(file.name)).data
                reading = await read_in(data, file.name, self._kit.clock.now().date())
            except (PreviewRefused, Problem):
                continue  # what is wrong with it is said when it is read
            if reads_like_a_call("\n".join(passage.text for passage in reading.passages)):
                return file
        return None

    async def add(self, viewer: Viewer, code: str, kind: FileKind, file: UploadedFile) -> Source:
        """A file; it is read in the background, onto the proposal's own shelf."""
        source = await self._sources.add_file(viewer, file, SourceFacts(shelf=code, tags=(kind,)))
        entry = {
            "name": file.called,
            "s3_key": file.name,
            "size": file.size,
            "type": file.kind,
            "time": stamp(self._kit.clock),
            "source_id": source.source_id,
        }

        def change(before: OpenProposal) -> Proposal:
            files = files_of(before.proposal)
            if sum(map(len, files.values())) >= MOST_FILES:
                raise TooLarge(f"At most {MOST_FILES} files for a proposal.")
            files.setdefault(kind, []).append(entry)
            return before.proposal.model_copy(update={"uploaded_files": as_stored(files)})

        try:
            await self._proposals.change(viewer, code, change)
        except Problem:
            await self._removals.delete(viewer, source.source_id)
            raise
        return source

    async def template(self, file: UploadedFile) -> tuple[ProposalSection, ...]:
        """The sections of a document whose headings are to be a frame; the file itself is not kept."""
        try:
            data = (await self._kit.files.load(file.name)).data
            reading = await read_in(data, file.name, self._kit.clock.now().date())
        finally:
            await self._kit.uploads.discard(file.name)
        levels = [level for passage in reading.passages for level, _ in passage.above]
        headings = [
            heading for passage in reading.passages for level, heading in passage.above if level <= _depth(levels)
        ]
        bare = [passage.text for passage in reading.passages if passage.text == passage.heading]
        sections = sections_of_headings([*headings, *bare])
        if not sections:
            raise Invalid(FieldError("files", "This document has no headings. Choose one with headings, or a frame."))
        return sections

    async def remove(self, viewer: Viewer, code: str, s3_key: str) -> None:
        """Take a file away, with what was read of it."""
        taken: dict[str, Any] = {}

        def change(before: OpenProposal) -> Proposal:
            files = files_of(before.proposal)
            for listed in files.values():
                for each in listed:
                    if each.get("s3_key") == s3_key:
                        taken.update(each)
            if not taken:
                raise NotFound("There is no such file.", code="no_such_file")
            left = {kind: [each for each in listed if each.get("s3_key") != s3_key] for kind, listed in files.items()}
            kept = {kind: listed for kind, listed in left.items() if listed}
            return before.proposal.model_copy(update={"uploaded_files": as_stored(kept)})

        await self._proposals.change(viewer, code, change)
        if taken.get("source_id"):
            await self._removals.delete_private(str(taken["source_id"]))

    async def sources(self, viewer: Viewer, code: str) -> dict[str, Source]:
        """What was read of its files, by source id."""
        page = await self._sources.page(viewer, shelf=code, limit=100)
        return {each.source_id: each for each in page}


def _depth(levels: Sequence[int]) -> int:
    """To which level headings are sections: the highest level alone if it has a few, else the next one too."""
    if not levels:
        return 0
    top = min(levels)
    if levels.count(top) >= _FEW:
        return top
    return min((level for level in levels if level > top), default=top)
