"""The stylesheet of a theme: the same for the web edition, the preview, and the PDF, whose pages are added to it."""

from __future__ import annotations

from partita.apps.newsletter.service.documents.themes import SANS, SERIF, Colours, Face, Theme, dark, light

_SHEET_MM = 210
_LEAST_MARGIN_MM = 20
_MM_A_POINT = 0.3528


def stylesheet(theme: Theme, colour: str) -> str:
    """The styles of an edition, all below the class `edition`, so that a page can hold one."""
    return "\n".join(
        (
            _tokens(theme, colour),
            _TEXT,
            _PARTS,
            _LOOKS[theme.name],
            _NARROW,
            f"@media (prefers-color-scheme: dark) {{ .edition {{ {_colours(dark(theme, colour))} }} {_DARK} }}",
            f"@media print {{ .edition {{ {_colours(light(theme, colour))} }} {_PRINT} }}",
        )
    )


def switched_styles(theme: Theme, colour: str) -> str:
    """The same for a page of ours, whose reader may have chosen light or dark whatever the system says."""
    return "\n".join(
        (
            stylesheet(theme, colour),
            f':root[data-theme="dark"] .edition {{ {_colours(dark(theme, colour))} }}',
            f':root[data-theme="light"] .edition {{ {_colours(light(theme, colour))} }}',
        )
    )


def page_styles(theme: Theme, *, rtl: bool) -> str:
    """What a PDF adds: sheets of A4, running heads, page numbers, bookmarks and leaders."""
    start, end = ("right", "left") if rtl else ("left", "right")
    return (
        _PAGES.replace("@start", f"@bottom-{start}")
        .replace("@end", f"@bottom-{end}")
        .replace("@top-start", f"@top-{start}")
        .replace("$SIDE", f"{side_margin(theme):g}mm")
        .replace("$POINTS", f"{theme.points:g}pt")
        .replace("$FACE", _stack(theme.heading))
    )


def side_margin(theme: Theme) -> float:
    """The margin of a sheet in millimetres that leaves a line of the theme's measure."""
    width = theme.measure * theme.points * _MM_A_POINT
    return round(max(_SHEET_MM - width, 2 * _LEAST_MARGIN_MM) / 2, 1)


def page_document() -> str:
    """What the web edition needs around the edition itself."""
    return _DOCUMENT


def _stack(face: Face) -> str:
    return SERIF if face == "serif" else SANS


def _tokens(theme: Theme, colour: str) -> str:
    sizes = theme.sizes
    return (
        f".edition {{ --body: {_stack(theme.body)}; --heading: {_stack(theme.heading)}; --sans: {SANS}; "
        f"--base: {theme.pixels}px; --leading: {theme.leading:g}; --measure: {theme.measure:g}em; "
        f"--small: {sizes.small:g}em; --story: {sizes.story:g}em; --section: {sizes.section:g}em; "
        f"--title: {sizes.title:g}em; {_colours(light(theme, colour))} }}"
    )


def _colours(colours: Colours) -> str:
    return (
        f"--paper: {colours.paper}; --ink: {colours.ink}; --quiet: {colours.quiet}; --line: {colours.line}; "
        f"--tint: {colours.tint}; --accent: {colours.accent}; --block: {colours.block}; --on-block: {colours.on_block};"
    )


