"""A summary of errors names fields as their labels do, and leads to them."""

from __future__ import annotations

import re

import pytest

from partita.kit.labels import field_id, field_mark, with_labels
from partita.web.assets import Assets
from partita.web.templates import environment

FIELDS = """
{% import "macros/forms.html" as forms %}
{{ forms.summary(form) }}
{{ forms.field(form, "resource.resourceUrl", "Address", required=true, hint="Whole.") }}
{{ forms.textarea(form, "about_it", "What is <it> for?") }}
{{ forms.checkbox(form, "agreed", "I agree", hint="To all of it.") }}
{{ forms.choices(form, "kinds", "Kinds", [("a", "A")], several=true) }}
{{ forms.select(form, "place", "Where", [("here", "Here")]) }}
{{ forms.repeated(form, "features", "Key features", least=2) }}
{% call(each) forms.rows(form, "links", "Places to learn more", least=2) %}
{{ forms.field(form, each ~ ".url", "Address") }}
{% endcall %}
"""


class Form:
    def __init__(self, *names: str) -> None:
        self.values: dict[str, str] = {}
        self.errors = dict.fromkeys(names, "No.")


def _summary(*names: str) -> str:
    made = with_labels(environment(Assets(packages=()), ()).from_string(FIELDS).render(form=Form(*names)))
    (entries,) = re.findall("<ul>(.*?)</ul>", made)
    assert all(f'id="{each}"' in made for each in re.findall('href="#(.*?)"', entries)), "links lead to fields"
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
        ("links.1.url", '<a href="#f-links-1-url">Places to learn more 2, Address</a>:'),
    ],
)
def test_a_field_is_named_as_its_label_says(name: str, shown: str) -> None:
    assert _summary(name) == f"<li>{shown} No.</li>"


def test_what_has_no_field_of_its_own_leads_to_its_group() -> None:
    assert _summary("links.0") == '<li><a href="#f-links">Places to learn more</a>: No.</li>'


def test_what_is_not_on_the_page_is_named_in_words_without_a_link() -> None:
    assert _summary("submitter.<first>Name") == "<li>Submitter &lt;first&gt;name: No.</li>"


def test_a_page_without_a_summary_stays_as_it_is() -> None:
    page = "<label for='f-a'>A</label> &lt;!--field a--&gt;"
    assert with_labels(page) is page


def test_a_mark_cannot_be_typed() -> None:
    typed = field_mark("--><!--field a", "<!--/field-->")
    assert with_labels(f"<p id='{field_id('a')}'>{typed}") == "<p id='f-a'>&lt;!--/field--&gt;:"
