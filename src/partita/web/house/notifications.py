"""What people should know: the list behind the bell, how they want to hear of things, and links that end mail."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS
from partita.kit.notifications import Channels, Kind
from partita.kit.notifications.kinds import PACES, MailPace
from partita.kit.notifications.preferences import SETTINGS_PATH, UNSUBSCRIBE_PATH
from partita.kit.pages import NOT_KEPT, local, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite

_PAGE = 30
_PACE_LABELS: dict[MailPace, str] = {
    "never": "Never",
    "once": "At once",
    "daily": "Daily digest",
    "weekly": "Weekly digest",
}
Token = Annotated[str, Query(max_length=2000)]


def routes(suite: Suite) -> Routes:
    """The pages."""
    pages = Routes("", tag="house", pages=True)
    notifications, accounts = suite.kit.notifications, suite.kit.accounts
    systems = {system.name: system for system in suite.systems}

    @pages.get("/notifications", Access.SIGNED_IN)
    async def listing(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await notifications.page(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "notifications/list.html", page=page, systems=systems)

    @pages.get("/notifications/unread", Access.SIGNED_IN, polled=True)
    async def unread(request: Request) -> Response:
        """The number in the bell, by itself; it was read with the person."""
        return render(request, "notifications/unread.html", unread=getattr(request.state, "unread", None))

    @pages.post("/notifications/read", Access.SIGNED_IN)
    async def read_all(viewer: CurrentViewer) -> Response:
        await notifications.read_all(viewer)
        return redirect("/notifications", flash="All notifications are marked as read.")

    @pages.post("/notifications/{store}/{notification_id}/read", Access.SIGNED_IN)
    async def read_one(viewer: CurrentViewer, store: str, notification_id: str) -> Response:
        """Mark it as read, and go where it leads."""
        told = await notifications.read(viewer, store, notification_id)
        return redirect(local(told.link, "/notifications"))

    # -- settings

    def by_system(choices: list[tuple[Kind, Channels]]) -> dict[str, list[tuple[Kind, Channels]]]:
        grouped: dict[str, list[tuple[Kind, Channels]]] = {}
        for kind, channels in choices:
            system = systems.get(kind.name.partition(".")[0])
            grouped.setdefault(system.title if system else "The suite", []).append((kind, channels))
        return grouped

    @pages.get(SETTINGS_PATH, Access.SIGNED_IN)
    async def settings(request: Request, viewer: CurrentViewer) -> Response:
        person = await accounts.people.get(viewer.id)
        return render(
            request,
            "account/notifications.html",
            groups=by_system(await notifications.choices(viewer)),
            paces=list(_PACE_LABELS.items()),
            email=person.email,
        )

    @pages.post(SETTINGS_PATH, Access.SIGNED_IN)
    async def save_settings(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form(max_fields=MOST_FIELDS) as sent:
            in_suite = {str(each) for each in sent.getlist("suite")}
            chosen: dict[str, Channels] = {}
            for kind, before in await notifications.choices(viewer):
                pace = str(sent.get(f"mail.{kind.name}", before.mail))
                if pace not in PACES:
                    raise Invalid(FieldError(f"mail.{kind.name}", f"Choose {', '.join(PACES)}."))
                chosen[kind.name] = Channels(kind.name in in_suite, pace)
        await notifications.preferences.choose(viewer.id, chosen)
        return redirect(SETTINGS_PATH, flash="Notification settings saved.")

    # -- ending mail by a link in it: whoever has the link may, signed in or not

    @pages.get(UNSUBSCRIBE_PATH, Access.PUBLIC)
    async def ask_to_unsubscribe(request: Request, token: Token = "") -> Response:
        """Only asks: programs open the links of mails to look at them."""
        subscription, label = notifications.subscription(token)
        headers = NOT_KEPT
        return render(
            request, "notifications/unsubscribe.html", headers=headers, label=label, token=token, of=subscription.of
        )

    @pages.post(UNSUBSCRIBE_PATH, Access.PUBLIC)
    async def unsubscribe(request: Request, token: Token = "") -> Response:
        """Ends it at once: for the button of the page, and for mail programs (RFC 8058)."""
        subscription, label = notifications.subscription(token)
        await notifications.unsubscribe(subscription)
        return render(
            request,
            "notifications/unsubscribed.html",
            headers=NOT_KEPT,
            label=label,
            of=subscription.of,
        )

    return pages
