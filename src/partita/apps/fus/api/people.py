"""People as the API shows them."""

from __future__ import annotations

from partita.kit.views import View


class PersonView(View):
    """What everybody may know of somebody."""

    user_id: str
    username: str
    name: str
