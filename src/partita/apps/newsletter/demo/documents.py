"""The demo's files, made when they are needed: pages, PDFs with tables and running heads, Word files."""

from __future__ import annotations

import html
import io
import random
from datetime import date
from typing import Any

from partita.apps.newsletter.demo.library import DemoSource
from partita.kit.files.content import DOCX, HTML, PDF, TEXT

_DISTRICTS = (
    *("Arsi", "Borena", "Jimma", "Konso", "Afar", "Gedeo", "Nakuru", "Baringo", "Isiolo", "Turkana", "Garissa", "Meru"),
    *("Marsabit", "Machakos", "Kakamega", "Kitui", "Soroti", "Mbale", "Lira", "Gulu", "Kotido", "Masaka", "Moroto"),
    *("Arua", "Gedaref", "Kassala", "Sennar", "Berbera", "Afmadow", "Baidoa", "Dikhil", "Obock", "Torit", "Yei"),
    *("Bor", "Rumbek", "Jijiga", "Dollo", "Mandera", "Wajir"),
)
_STYLE = """
@page { size: A4; margin: 24mm 20mm; @top-center { content: "%(running)s"; font-size: 9pt; }
        @bottom-center { content: counter(page) " / " counter(pages); font-size: 9pt; } }
body { font-family: "Noto Serif", "Noto Serif Ethiopic", "Noto Naskh Arabic", serif;
       font-size: 11pt; line-height: 1.45; }
h1 { font-size: 20pt; } h2 { font-size: 13pt; } table { border-collapse: collapse; width: 100%%; font-size: 9pt; }
th, td { border: 0.5pt solid #666; padding: 2pt 4pt; text-align: left; } .columns { columns: 2; column-gap: 9mm; }
.district { break-before: page; }
"""


def file_of(source: DemoSource, today: date) -> tuple[bytes, str, str]:
    """A source as a file: its content, what it is called, and what kind it is."""
    if source.kind == "pdf":
        return _pdf(source, today), f"{source.slug}.pdf", PDF
    if source.kind == "docx":
        return _docx(source, today), f"{source.slug}.docx", DOCX
    if source.kind == "html":
        return _page(source, today).encode(), f"{source.slug}.html", HTML
    return f"# {source.title}\n\n{source.markdown(today)}\n".encode(), f"{source.slug}.md", TEXT


def _sections(source: DemoSource, today: date) -> str:
    return "\n".join(
        f"<h2>{html.escape(heading)}</h2>\n"
        + "\n".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n") if line.strip())
        for heading, _, text in source.sections(today)
    )


def _page(source: DemoSource, today: date) -> str:
    """A web page as sites have it: with a menu, a foot and a script around the article."""
    day = source.published(today).isoformat()
    direction = ' dir="rtl"' if source.language == "ar" else ""
    return (
        f'<!doctype html><html lang="{source.language}"{direction}><head><meta charset="utf-8">'
        f"<title>{html.escape(source.title)}</title>"
        f'<meta property="article:published_time" content="{day}">'
        f'<meta name="author" content="{html.escape(source.head["publisher"])}"></head><body>'
        '<nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About</a></nav>'
        f"<main><article><h1>{html.escape(source.title)}</h1>\n{_sections(source, today)}</article></main>"
        '<footer><p>All rights reserved.</p></footer><script>console.log("visits")</script></body></html>'
    )


def _pdf(source: DemoSource, today: date) -> bytes:
    import weasyprint

    running = source.title.replace('"', "") if source.head.get("layout") == "book" else ""
    body = _sections(source, today)
    if source.head.get("layout") == "columns":
        body = f'<div class="columns">{body}</div>'
    if source.head.get("layout") == "book":
        body += "".join(map(_district, _DISTRICTS))
    day = source.published(today).isoformat()
    text = (
        f'<html lang="{source.language}"><head><title>{html.escape(source.title)}</title>'
        f'<meta name="dcterms.created" content="{day}"><style>{_STYLE % {"running": running}}</style></head>'
        f"<body><h1>{html.escape(source.title)}</h1><p>{html.escape(source.head['publisher'])}</p>{body}</body></html>"
    )
    written: bytes = weasyprint.HTML(string=text, url_fetcher=_refuse).write_pdf()
    return written


def _refuse(url: str, *_: Any, **__: Any) -> Any:
    raise ValueError(f"The demo's documents load nothing: {url}")


def _district(name: str) -> str:
    """A page of figures about a district, the same ones every time."""
    dice = random.Random(name)
    crops = (("Maize", 2.4), ("Sorghum", 1.3), ("Wheat", 2.1), ("Beans", 0.9), ("Teff", 1.5))
    rows = "".join(
        f"<tr><td>{crop}</td><td>{dice.randrange(4, 90)},{dice.randrange(100, 999)}</td>"
        f"<td>{base * dice.uniform(0.7, 1.3):.1f}</td><td>{dice.randrange(-15, 24)} %</td></tr>"
        for crop, base in crops
    )
    rain, herd = dice.randrange(310, 1400), dice.randrange(40, 900)
    return (
        f'<div class="district"><h2>{name}</h2><p>Rain in {name} came to {rain} millimetres,'
        f" {dice.randrange(2, 30)} percent {dice.choice(('more', 'less'))} than in the year before."
        f" Households in {name} kept about {herd},000 cattle, sheep and goats.</p>"
        f"<p>Table: Crops in {name}</p><table><tr><th>Crop</th><th>Hectares</th><th>Tonnes per hectare</th>"
        f"<th>Change</th></tr>{rows}</table></div>"
    )


def _docx(source: DemoSource, today: date) -> bytes:
    import docx

    document = docx.Document()
    document.core_properties.title = source.title
    document.core_properties.author = source.head["publisher"]
    document.add_heading(source.title, 0)
    for heading, _, text in source.sections(today):
        document.add_heading(heading, 1)
        for line in filter(str.strip, text.split("\n")):
            document.add_paragraph(line)
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()
