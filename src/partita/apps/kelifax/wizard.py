"""The form in three steps, without a session: what was typed in the other steps travels along in hidden fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.datastructures import FormData

from partita.apps.kelifax.submission import Submission
from partita.kit.forms import Parsed, parse
from partita.kit.problems import FieldError, Invalid, Problem, TooMany

M = TypeVar("M", bound=BaseModel)

STEPS = ("submitter", "resource", "details")
_ROWS = "learningResources"
_LOGO = "resource.logoImage"


@dataclass(frozen=True, slots=True)
class Wizard:
    """Which step is shown, and with what; `ready` where the last step is done and all is well."""

    at: int
    form: Parsed[Submission]
    ready: Submission | None = None
    refusal: Problem | None = None
    """Why the step is shown again, where somebody else than the form has refused it."""

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What was typed in the other steps."""
        mine = f"{STEPS[self.at - 1]}."
        found: list[tuple[str, str]] = []
        for name, value in self.form.values.items():
            if name.startswith(mine) and name != _LOGO:
                continue
            if name.split(".")[0] in STEPS:
                found += [(name, each) for each in (value if isinstance(value, list) else [value])]
        return found

    def refused(self, problem: Problem) -> Wizard:
        """The step whose field a service has refused."""
        form = self.form.refused(problem)
        if _LOGO in form.errors:
            # What was uploaded is not there any more; its name would be refused again and again.
            values = {name: value for name, value in form.values.items() if name != _LOGO}
            errors = {"logo" if name == _LOGO else name: told for name, told in form.errors.items()}
            form = replace(form, values=values, errors=errors)
        names = [error.field.split(".")[0] for error in problem.errors]
        at = min((STEPS.index(name) + 1 for name in names if name in STEPS), default=self.at)
        return replace(self, at=at, form=form, ready=None, refusal=problem)


def wizard(sent: FormData, logo: str | Problem | None = None) -> Wizard:
    """What comes after a step was sent: the step again where something is wrong with it, else the next."""
    at = int(str(sent.get("at", "1"))) if str(sent.get("at", "1")) in ("1", "2", "3") else 1
    pairs: list[tuple[str, Any]] = [(name, value) for name, value in sent.multi_items() if isinstance(value, str)]
    if isinstance(logo, str):
        pairs = [(name, value) for name, value in pairs if name != _LOGO]
        pairs.append((_LOGO, logo))
    form = parse(Submission, pairs, separated={"resource.tags"}, lines={"details.keyFeatures", "details.useCases"})
    refusal = logo if isinstance(logo, Problem) else None
    if refusal is not None:
        form = form.refused(Invalid(FieldError("logo", _told(refusal))))
    more, go = str(sent.get("more", "")), str(sent.get("go", "next"))
    if more:
        return Wizard(at, with_one_more(form, more))
    if go == "back":
        if refusal is not None:
            # A file is not kept by the page: whoever chose it must know that it was not taken.
            return Wizard(at, replace(form, value=None, errors={"logo": _told(refusal)}), refusal=refusal)
        return Wizard(max(1, at - 1), replace(form, errors={}))
    for number, step in enumerate(STEPS[:at], 1):
        wrong = {
            name: message
            for name, message in form.errors.items()
            if name.split(".")[0] == step or (name == "logo" and step == "resource")
        }
        if wrong:
            return Wizard(number, replace(form, value=None, errors=wrong), refusal=refusal if "logo" in wrong else None)
    if at < len(STEPS):
        return Wizard(at + 1, replace(form, errors={}))
    return Wizard(at, form, ready=form.value)


def _told(refusal: Problem) -> str:
    told = refusal.errors[0].message if refusal.errors else refusal.detail
    return f"{told} You can also go on without a logo." if isinstance(refusal, TooMany) else told


def with_one_more(form: Parsed[M], name: str) -> Parsed[M]:
    """The form with room for one more entry of a list, for those without script."""
    values = dict(form.values)
    if name.endswith(_ROWS):
        # A row that has nothing in it yet; what was sent has at least one row.
        rows = {key[len(name) + 1 :].partition(".")[0] for key in values if key.startswith(f"{name}.")}
        values[f"{name}.{len(rows)}"] = ""
    else:
        known = values.get(name, [])
        values[name] = [*(known if isinstance(known, list) else [known]), ""]
    return replace(form, values=values, errors={})
