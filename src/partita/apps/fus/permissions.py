"""What can be allowed in fus, and which roles allow it. Its groups grant permissions of the whole suite."""

from __future__ import annotations

from partita.kit.permissions import Permission


class Fus(Permission):
    """The permissions of fus."""

    CREATE = "fus:site:create", "Add sites"
    EDIT = "fus:site:edit", "Edit sites"
    DELETE = "fus:site:delete", "Delete sites"
    COMMENT = "fus:comment:write", "Write comments"
    MODERATE = "fus:comment:moderate", "Delete other people's comments"
    RATE = "fus:rating:write", "Rate sites"
    MANAGE_GROUPS = "fus:group:manage", "Manage groups"
    IMPORT = "fus:catalog:import", "Import the catalog"
    EXPORT = "fus:catalog:export", "Export the catalog"


MEMBERS = frozenset({Fus.COMMENT, Fus.RATE})
"""What everybody with an account may do."""

MANAGER = frozenset({Fus.CREATE, Fus.EDIT, Fus.DELETE, Fus.MODERATE, Fus.IMPORT, Fus.EXPORT, *MEMBERS})

ROLES: dict[str, frozenset[str]] = {
    "manager": frozenset(map(str, MANAGER)),
    "admin": frozenset(map(str, Fus)),
}
