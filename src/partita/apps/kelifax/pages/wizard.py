"""The form in three steps, without a session: what was typed in the other steps is sent along in hidden fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel
from starlette.datastructures import FormData

from partita.apps.kelifax.formats import LOGO_NAME
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.schema import LOGOS
from partita.apps.kelifax.service.filling import PageProposal
from partita.kit.forms import Parsed, parse
from partita.kit.problems import Problem, TooMany
from partita.kit.stale import with_choices

M = TypeVar("M", bound=BaseModel)

STEPS = ("submitter", "resource", "details")
_ROWS = "learningResources"
_DIGITS = 10
LOGO = "resource.logoImage"
_LOGO_FIELD = "logo"
_WITHOUT_LOGO = "withoutLogo"
URL = "resource.resourceUrl"
OPENED_AT = STEPS.index("resource") + 1
"""The step that an edit begins with."""
_PROPOSED = {"resource.resourceName": "name", "resource.usagePurpose": "purpose", LOGO: "logo"}
"""Field → what a note calls it."""


@dataclass(frozen=True, slots=True)
class Wizard:
    """The step to show with its form; or the submission, if the last step is done and everything is right."""

    at: int
    form: Parsed[Submission]
    submission: Submission | None = None
    fill: bool = False
    """Whether the visitor wants the step filled in from the page of its address."""
    note: str = ""
    """What came of that."""

    @property
    def logo_file(self) -> str | None:
        """The logo that is uploaded already, as the file store calls it."""
        name = str(self.form.values.get(LOGO, ""))
        return f"{LOGOS}/{name}" if re.fullmatch(LOGO_NAME, name) else None

    @property
    def revision(self) -> int | None:
        """The revision that was opened; a submission that is new has none."""
        text = str(self.form.values.get("revision", ""))
        return int(text) if text.isdecimal() and len(text) < _DIGITS else None

    def filled_in(self, proposal: PageProposal) -> Wizard:
        """The step with what a page says in the fields that are empty."""
        said = dict(zip(_PROPOSED, (proposal.resource_name, proposal.usage_purpose, proposal.logo_image), strict=True))
        new = {name: text for name, text in said.items() if text and not self.form.values.get(name)}
        if new:
            names = [_PROPOSED[name] for name in new]
            listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
            note = f"From the page: {listed}. Please check, and change what does not fit."
        else:
            note = "The page says nothing that is not filled in already."
        return replace(self, form=replace(self.form, values={**self.form.values, **new}), note=note)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What was typed in the other steps."""
        current = f"{STEPS[self.at - 1]}."
        fields: list[tuple[str, str]] = []
        for name, value in self.form.values.items():
            if name.startswith(current) and name != LOGO:
                continue
            if name.split(".")[0] in STEPS:
                fields += [(name, each) for each in (value if isinstance(value, list) else [value])]
        return fields

    def refused(self, problem: Problem) -> Wizard:
        """The first step with a field that a service has refused."""
        form = self.form.refused(problem)
        if LOGO in form.errors:
            # The uploaded file is gone, so its name would be refused again and again.
            values = {name: value for name, value in form.values.items() if name != LOGO}
            errors = {_LOGO_FIELD if name == LOGO else name: message for name, message in form.errors.items()}
            form = replace(form, values=values, errors=errors)
        names = [error.field.split(".")[0] for error in problem.errors]
        at = min((STEPS.index(name) + 1 for name in names if name in STEPS), default=self.at)
        return Wizard(at, form)


def wizard(sent: FormData, logo: str | Problem | None = None) -> Wizard:
    """The step after the one that was sent, or the same step again if something is wrong with it."""
    at = int(str(sent.get("at"))) if sent.get("at") in ("1", "2", "3") else 1
    pairs = with_choices([(name, value) for name, value in sent.multi_items() if isinstance(value, str)])
    if sent.get(_WITHOUT_LOGO):
        pairs = [(name, value) for name, value in pairs if name != LOGO]
    if isinstance(logo, str):
        pairs = [*((name, value) for name, value in pairs if name != LOGO), (LOGO, logo)]
    form = parse(Submission, pairs, separated={"resource.tags"}, lines={"details.keyFeatures", "details.useCases"})
    refusal = logo if isinstance(logo, Problem) else None
    if refusal is not None:
        form = replace(form, value=None, errors={**form.errors, _LOGO_FIELD: _logo_message(refusal)})
    more, go = str(sent.get("more", "")), str(sent.get("go", "next"))
    if more:
        return Wizard(at, with_one_more(form, more))
    if go == "edit":
        return Wizard(OPENED_AT, replace(form, value=None, errors={}))
    if go == "fill" and STEPS[at - 1] == "resource":
        return _again(at, form, {_LOGO_FIELD}, refusal) or Wizard(at, replace(form, value=None, errors={}), fill=True)
    if go == "back":
        # A page cannot keep a file, so the visitor must know that theirs was refused.
        return _again(at, form, {_LOGO_FIELD}, refusal) or Wizard(max(1, at - 1), replace(form, errors={}))
    for number, step in enumerate(STEPS[:at], 1):
        names = {name for name in form.errors if name.split(".")[0] == step}
        again = _again(number, form, names | ({_LOGO_FIELD} if step == "resource" else set()), refusal)
        if again is not None:
            return again
    if at < len(STEPS):
        return Wizard(at + 1, replace(form, errors={}))
    return Wizard(at, form, submission=form.value)


def _again(at: int, form: Parsed[Submission], names: set[str], refusal: Problem | None) -> Wizard | None:
    """A step with the errors of its fields; None if it has none."""
    errors = {name: message for name, message in form.errors.items() if name in names}
    if not errors:
        return None
    return Wizard(at, replace(form, value=None, errors=errors, refusal=refusal if _LOGO_FIELD in errors else None))


def _logo_message(refusal: Problem) -> str:
    message = refusal.errors[0].message if refusal.errors else refusal.detail
    return f"{message} You can also continue without a logo." if isinstance(refusal, TooMany) else message


def with_one_more(form: Parsed[M], name: str) -> Parsed[M]:
    """The form with room for one more entry of a list, for those without script."""
    values = dict(form.values)
    if name.endswith(_ROWS):
        # A row that has nothing in it yet; a form that was sent has at least one row.
        rows = {key[len(name) + 1 :].partition(".")[0] for key in values if key.startswith(f"{name}.")}
        values[f"{name}.{len(rows)}"] = ""
    else:
        entries = values.get(name, [])
        values[name] = [*(entries if isinstance(entries, list) else [entries]), ""]
    return replace(form, values=values, errors={})
