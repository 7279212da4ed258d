"""Mail of the accounts in words, as text and as HTML. Nobody's name in it can carry a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from partita.kit.accounts.schema import Account
from partita.kit.letters import greeting, paper
from partita.kit.mail import Message

_PARAGRAPH = Markup('<p style="margin:0 0 16px">{}</p>\n')
_BUTTON = Markup(
    '<p style="margin:0 0 16px"><a href="{url}" style="display:inline-block;padding:8px 16px;background:#2a5bd7;'
    'color:#fff;border-radius:6px;text-decoration:none">{label}</a></p>\n'
)
_PLAIN = Markup('<p style="margin:0 0 16px;color:#5b6470;font-size:13px;word-break:break-all">{}</p>\n')
_FOOT = Markup('<p style="margin:0">{} <a href="{url}" style="color:#5b6470">{url}</a></p>')
_WHY = "Sent by"


def mail(
    to: str,
    name: str,
    subject: str,
    says: Sequence[str],
    *,
    base_url: str,
    link: tuple[str, str] = ("", ""),
    id: str = "",
) -> Message:
    """A mail of these paragraphs. The link, a label and an address, comes after the first one."""
    label, url = link
    text = [greeting(name), says[0], *([url] if url else []), *says[1:], f"-- \n{_WHY} {base_url}"]
    body = _PARAGRAPH.format(says[0])
    if url:
        body += _BUTTON.format(label=label, url=url) + _PLAIN.format(url)
    body += Markup().join(map(_PARAGRAPH.format, says[1:]))
    html = paper(subject, name, body, _FOOT.format(_WHY, url=base_url))
    return Message(to, subject, "\n\n".join(text) + "\n", html, id)


def confirm_address(to: str, account: Account, url: str, *, days: int, base_url: str) -> Message:
    """The link that makes an address somebody's own. It may reach a stranger, so it greets the username: the name is
    whatever its sender has typed."""
    ask = f"Please confirm that this is the email address of the account {account.username}."
    says = (
        f"{ask} Open this link within {days} days:",
        "If this was not you, ignore this mail: the address is not used unless the link is opened.",
    )
    subject = "Confirm your email address"
    return mail(to, account.username, subject, says, base_url=base_url, link=("Confirm address", url))


def address_known(to: str, owner: Account, *, base_url: str) -> Message:
    """For whoever has an account, when their address is entered for another one."""
    ask = f"If this was you: you already have the account {owner.username}. Sign in to it, or reset its password:"
    says = (
        f"Somebody entered your email address for another account. {ask}",
        "If this was not you, ignore this mail: nothing has changed, and the address is still yours.",
    )
    link = ("Sign in", f"{base_url}/sign-in")
    return mail(to, owner.name, "You already have an account", says, base_url=base_url, link=link)


def account_erased(to: str, *, by_administrator: bool, base_url: str, id: str) -> Message:
    """The last mail of an account, when nothing else is left of it: it greets nobody and keeps no address."""
    begun = "An administrator has erased your account" if by_administrator else "Your account was erased, as you asked"
    says = (
        f"{begun}, with everything that was yours. What others rely on stays, without your name.",
        "This cannot be undone. Backups that were made before hold your data until they are deleted.",
        "This is the last mail of your account: your address is no longer stored either.",
        "If you did not ask for this, contact an administrator.",
    )
    return replace(mail(to, "", "Your account was erased", says, base_url=base_url, id=id), leaves_no_trace=True)


def reset_password(to: str, account: Account, url: str, *, base_url: str) -> Message:
    """The link that lets somebody choose a new password."""
    ask = f"Somebody asked to reset the password of your account {account.username}."
    says = (
        f"{ask} To choose a new password, open this link within one hour:",
        "If this was not you, ignore this mail: your password stays the same.",
    )
    return mail(to, account.name, "Reset your password", says, base_url=base_url, link=("Choose a new password", url))
