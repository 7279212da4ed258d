"""A draft for one's own mail program: text and HTML, with the pictures inside."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

from partita.apps.newsletter.service.documents.edition import Edition, Export
from partita.apps.newsletter.service.documents.mail import mail_markup, mail_warnings
from partita.apps.newsletter.service.documents.model import figures
from partita.apps.newsletter.service.documents.plain_text import plain_text

EML = "message/rfc822"
_DOMAIN = "edition.invalid"


def mail_draft(edition: Edition, *, short: bool = False) -> Export:
    """An `.eml` that opens as a draft (`X-Unsent`)."""
    document = edition.document
    used = {figure.source for figure in figures(document.blocks)}
    pictures = {name: picture for name, picture in edition.pictures.items() if name in used}
    names = {name: f"picture-{place}@{_DOMAIN}" for place, name in enumerate(pictures)}
    logo = f"logo@{_DOMAIN}" if edition.brand.logo is not None else ""
    addresses = {name: f"cid:{each}" for name, each in names.items()}
    markup = mail_markup(edition, addresses, logo=f"cid:{logo}" if logo else "", short=short)
    mail = EmailMessage(SMTP)
    mail["Subject"] = " ".join(part for part in (document.title, document.issue_label) if part) or "Newsletter"
    mail["X-Unsent"] = "1"
    mail.set_content(plain_text(edition), cte="quoted-printable")
    mail.add_alternative(markup, subtype="html", cte="quoted-printable")
    html = mail.get_payload()[1]  # type: ignore[index]
    inside = [(names[name], picture) for name, picture in pictures.items()]
    if logo and edition.brand.logo is not None:
        inside.append((logo, edition.brand.logo))
    for name, picture in inside:
        main, _, sub = picture.kind.partition("/")
        html.add_related(  # type: ignore[union-attr]
            picture.data,
            maintype=main,
            subtype=sub,
            cid=f"<{name}>",
            disposition="inline",
            filename=f"{name[:9]}.{sub}",
        )
    warnings = (*edition.warnings, *mail_warnings(edition, markup, pictures_inside=True))
    return Export(mail.as_bytes(), EML, warnings=warnings)
