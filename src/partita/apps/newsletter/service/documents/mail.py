"""The edition as mail: tables 600 pixels wide and styles on every element, which all mail programs keep."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.html import HTML, issue_line
from partita.apps.newsletter.service.documents.mail_blocks import MailBlocks, MailStyles
from partita.apps.newsletter.service.documents.model import Picture, figures
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.themes import light

WARN_BYTES = 90_000
CLIP_BYTES = 102_000
"""Gmail shows no more of a mail than this."""
_WIDTH = 600
_FILLER = "&#8199;&#847; " * 60
"""After the preheader, so that programs do not show the beginning of the text behind it."""


def mail_edition(edition: Edition, *, short: bool = False) -> Export:
    """The mail as one HTML file; pictures are at the web edition, or are left out with a warning."""
    markup = mail_markup(edition, dict(edition.picture_addresses), short=short)
    return Export(markup.encode(), HTML, warnings=(*edition.warnings, *mail_warnings(edition, markup)))


def mail_warnings(edition: Edition, markup: str, *, pictures_inside: bool = False) -> list[str]:
    """What a sender should know: size, and pictures that only the .eml has."""
    size = len(markup.encode())
    found = []
    if size > CLIP_BYTES:
        found.append(
            f"The mail has {size / 1000:.0f} KB, and Gmail cuts it off after {CLIP_BYTES // 1000}. "
            "Send the short version, which leads to the web edition."
        )
    elif size > WARN_BYTES:
        found.append(f"The mail has {size / 1000:.0f} KB; Gmail cuts mail off after {CLIP_BYTES // 1000}.")
    names = {each.source for each in figures(edition.document.blocks)} & set(edition.pictures)
    if not pictures_inside and names - set(edition.picture_addresses):
        found.append("Pictures are only in the .eml file until the edition can be read online.")
    return found


def mail_markup(edition: Edition, pictures: Mapping[str, str], *, logo: str = "", short: bool = False) -> str:
    """The whole mail. `pictures` says where pictures are, `logo` where the logo is; `short` ends every story after its
    first paragraph."""
    document = edition.document
    styles = MailStyles.of(edition)
    words = phrases(document.language)
    blocks = MailBlocks(edition, styles, pictures)
    rows = [_preheader(edition), _online(edition, styles), _band(edition), _masthead(edition, styles, logo)]
    rows.append(_cell(blocks.html(document.blocks, short=short), styles, padding="22px 24px 8px"))
    if short and edition.read_online:
        rows.append(_cell(_button(edition.read_online, words.read_online, styles), styles, padding="8px 24px 24px"))
    rows += [
        _cell(part, styles, padding="16px 24px 8px") for part in (blocks.sources(), _foot(edition, styles)) if part
    ]
    inside = "\n".join(row for row in rows if row)
    ground = styles.colours.tint
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="{escape(document.language)}" dir="{document.direction}">\n'
        f'<head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="x-apple-disable-message-reformatting"><title>{escape(document.title)}</title></head>\n'
        f'<body style="margin:0;padding:0;background-color:{ground};" bgcolor="{ground}">\n'
        f'<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="{ground}" '
        f'dir="{document.direction}"><tr><td align="center" style="padding:0;">\n'
        f'<table role="presentation" width="{_WIDTH}" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" '
        f'style="width:100%;max-width:{_WIDTH}px;background-color:#ffffff;">\n{inside}\n</table>\n</td></tr></table>\n'
        "</body></html>\n"
    )


def _cell(inside: str, styles: MailStyles, *, padding: str, ground: str = "#ffffff") -> str:
    return (
        f'<tr><td align="{styles.start}" bgcolor="{ground}" style="padding:{padding};background-color:{ground};'
        f'{styles.text}">{inside}</td></tr>'
    )


def _preheader(edition: Edition) -> str:
    text = edition.document.preheader
    if not text:
        return ""
    return (
        '<tr><td style="padding:0;"><div style="display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;'
        f'opacity:0;overflow:hidden;mso-hide:all;">{escape(text)}{_FILLER}</div></td></tr>'
    )


def _online(edition: Edition, styles: MailStyles) -> str:
    if not edition.read_online:
        return ""
    label = escape(phrases(edition.document.language).read_online)
    return (
        f'<tr><td align="{styles.end}" style="padding:10px 24px;{styles.small}">'
        f'<a href="{escape(edition.read_online)}" style="{styles.quiet_link}">{label}</a></td></tr>'
    )


def _band(edition: Edition) -> str:
    if edition.theme.name == "field":
        return ""
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td height="14" bgcolor="{each}" style="height:14px;line-height:14px;font-size:1px;'
            f'background-color:{each};">&nbsp;</td>'
            for each in row
        )
        + "</tr>"
        for row in bands.cells(edition.document.code or edition.document.title, edition.brand.colour)
    )
    return (
        '<tr><td style="padding:0;"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" '
        f'border="0">{rows}</table></td></tr>'
    )


def _masthead(edition: Edition, styles: MailStyles, logo: str) -> str:
    document, brand = edition.document, edition.brand
    colours = light(edition.theme, brand.colour)
    filled = edition.theme.name == "bulletin"
    ink = colours.on_block if filled else colours.ink
    quiet = colours.on_block if filled else colours.quiet
    ground = colours.block if filled else "#ffffff"
    picture = ""
    if logo and brand.logo is not None:
        width, height = _fitted(brand.logo, 180, 48)
        picture = (
            f'<img src="{escape(logo)}" alt="{escape(brand.name)}" width="{width}" height="{height}" '
            'style="display:block;border:0;margin:0 0 14px;">'
        )
    line = brand.line or brand.name
    name = f'<p style="{styles.small_in(quiet)}margin:0 0 10px;">{escape(line)}</p>' if line else ""
    issue = " &middot; ".join(escape(each) for each in issue_line(edition))
    below = f'<p style="{styles.small_in(quiet)}margin:10px 0 0;">{issue}</p>' if issue else ""
    rule = "" if filled else f"border-bottom:3px solid {colours.accent};"
    return (
        f'<tr><td align="{styles.start}" bgcolor="{ground}" style="padding:26px 24px 24px;background-color:{ground};'
        f'{rule}">{picture}{name}<h1 style="{styles.title(ink)}">{escape(document.title)}</h1>{below}</td></tr>'
    )


def _foot(edition: Edition, styles: MailStyles) -> str:
    brand = edition.brand
    parts = []
    if brand.sign_off:
        parts.append(f'<p style="{styles.text}margin:0 0 12px;">{_lines(brand.sign_off)}</p>')
    parts += [
        f'<p style="{styles.small}margin:0 0 10px;">{_lines(text)}</p>'
        for text in (brand.imprint, edition.document.made_with)
        if text
    ]
    return "".join(parts)


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _button(address: str, label: str, styles: MailStyles) -> str:
    colours = styles.colours
    return (
        '<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>'
        f'<td bgcolor="{colours.block}" style="background-color:{colours.block};padding:12px 22px;">'
        f'<a href="{escape(address)}" style="{styles.button}">{escape(label)}</a></td></tr></table>'
    )


def _fitted(picture: Picture, width: int, height: int) -> tuple[int, int]:
    scale = min(width / picture.width, height / picture.height, 1)
    return max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
