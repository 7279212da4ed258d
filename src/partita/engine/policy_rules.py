"""Resource policies as rules: which statements deny a key of the door what.

Every key may do everything unless a policy denies it: what a statement allows adds nothing here, as on AWS to a user
whose own permissions are complete. A statement that denies something under a condition is refused when it is put,
since nothing here could judge the condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from partita.dynamo.errors import ValidationError
from partita.dynamo.frozen import dataclass
from partita.engine.policy_actions import ACTIONS

_MOST_BYTES = 20 * 1024
_INVALID = "One or more parameter values were invalid: "
_DOCUMENT = f"{_INVALID}Invalid policy document: "
_ACTION = re.compile(r"\*|dynamodb:[A-Za-z*?]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One statement that denies."""

    principals: tuple[str, ...]
    others: bool
    """Whether it is about everybody but these."""
    actions: tuple[str, ...]
    other_actions: bool
    resources: tuple[str, ...]

    def denies(self, user: str, account: str, action: str, resource: str) -> bool:
        """Whether a user is denied an action on a resource."""
        names = ("*", user, account, f"arn:aws:iam::{account}:root")
        if any(name in self.principals for name in names) == self.others:
            return False
        if any(_matches(pattern.lower(), f"dynamodb:{action}".lower()) for pattern in self.actions):
            acted = not self.other_actions
        else:
            acted = self.other_actions
        return acted and any(_matches(pattern, resource) for pattern in self.resources)


@lru_cache(maxsize=128)
def rules(policy: str) -> tuple[Rule, ...]:
    """The statements of a stored policy that deny something. Earlier versions kept policies without holding to them:
    what one of those denies under a condition would now be denied to everybody, so it still does nothing."""
    denying = [
        each for each in _statements(orjson.loads(policy)) if isinstance(each, dict) and each.get("Effect") == "Deny"
    ]
    return tuple(_rule(each) for each in denying if not each.get("Condition"))


def check(policy: str, arn: str) -> None:
    """Refuse what is no policy for this resource, or what could not be held to."""
    if len(policy.encode()) > _MOST_BYTES:
        raise ValidationError(f"{_INVALID}Maximum policy size of {_MOST_BYTES} bytes exceeded")
    try:
        document = orjson.loads(policy)
    except orjson.JSONDecodeError:
        document = None
    if not isinstance(document, dict):
        raise ValidationError(f"{_DOCUMENT}This policy contains invalid Json")
    statements = _statements(document) if document.get("Statement") else []
    if not statements:
        raise ValidationError(f"{_DOCUMENT}Could not parse the policy: Statement is empty!")
    for statement in statements:
        if isinstance(statement, dict):
            _check_statement(statement)
    faults = [
        f"Statement {number}: {fault}" for number, each in enumerate(statements, 1) for fault in _faults(each, arn)
    ]
    if faults:
        raise ValidationError(f"The policy cannot be used. {' '.join(faults)}")


def _statements(document: Mapping[str, Any]) -> list[Any]:
    found = document["Statement"]
    return found if isinstance(found, list) else [found]


def _check_statement(statement: Mapping[str, Any]) -> None:
    """What DynamoDB refuses in its own words."""
    if "Resource" not in statement and "NotResource" not in statement:
        raise ValidationError(f"{_DOCUMENT}Missing required field Resource")
    for name in ("Action", "NotAction"):
        unknown = [action for action in _texts(statement.get(name)) or () if not _names_an_action(action)]
        if unknown:
            raise ValidationError(f"{_DOCUMENT}The following action names are invalid: {', '.join(unknown)}")
    everybody = "*" in (_principals(statement.get("Principal")) or ())
    if statement.get("Effect") == "Allow" and everybody and not statement.get("Condition"):
        raise ValidationError(
            "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
            "least-privilege form of access"
        )


def _names_an_action(pattern: str) -> bool:
    """Whether a pattern names any action: one with a slip of the pen would deny nothing."""
    if not _ACTION.fullmatch(pattern):
        return False
    return pattern == "*" or any(_matches(pattern.lower(), f"dynamodb:{action}".lower()) for action in ACTIONS)


def _faults(statement: Any, arn: str) -> list[str]:
    if not isinstance(statement, dict):
        return ["it is not an object."]
    return list(_faults_in(statement, arn))


def _faults_in(statement: Mapping[str, Any], arn: str) -> Iterator[str]:
    effect = statement.get("Effect")
    if effect not in ("Allow", "Deny"):
        yield "Effect must be Allow or Deny."
    for names in (("Principal", "NotPrincipal"), ("Action", "NotAction"), ("Resource",)):
        if sum(name in statement for name in names) != 1:
            yield f"it needs {' or '.join(names)}, once."
    if effect == "Deny" and statement.get("Condition"):
        yield "conditions are not judged here, so nothing can be denied under one."
    for name in ("Action", "NotAction"):
        if _texts(statement.get(name)) is None:
            yield f"{name} has to be a list of dynamodb:<operation>."
    for resource in _texts(statement.get("Resource")) or ():
        if not (_matches(resource, arn) or resource.startswith(f"{arn}/")):
            yield f"it speaks of {resource} and is for {arn}."
    for name in ("Principal", "NotPrincipal"):
        if _principals(statement.get(name)) is None:
            yield f'{name} has to be "*" or an object of lists.'


def _rule(statement: Mapping[str, Any]) -> Rule:
    others, other_actions = "NotPrincipal" in statement, "NotAction" in statement
    return Rule(
        principals=_principals(statement.get("NotPrincipal" if others else "Principal")) or (),
        others=others,
        actions=_texts(statement.get("NotAction" if other_actions else "Action")) or (),
        other_actions=other_actions,
        resources=_texts(statement.get("Resource")) or (),
    )


def _principals(given: Any) -> tuple[str, ...] | None:
    """The names of AWS's own kind; those of services and of other providers never come to the door."""
    if given is None:
        return ()
    if given == "*":
        return ("*",)
    if not isinstance(given, dict) or any(_texts(each) is None for each in given.values()):
        return None
    return _texts(given.get("AWS"))


def _texts(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Sequence) and all(isinstance(each, str) for each in given):
        return tuple(given)
    return None


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """`*` stands for anything and `?` for one character.

    What follows a `*` is taken where it first comes and nowhere else: else a row of `*` would be tried in so many ways
    that matching never ended.
    """
    first, *rest = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)