_TEXT = """
.edition { box-sizing: border-box; margin: 0; padding: 0 0 3em; background: var(--paper); color: var(--ink);
  font: var(--base)/var(--leading) var(--body); text-align: start; overflow-wrap: break-word; hyphens: manual; }
.edition *, .edition *::before, .edition *::after { box-sizing: border-box; }
.edition .column { width: 100%; max-width: var(--measure); margin-inline: auto; padding-inline: 1.1em; }
.edition:lang(ar), .edition :is(p, li, td):lang(ar) { line-height: 1.85; }
.edition:lang(am), .edition :is(p, li, td):lang(am) { line-height: 1.75; }
.edition h1, .edition h2, .edition h3, .edition h4 { font-family: var(--heading); color: var(--ink); margin: 0;
  font-weight: 700; line-height: 1.22; text-wrap: balance; }
.edition h1 { font-size: var(--title); letter-spacing: -0.012em; line-height: 1.12; }
.edition :is(h1, h2, h3, h4):lang(ar), .edition :is(h1, h2, h3, h4):lang(am) { letter-spacing: 0; line-height: 1.42; }
.edition h2 { font-size: var(--section); margin: 2em 0 0.55em; }
.edition h3 { font-size: var(--story); margin: 1.65em 0 0.45em; }
.edition h4 { font-size: 1em; margin: 1.4em 0 0.3em; }
.edition h2 + h3 { margin-top: 0.6em; }
.edition p { margin: 0 0 0.85em; text-wrap: pretty; }
.edition a { color: var(--accent); text-decoration: underline; text-decoration-thickness: 0.06em;
  text-underline-offset: 0.16em; }
.edition a:hover { text-decoration-thickness: 0.12em; }
.edition a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.edition ul, .edition ol { margin: 0 0 0.95em; padding-inline-start: 1.35em; }
.edition li { margin: 0 0 0.35em; }
.edition li > p { margin: 0 0 0.35em; }
.edition li::marker { color: var(--accent); }
.edition blockquote { margin: 1.3em 0; padding-inline-start: 1.1em; border-inline-start: 0.18em solid var(--accent);
  font-size: 1.06em; font-style: italic; }
.edition blockquote p:last-child { margin-bottom: 0; }
.edition blockquote em { font-style: normal; }
.edition blockquote:lang(ar), .edition blockquote:lang(am) { font-style: normal; }
.edition pre { margin: 1.1em 0; padding: 0.8em 1em; background: var(--tint); overflow-x: auto; font-size: 0.86em;
  line-height: 1.5; direction: ltr; text-align: left; white-space: pre-wrap; }
.edition code { font-family: "Noto Sans Mono", ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; }
.edition hr { border: 0; height: 1px; background: var(--line); margin: 2em auto; width: 40%; }
.edition .cite { font-family: var(--sans); font-size: 0.68em; line-height: 0; vertical-align: 0.42em;
  font-weight: 600; font-style: normal; text-decoration: none; padding-inline: 0.1em; white-space: nowrap; }
.edition .cite:hover { text-decoration: underline; }
"""

