"""Editions to test with: one with everything in it, in English, Arabic and Amharic; and arbitrary ones."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import strategies as st
from PIL import Image

from partita.apps.newsletter.service.documents.edition import Brand, Edition
from partita.apps.newsletter.service.documents.model import (
    Block,
    Break,
    Cite,
    CodeBlock,
    Document,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Span,
    Table,
)
from partita.apps.newsletter.service.documents.reading import read_document

ENGLISH = """---
title: "Weekly Research Digest"
language: "en"
code: "NL-20261116-A1B2"
issue_label: "No. 12"
date: "2026-11-16"
region: "East Africa"
preheader: "Early rains, sorghum, and a fund."
made_with: "Sentences from 3 sources, by the offline writer."
sources:
  - {"number": 1, "title": "Seasonal outlook", "publisher": "Climate Centre", "date": "2026-10-02", "page": "4", "url": "https://example.org/outlook?a=1&b=2"}
  - {"number": 2, "title": "Sorghum on five sites", "date": "2026-09-18", "url": "https://example.org/sorghum"}
  - {"number": 3, "title": "Nobody cites this"}
---

# Weekly Research Digest

Welcome to the twelfth issue: eight stories, and one *new* fund.

## Climate & season

### Early rains reach the highlands

Rain began in the second week of September, **two weeks early**. [1] Totals were 118 mm at Gondar. [1] [2]

- **118 mm** fell at Gondar [1]
- **14 days** before the mean

> We had the ground ready because the radio told us.

![Terraced fields below a low sun](images/fields.png "Terraces in October")

## Research findings

1. Spare parts cost 120 dollars.
2. A committee repairs a pump in six days. [2]

| Site | Altitude (m) | Yield |
|:-----|-----:|:----:|
| Kobo | 1,470 | 2.31 |
| Moyale | 1,090 | 1.66 [2] |

Table: Yield without irrigation

See [the institute's page](https://example.org/institute) for `more <details>`.

#### Notes

Thank you for reading.
"""

ARABIC = """---
title: "النشرة الأسبوعية"
language: "ar"
code: "NL-20261116-K7Q2"
issue_label: "العدد 12"
date: "2026-11-16"
sources:
  - {"number": 1, "title": "التوقعات الموسمية", "publisher": "المركز الإقليمي", "url": "https://example.org/outlook"}
---

# النشرة الأسبوعية

## المناخ والموسم

بدأت الأمطار في سبتمبر وبلغت 118 mm في Gondar حتى نهاية أكتوبر. [1]

| الموقع | المحصول |
|---|---:|
| القضارف | 2.28 |

The English summary is available from the institute.

## الخاتمة

شكرا على القراءة.
"""

AMHARIC = """---
title: "ሳምንታዊ መጽሔት"
language: "am"
code: "NL-20261116-Z3C4"
date: "2026-11-16"
---

# ሳምንታዊ መጽሔት

## አየር ንብረት

ዝናቡ በመስከረም ጀመረ፣ በጎንደር (Gondar) 118 mm ዘነበ።

## ማጠቃለያ

ስላነበቡ እናመሰግናለን።
"""

BRAND = Brand(
    name="Research Network",
    line="Research Network",
    colour="#1f6f54",
    imprint="Research Network, Djibouti\ndesk@example.org",
    sign_off="Until next week",
)


def picture(width: int = 60, height: int = 40, kind: str = "PNG") -> Picture:
    made = io.BytesIO()
    Image.new("RGB", (width, height), "#88aa66").save(made, kind)
    return Picture(made.getvalue(), f"image/{kind.lower()}", width, height)


def edition(text: str = ENGLISH, theme: Any = "journal", **more: Any) -> Edition:
    given: dict[str, Any] = {"brand": BRAND, "pictures": {"images/fields.png": picture()}} | more
    return Edition(read_document(text), theme, **given)


def long_document(stories: int) -> Document:
    """Of about a page for every two stories."""
    sentence = "Rain began in the second week of September over the western highlands, two weeks early. [1] "
    parts = [f"## Section {place}\n\n### Story {place}\n\n{sentence * 9}\n\n{sentence * 6}" for place in range(stories)]
    head = '---\ntitle: "A long one"\nsources:\n  - {"number": 1, "title": "Outlook"}\n---\n\n'
    return read_document(head + "\n\n".join(parts))


_CHARACTERS = [*"ab1 .*_`[]()!<>#-+=|\\&;:~\"'é\u00a0س\n"]
_TEXT = st.text(st.sampled_from(_CHARACTERS), max_size=6)
_LINKS = st.sampled_from(["", "", "https://a.b/c?d=1&e=(2)", "mailto:a@b.c"])
_SPANS = st.builds(Span, _TEXT, st.booleans(), st.booleans(), st.booleans(), _LINKS)
_PIECES = st.lists(_SPANS | st.builds(Cite, st.integers(1, 12)) | st.just(Break()), max_size=5).map(tuple)
_ROWS = st.lists(st.lists(_PIECES, max_size=3).map(tuple), max_size=2).map(tuple)
_LEAVES: st.SearchStrategy[Block] = st.one_of(
    st.builds(Paragraph, _PIECES),
    st.builds(Heading, st.integers(1, 3), _PIECES),
    st.just(Rule()),
    st.builds(CodeBlock, _TEXT, st.sampled_from(["", "py"])),
    st.builds(Figure, st.just("images/a.png"), _TEXT, _TEXT),
    st.builds(
        Table,
        st.lists(_PIECES, min_size=1, max_size=3).map(tuple),
        _ROWS,
        st.lists(st.sampled_from(["", "left", "right", "center"]), max_size=3).map(tuple),
        _PIECES,
    ),
)


def _nested(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    items = st.lists(st.lists(inner, max_size=3).map(tuple), max_size=3).map(tuple)
    return st.builds(ListBlock, items, st.none() | st.integers(0, 20)) | st.builds(
        Quote, st.lists(inner, max_size=3).map(tuple)
    )


BLOCKS = st.lists(st.recursive(_LEAVES, _nested, max_leaves=8), max_size=4)
"""Blocks that nobody would write."""
_SIGNS = (
    *("\n\n", "**", "__", "```", "    ", "[1]", "[23]", "](http://x.y)", "![", "- ", "1. ", "> ", "## "),
    *("| a | b |\n|---|---|\n", "&amp;", "&#97;", "አ", "Table: ", "---\n", "\\\n", "<script>", "javascript:"),
)
MARKUP = st.lists(st.sampled_from([*_CHARACTERS, *_SIGNS]), max_size=25).map("".join)
"""Texts full of signs that mean something."""
