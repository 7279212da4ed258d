"""Forms that came after their sender's session had ended: kept for an hour, for that person only, and shown again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import quote, quote_plus

from partita.kit.clock import Clock, Ids
from partita.kit.limits import Limits, Rule
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, TooMany
from partita.kit.schema import KeptForm, kept_form
from partita.store.store import AsyncStore
from partita.table import Put

KEPT_PATH = "/kept"
MOST_CHARACTERS = 64_000
"""The longest form that is kept, in characters of any script: 256 KB in a table at most."""
MOST_BYTES = 12 * MOST_CHARACTERS
"""The same as a browser sends it: three characters for each byte."""
_KEPT_FOR = timedelta(hours=1)
_KEEPING = Rule("kept-forms", most=30, seconds=3600)


_ASCII = re.compile(r"[\x00-\x7f]+")


def sent_body(form: KeptForm) -> bytes:
    """The fields of a kept form as a browser sends them."""
    return quote(form.body, safe="%+&=").encode()


def _written(text: str) -> str:
    """A name or a text of a form as it is stored. Letters of other scripts stay as they are: as a browser sends them,
    each would be six or nine characters."""
    return _ASCII.sub(lambda found: quote_plus(found[0]), text)


class KeptForms:
    """Keeps what was typed, without secrets and files, until its sender has signed in again."""

    def __init__(self, store: AsyncStore, *, clock: Clock, ids: Ids, limits: Limits) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._limits = limits

    async def keep(self, user_id: str, path: str, query: str, fields: Iterable[tuple[str, str]]) -> str | None:
        """Keep a form for somebody; the path of the page that shows it again, or None if it cannot be kept."""
        body = "&".join(f"{_written(name)}={_written(text)}" for name, text in fields)
        if not body or len(body) > MOST_CHARACTERS or len(path) + len(query) > 2000:
            return None
        try:
            await self._limits.check(_KEEPING, user_id)
        except TooMany:
            return None
        form = KeptForm(
            user_id=user_id,
            form_id=self._ids.new(),
            path=path,
            parameters=query,
            body=body,
            expires_at=int((self._clock.now() + _KEPT_FOR).timestamp()),
        )
        await self._store.write(Put(form).if_new())
        return f"{KEPT_PATH}/{form.form_id}"

    async def find(self, viewer: Viewer, form_id: str) -> KeptForm:
        """A form that was kept for the viewer."""
        form = await find(self._store, kept_form, viewer.id, form_id)
        if form is None or form.expires_at <= self._clock.now().timestamp():
            raise NotFound("Nothing is kept here for you: forms are kept for an hour, for the person who typed them.")
        return form