_PARTS = """
.edition .masthead { margin: 0 0 1.8em; }
.edition .band { display: block; width: 100%; height: 2.6em; }
.edition .nameplate { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4em 0.9em; font-family: var(--sans);
  font-size: var(--small); color: var(--quiet); }
.edition .nameplate .logo { max-height: 3em; max-width: 11em; width: auto; }
.edition .issue { font-family: var(--sans); font-size: var(--small); color: var(--quiet); margin: 0.9em 0 0;
  line-height: 1.5; }
.edition .issue > span + span::before { content: "\\00B7"; padding-inline: 0.5em; color: var(--quiet); }
.edition .cover-facts { margin: 1.2em 0 0; display: grid; grid-template-columns: max-content 1fr; gap: 0.3em 1.2em;
  font-family: var(--sans); font-size: 0.92em; }
.edition .cover-facts dt { color: var(--quiet); }
.edition .cover-facts dd { margin: 0; }
.edition .contents { font-family: var(--sans); font-size: 0.9em; line-height: 1.5; margin: 0 0 2em; }
.edition .contents h2 { font-family: var(--sans); font-size: var(--small); font-weight: 700; color: var(--accent);
  margin: 0 0 0.7em; text-wrap: initial; }
.edition .contents ol { list-style: none; margin: 0; padding: 0; }
.edition .contents li { margin: 0 0 0.3em; }
.edition .contents a { color: inherit; text-decoration: none; }
.edition .contents a:hover { text-decoration: underline; }
.edition .contents ol ol { padding-inline-start: 1.1em; color: var(--quiet); }
.edition .wide-table { overflow-x: auto; margin: 1.4em 0; }
.edition table { border-collapse: collapse; width: 100%; font-family: var(--sans); font-size: 0.86em; line-height: 1.45;
  font-variant-numeric: tabular-nums lining-nums; }
.edition caption { caption-side: top; text-align: start; font-weight: 600; padding: 0 0 0.5em; }
.edition th, .edition td { padding: 0.45em 0.7em; text-align: start; vertical-align: top;
  border-bottom: 1px solid var(--line); }
.edition th { font-weight: 700; border-bottom: 2px solid var(--ink); vertical-align: bottom; }
.edition tr > :first-child { padding-inline-start: 0; }
.edition tr > :last-child { padding-inline-end: 0; }
.edition .many-columns table { font-size: 0.74em; line-height: 1.35; }
.edition .many-columns th, .edition .many-columns td { padding-inline: 0.4em; }
.edition .left { text-align: left; } .edition .center { text-align: center; } .edition .right { text-align: right; }
.edition figure { margin: 1.6em 0; }
.edition figure img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.edition figcaption { font-family: var(--sans); font-size: var(--small); color: var(--quiet); margin-top: 0.5em; }
.edition .missing { border: 1px dashed var(--line); padding: 1em; color: var(--quiet); font-family: var(--sans);
  font-size: var(--small); }
.edition ul.key-figures { list-style: none; margin: 1.3em 0 1.5em; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0.2em 0; font-family: var(--sans); font-size: 0.88em; line-height: 1.4;
  border-top: 2px solid var(--accent); border-bottom: 1px solid var(--line); }
.edition ul.key-figures > li { flex: 1 1 8.5em; margin: 0; padding: 0.75em 1em 0.75em 0; }
.edition[dir="rtl"] ul.key-figures > li { padding: 0.75em 0 0.75em 1em; }
.edition ul.key-figures > li > strong:first-child { display: block; font-size: 1.45em; line-height: 1.2;
  color: var(--accent); font-family: var(--heading); margin-bottom: 0.12em; }
.edition .sources { font-family: var(--sans); font-size: var(--small); line-height: 1.5; margin-top: 2.6em;
  padding-top: 1em; border-top: 1px solid var(--line); }
.edition .sources h2 { font-size: 1.15em; margin: 0 0 0.7em; }
.edition .sources ol { list-style: none; padding: 0; margin: 0; }
.edition .sources li { display: flex; gap: 0.5em; margin: 0 0 0.5em; }
.edition .sources .number { flex: 0 0 2.1em; color: var(--quiet); font-variant-numeric: tabular-nums; }
.edition .sources .entry { flex: 1 1 0; min-width: 0; }
.edition .sources .address { overflow-wrap: anywhere; }
.edition .sources .to-text { text-decoration: none; color: inherit; }
.edition .sources .to-text:hover { text-decoration: underline; }
.edition .sources li:target { background: var(--tint); }
.edition .colophon { font-family: var(--sans); font-size: var(--small); line-height: 1.55; color: var(--quiet);
  margin-top: 2.4em; padding-top: 1em; border-top: 1px solid var(--line); }
.edition .colophon p { margin: 0 0 0.6em; white-space: pre-line; }
.edition .colophon .sign-off { color: var(--ink); font-family: var(--body); font-size: 1.2em; }
"""

