"""A form that is refused as a whole says so, wherever it is."""

from __future__ import annotations

import re
from pathlib import Path

import partita

_FORM = re.compile(r"<form.*?</form>", re.DOTALL)
_FIELD = re.compile(r"forms\.(field|textarea|select)\((\w*form)\b")


def test_every_form_has_a_place_for_what_is_wrong_with_it_as_a_whole() -> None:
    """Otherwise it is shown again without a word, such as when nothing can be saved."""
    silent = []
    seen = 0
    for path in Path(partita.__file__).parent.rglob("*.html"):
        for form in _FORM.findall(path.read_text()):
            if _FIELD.search(form):
                seen += 1
                if "forms.with_summary(" not in form and '.errors.get("")' not in form:
                    silent.append(f"{path.name}: {form[:100]}")
    assert silent == []
    assert seen > 30
