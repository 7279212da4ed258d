"""A summary of errors names fields as their labels do, and leads to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

import partita
from partita.kit.forms import Parsed
from partita.kit.labels import field_link
from partita.kit.problems import Conflict
from partita.web.assets import Assets
from partita.web.templates import environment

FIELDS = """
{% import "macros/forms.html" as forms %}
{% call forms.with_summary(form, short) %}
{{ forms.field(form, "resource.resourceUrl", "Address", required=true, hint="Whole.") }}
{{ forms.textarea(form, "about_it", "What is <it> for?") }}
{{ forms.checkbox(form, "agreed", "I agree", hint="To all of it.") }}
{{ forms.choices(form, "kinds", "Kinds", [("a", "A")], several=true) }}
{{ forms.select(form, "place", "Where", [("here", "Here")]) }}
{{ forms.repeated(form, "features", "Key features", least=2) }}
{% call(each) forms.rows(form, "links", "Places to learn more", least=2) %}
{{ forms.field(form, each ~ ".url", "Address") }}
{% endcall %}
{{ forms.file(form, "logo", "Logo") }}
{% endcall %}
"""


def _page(form: Parsed[BaseModel], *, short: bool = False) -> str:
    return environment(Assets(packages=()), ()).from_string(FIELDS).render(form=form, short=short)


def _form(*names: str) -> Parsed[BaseModel]:
    return Parsed(None, errors=dict.fromkeys(names, "No."))


def _summary(*names: str) -> str:
    made = _page(_form(*names))
    (entries,) = re.findall("<ul>(.*?)</ul>", made)
    assert all(f'id="{each}"' in made for each in re.findall('href="#(.*?)"', entries)), "links lead to fields"
    assert made.index("<ul>") < made.index('class="field"'), "the summary is above the fields"
    return str(entries)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("resource.resourceUrl", '<a href="#f-resource-resourceUrl">Address</a>:'),
        ("about_it", '<a href="#f-about-it">What is &lt;it&gt; for?</a>'),
        ("agreed", '<a href="#f-agreed">I agree</a>:'),
        ("kinds", '<a href="#f-kinds">Kinds</a>:'),
        ("place", '<a href="#f-place">Where</a>:'),
        ("features", '<a href="#f-features">Key features</a>:'),
        ("features.1", '<a href="#f-features-1">Key features 2</a>:'),
        ("logo", '<a href="#f-logo">Logo</a>:'),
        ("links.1.url", '<a href="#f-links-1-url">Places to learn more 2, Address</a>:'),
    ],
)
def test_a_field_is_named_as_its_label_says(name: str, shown: str) -> None:
    assert _summary(name) == f"<li>{shown} No.</li>"


def test_what_has_no_field_of_its_own_leads_to_its_group() -> None:
    assert _summary("links.0") == '<li><a href="#f-links">Places to learn more</a>: No.</li>'


def test_what_is_not_on_the_page_is_named_in_words_without_a_link() -> None:
    assert _summary("submitter.<first>Name") == "<li>Submitter &lt;first&gt;name: No.</li>"


def test_a_form_without_errors_has_no_summary() -> None:
    assert 'role="alert"' not in _page(_form())


@pytest.mark.parametrize(
    ("names", "summarised"), [((), False), (("agreed",), False), (("",), True), (("", "agreed"), True)]
)
def test_a_short_form_has_a_summary_only_if_something_is_wrong_with_it_as_a_whole(
    names: tuple[str, ...], summarised: bool
) -> None:
    assert ('role="alert"' in _page(_form(*names), short=True)) is summarised


def test_a_changed_form_does_not_have_the_labels_of_the_page_before() -> None:
    form = _form()
    _page(form)
    assert form.labels["agreed"] == "I agree"
    assert form.refused(Conflict("No.")).labels == {}


def test_a_label_cannot_bring_markup() -> None:
    assert field_link("a", {"a": "<b>"}, "A") == '<a href="#f-a">&lt;b&gt;</a>:'
    assert field_link("a", {}, "<b>") == "&lt;b&gt;:"


def test_no_template_writes_the_id_of_a_field_by_hand() -> None:
    """Such a field would record no label; macros/forms.html has the pieces for it."""
    templates = list(Path(partita.__file__).parent.rglob("*.html"))
    assert templates
    assert [each.name for each in templates if 'id="f-' in each.read_text()] == []