_LOOKS = {
    "journal": """
.edition .masthead { text-align: center; padding-top: 2em; }
.edition .masthead .nameplate { justify-content: center; margin-bottom: 1.1em; }
.edition .masthead .rules { border-top: 3px double var(--ink); border-bottom: 1px solid var(--ink);
  padding: 1.15em 0 1.05em; }
.edition .masthead .band { height: 0.62em; margin: 1.3em auto 0; width: 11em; }
.edition .masthead h1 { font-weight: 600; }
.edition h2 { font-weight: 600; border-bottom: 1px solid var(--line); padding-bottom: 0.28em; }
.edition .contents h2, .edition .sources h2 { border-bottom: 0; padding-bottom: 0; }
.edition h3 { font-weight: 700; }
.edition .contents { border-bottom: 1px solid var(--line); padding-bottom: 1.2em; }
.edition .text > p:first-child { font-size: 1.09em; }
""",
    "bulletin": """
.edition .masthead { background: var(--block); color: var(--on-block); }
.edition .masthead .column { padding-block: 1.7em 1.6em; }
.edition .masthead h1 { color: var(--on-block); }
.edition .masthead .nameplate, .edition .masthead .issue, .edition .masthead .issue > span + span::before,
.edition .masthead .cover-facts dt { color: var(--on-block); }
.edition .masthead .nameplate { margin-bottom: 1em; font-weight: 600; }
.edition .masthead .nameplate .logo { background: #fff; padding: 0.35em 0.5em; border-radius: 3px; }
.edition .band { height: 3.1em; }
.edition h2 { color: var(--accent); }
.edition h2::before { content: ""; display: block; width: 2.2em; height: 0.2em; background: var(--accent);
  margin-bottom: 0.55em; }
.edition .contents h2::before, .edition .sources h2::before { display: none; }
.edition .contents { background: var(--tint); padding: 1.1em 1.3em 0.9em; border-radius: 4px; }
.edition ul.key-figures { border: 0; background: var(--tint); border-radius: 4px; padding: 0.35em 1.2em;
  gap: 0.2em 1.4em; }
.edition .wide-table { background: var(--tint); border-radius: 4px; padding: 0.8em 1.1em 0.5em; }
.edition tbody tr:last-child > * { border-bottom: 0; }
.edition blockquote { background: var(--tint); border-inline-start-width: 0.3em; padding: 0.9em 1.2em;
  border-radius: 0 4px 4px 0; }
.edition[dir="rtl"] blockquote { border-radius: 4px 0 0 4px; }
""",
    "field": """
.edition .masthead { padding-top: 1.4em; }
.edition .masthead .rules { border-bottom: 5px solid var(--ink); padding-bottom: 1em; }
.edition .masthead .band { display: none; }
.edition .masthead .nameplate { font-weight: 700; color: var(--ink); margin-bottom: 0.6em; }
.edition .masthead .issue { font-weight: 600; color: var(--ink); font-size: 0.92em; }
.edition h1 { font-weight: 800; }
.edition h2 { border-top: 5px solid var(--ink); padding-top: 0.3em; font-weight: 800; }
.edition .contents h2, .edition .sources h2 { border: 0; color: var(--ink); padding: 0; font-size: 1.05em; }
.edition .contents { border: 2px solid var(--ink); padding: 0.9em 1.1em 0.7em; font-size: 1em; }
.edition .contents ol ol { color: var(--ink); }
.edition a { text-decoration-thickness: 0.09em; }
.edition .cite { font-size: 0.72em; }
.edition ul.key-figures { border: 2px solid var(--ink); padding: 0.2em 1em; }
.edition th, .edition td { border: 1px solid var(--ink); padding: 0.4em 0.6em; }
.edition tr > :first-child { padding-inline-start: 0.6em; } .edition tr > :last-child { padding-inline-end: 0.6em; }
.edition th { background: var(--tint); }
.edition blockquote { font-style: normal; font-weight: 600; border-inline-start-width: 0.3em; }
""",
    "letter": """
.edition .masthead { padding-top: 2.2em; margin-bottom: 1.4em; }
.edition .masthead .band { height: 0.4em; width: 5.5em; margin: 0 0 1.2em; }
.edition .masthead .nameplate { margin-bottom: 1.2em; }
.edition h1 { letter-spacing: -0.006em; line-height: 1.25; }
.edition .issue { margin-top: 0.4em; }
.edition .contents { display: none; }
.edition h2 { margin: 1.7em 0 0.4em; }
.edition h3 { margin: 1.3em 0 0.2em; }
.edition hr { width: 100%; }
.edition ul.key-figures { border-top-width: 1px; }
""",
}

