"""What can be allowed in fus, and which roles allow it. Its groups grant permissions of the whole suite."""

from __future__ import annotations

from enum import StrEnum


class Fus(StrEnum):
    """The permissions."""

    CREATE = "fus:site:create"
    EDIT = "fus:site:edit"
    DELETE = "fus:site:delete"
    COMMENT = "fus:comment:write"
    MODERATE = "fus:comment:moderate"
    RATE = "fus:rating:write"
    MANAGE_GROUPS = "fus:group:manage"
    IMPORT = "fus:catalog:import"
    EXPORT = "fus:catalog:export"


MEMBERS = frozenset({Fus.COMMENT, Fus.RATE})
"""What everybody with an account may do."""

MANAGER = frozenset({Fus.CREATE, Fus.EDIT, Fus.DELETE, Fus.MODERATE, Fus.IMPORT, Fus.EXPORT, *MEMBERS})

ROLES: dict[str, frozenset[str]] = {
    "manager": frozenset(map(str, MANAGER)),
    "admin": frozenset(map(str, Fus)),
}
