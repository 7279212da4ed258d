"""What to mend before an edition goes out, in one list: pictures, the report card, the mail and open notes. Each entry
leads to its section, and to its words if they are in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import Note
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.mail import mail_markup, mail_warnings
from partita.apps.newsletter.service.documents.model import Figure, figures
from partita.apps.newsletter.service.documents.reading import read_blocks
from partita.apps.newsletter.service.draft import DraftText

REPORT_LINES = {
    "faithful": "Faithful to the sources",
    "cited": "Sources named",
    "covered": "Stories told",
    "repeats": "Nothing twice",
    "stands_alone": "Stands alone",
    "variety": "Variety of sources",
    "fresh": "Fresh",
    "length": "Length",
    "readable": "Easy to read",
}
"""Line of the report card → as people read it."""
_MOST_PLACES = 4
_LABEL = 90
_CITATION = re.compile(r"\s*\[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class MendPlace:
    """A place of something that is to be mended."""

    label: str
    where: str


@dataclass(frozen=True, slots=True)
class Mend:
    """Something to mend."""

    text: str
    where: str
    """The page on which it is mended: that of its first place, if it has places."""
    places: tuple[MendPlace, ...] = ()


def to_mend(text: DraftText, edition: Edition, notes: Sequence[Note]) -> tuple[Mend, ...]:
    """Everything, what is wrong in every format first."""
    return (*text_mends(text, edition), *_card(text), *_mail(text, edition), *_notes(text, notes))


def text_mends(text: DraftText, edition: Edition) -> tuple[Mend, ...]:
    """Numbers and pictures that are wrong in every format, section by section."""
    return (*_numbers(text), *_pictures(text, edition))


def place_in(text: DraftText, section: str, words: str = "") -> str:
    """The address of a section, with the words to look at if they are in it."""
    wanted = {"section": section}
    if words and _has(text, section, words):
        wanted["place"] = words[:300]
    return f"{_base(text)}/write?{urlencode(wanted)}#editor"


def _numbers(text: DraftText) -> Iterator[Mend]:
    lost = [(each, number) for each in text.sections for number in each.unresolved]
    if not lost or not _line(text, "cited").get("ok", True):
        return  # the report card says it
    numbers = ", ".join(f"[{number}]" for number in dict.fromkeys(number for _, number in lost))
    places = [MendPlace(f"{each.title}: [{number}]", place_in(text, each.key, f"[{number}]")) for each, number in lost]
    yield _mend(text, f"No source is known for {numbers}.", places)


def _pictures(text: DraftText, edition: Edition) -> Iterator[Mend]:
    found = [
        (key, figure)
        for key, markdown in text.texts.items()
        for figure in figures(read_blocks(markdown, text.newsletter.language))
    ]
    missing = [each for each in found if each[1].source not in edition.pictures]
    if missing:
        count = _count(len(missing), "picture")
        yield _mend(text, f"{count} of the text cannot be found.", [_picture(text, *each) for each in missing])
    without = [each for each in found if not each[1].alt]
    if without:
        told = f"{_count(len(without), 'picture')} without a description for those who cannot see it."
        yield _mend(text, told, [_picture(text, *each) for each in without])


def _picture(text: DraftText, key: str, figure: Figure) -> MendPlace:
    name = figure.caption or figure.source.rpartition("/")[2]
    return MendPlace(f"{text.one(key).title}: {name}", place_in(text, key, figure.source))


def _card(text: DraftText) -> Iterator[Mend]:
    """What the report card says of the text as it is saved."""
    for name, label in REPORT_LINES.items():
        line = _line(text, name)
        if line.get("ok", True):
            continue
        places = [
            MendPlace(_label(text, str(each["section"]), str(each["text"])), card_place(text, each))
            for each in line.get("places") or ()
            if each.get("section")
        ]
        yield _mend(text, f"{label}: {line.get('text', '')}", places)


def card_place(text: DraftText, place: Mapping[str, Any]) -> str:
    """Where a place of the report card is; its words may begin with the number that is wrong in them."""
    section, words = str(place.get("section") or ""), str(place.get("text") or "")
    plain = _CITATION.sub("", words).strip()
    started = re.match(r"(\S+\s+){3}\S+", plain)
    return place_in(text, section, plain if _has(text, section, plain) else started[0] if started else plain)


def _has(text: DraftText, section: str, words: str) -> bool:
    return " ".join(words.split()) in " ".join(text.texts.get(section, "").split())


def _mail(text: DraftText, edition: Edition) -> Iterator[Mend]:
    where = f"{_base(text)}/finish#format-email"
    for told in mail_warnings(edition, mail_markup(edition, dict(edition.picture_addresses))):
        yield Mend(told, where)


def _notes(text: DraftText, notes: Sequence[Note]) -> Iterator[Mend]:
    still = [each for each in notes if each.open]
    if still:
        review = f"{_base(text)}/review#note-"
        told = "1 note is open." if len(still) == 1 else f"{len(still)} notes are open."
        places = [MendPlace(_label(text, each.section_key, each.text), review + each.note_id) for each in still]
        yield _mend(text, told, places)


def _mend(text: DraftText, told: str, places: Sequence[MendPlace]) -> Mend:
    where = places[0].where if places else f"{_base(text)}/write?panel=report#panel"
    return Mend(told, where, tuple(places[:_MOST_PLACES]))


def _label(text: DraftText, section: str, words: str) -> str:
    title = next((each.title for each in text.sections if each.key == section), "")
    short = words if len(words) <= _LABEL else words[: _LABEL - 1].rsplit(" ", 1)[0] + "…"
    return f"{title}: {short}" if title else short


def _line(text: DraftText, name: str) -> Mapping[str, Any]:
    line = as_plain(text.draft.quality).get(name)
    return line if isinstance(line, Mapping) else {}


def _base(text: DraftText) -> str:
    return f"/newsletter/editions/{text.newsletter.newsletter_code}"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
