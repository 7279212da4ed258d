"""What can be allowed in fus, and which roles allow it. Its groups grant permissions of the whole suite."""

from __future__ import annotations

from partita.kit.permissions import Permission


class Fus(Permission):
    """The permissions of fus."""

    CREATE = "fus:site:create", "Add sites"
    SUGGEST = "fus:site:suggest", "Suggest sites"
    EDIT = "fus:site:edit", "Edit sites"
    DELETE = "fus:site:delete", "Delete sites"
    COMMENT = "fus:comment:write", "Write comments"
    MODERATE = "fus:comment:moderate", "Delete other people's comments"
    RATE = "fus:rating:write", "Rate sites"
    COLLECT = "fus:collection:write", "Keep collections of sites"
    COPY = "fus:copy:manage", "Keep and read copies of pages"
    MANAGE_GROUPS = "fus:group:manage", "Manage groups"
    IMPORT = "fus:catalog:import", "Import the catalog"
    EXPORT = "fus:catalog:export", "Export the catalog"


MEMBERS = frozenset({Fus.COMMENT, Fus.RATE, Fus.SUGGEST, Fus.COLLECT})
"""What everybody with an account may do."""

MANAGER = frozenset({Fus.CREATE, Fus.EDIT, Fus.DELETE, Fus.MODERATE, Fus.IMPORT, Fus.EXPORT, Fus.COPY, *MEMBERS})

ROLES: dict[str, frozenset[str]] = {
    "manager": frozenset(map(str, MANAGER)),
    "admin": frozenset(map(str, Fus)),
}