_NARROW = """
@media (max-width: 700px) { .edition .contents ol ol { display: none; } }
@media (max-width: 480px) {
  .edition { --title: 1.85em; --section: 1.3em; --base: 16px; }
  .edition ul.key-figures > li { flex-basis: 100%; padding-block: 0.45em; }
}
"""

_DARK = ".edition img { background: #fff; }"

_PRINT = """
.edition { padding: 0; }
.edition .column { max-width: none; padding-inline: 0; }
.edition :is(h2, h3, h4, caption, .leads-on) { break-after: avoid; }
.edition figure, .edition li, .edition tr, .edition ul.key-figures, .edition blockquote { break-inside: avoid; }
.edition p, .edition li { orphans: 2; widows: 2; }
.edition thead { display: table-header-group; }
.edition .wide-table { overflow: visible; }
"""

_DOCUMENT = """
html { background: #fff; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; }
.skip { position: absolute; inset-inline-start: -100vw; top: 0; background: #16181d; color: #fff; padding: 0.6em 1em;
  font: 16px/1.4 sans-serif; }
.skip:focus { inset-inline-start: 0; z-index: 1; }
@media (prefers-color-scheme: dark) { html { background: #111; } }
@media print { .skip { display: none; } }
@media (min-width: 1100px) {
  .edition.with-side .sheet { display: grid; grid-template-columns: 1fr minmax(0, var(--measure)) 1fr; }
  .edition.with-side .sheet > .column { grid-column: 2; }
  .edition.with-side .sheet > .side { grid-column: 1; grid-row: 1; justify-self: end; width: 15em; }
  .edition.with-side .contents ol ol { display: none; }
  .edition.with-side .contents { background: none; border: 0; position: sticky; top: 1.5em; margin: 0.4em 1.5em 0 1em; }
}
"""

_PAGES = """
html, body { margin: 0; padding: 0; }
@page { size: A4; margin: 23mm $SIDE 24mm; font: 8pt $FACE;
  @top-start { content: string(edition); font: 8pt $FACE; color: #555; vertical-align: bottom; padding-bottom: 6mm; }
  @end { content: counter(page) " / " counter(pages); direction: ltr; font: 8pt $FACE; color: #555; vertical-align: top;
    padding-top: 6mm; font-variant-numeric: tabular-nums; }
  @start { content: string(section); font: 8pt $FACE; color: #555; vertical-align: top; padding-top: 6mm; }
}
@page :first { @top-start { content: none; } @start { content: none; } }
@page cover { margin: 0; @top-start { content: none; } @start { content: none; } @end { content: none; } }
.edition { --base: $POINTS; font-size: $POINTS; }
.edition .running { string-set: edition content(text); position: absolute; width: 0; height: 0; overflow: hidden;
  color: transparent; font-size: 1pt; }
.edition .text h2 { string-set: section content(text); }
.edition h1 { bookmark-level: 1; } .edition .text h2, .edition .sources h2 { bookmark-level: 2; }
.edition .text h3 { bookmark-level: 3; }
.edition h4, .edition .contents h2, .edition .cover h2 { bookmark-level: none; }
.edition .contents a { display: block; }
.edition .contents ol ol { display: block; }
.edition .contents a::after { content: leader(". ") target-counter(attr(href), page);
  font-variant-numeric: tabular-nums; color: var(--quiet); }
.edition .contents > ol > li > a { font-weight: 600; }
.edition .contents li { break-inside: avoid; }
.edition .colophon { break-before: avoid; break-inside: avoid; }
.edition .sources h2 { break-after: avoid; }
.edition.bulletin .masthead .column { padding-inline: 8mm; }
.edition.bulletin .masthead { break-inside: avoid; }
.edition figure img { max-height: 120mm; }
.edition .many-columns { margin-inline: calc(15mm - $SIDE); }
.edition .many-columns th { hyphens: auto; }
"""
