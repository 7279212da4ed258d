"""The links of an error summary: each leads to a field and has the field's label."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup


def field_id(name: str) -> str:
    """The id of a field on its page."""
    return "f-" + name.replace(".", "-").replace("_", "-")


def field_link(name: str, labels: Mapping[str, str], words: str) -> Markup:
    """The link to a field, with a colon; `words` are its name if the page has no such field."""
    labelled = _nearest(name, labels)
    if labelled is None:
        return Markup("{}:").format(words)
    label = _with_rows(labelled, labels)
    colon = "" if label.endswith("?") else ":"
    return Markup('<a href="#{}">{}</a>{}').format(field_id(labelled), label, colon)


def _nearest(name: str, labels: Mapping[str, str]) -> str | None:
    """The field, or the group it is in if it has no label of its own (`links.0` of `links`)."""
    while name and not labels.get(name):
        name = name.rpartition(".")[0]
    return name or None


def _with_rows(name: str, labels: Mapping[str, str]) -> str:
    """“Address” of the first row of “Links” is “Links 1, Address”: every row has such a field."""
    label = labels[name]
    parts = name.split(".")
    for place, part in enumerate(parts[:-1]):
        group = labels.get(".".join(parts[:place]))
        if part.isdecimal() and group:
            label = f"{group} {int(part) + 1}, {label}"
    return label
