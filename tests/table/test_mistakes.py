"""Mistakes that everybody makes once: each is refused before anything is sent, with the value and the next step."""

import types
from collections.abc import Callable
from typing import Any, Literal

import pytest

from partita.table import (
    Attribute,
    Delete,
    Item,
    KeyPartError,
    ModelError,
    Put,
    Query,
    SchemaError,
    Table,
    Update,
    attribute,
    collection,
    key_part,
)
from partita.table.errors import InvalidValueError

SHEDS = Table("sheds", pk="PK", sk="SK")
BY_KIND = SHEDS.index("byKind", pk="kind", sk="name")
BY_PLACE = SHEDS.index("byPlace", pk="kind", sk=("town", "street"))
OTHER = Table("other", pk="PK").index("elsewhere", pk="kind")


class Tool(Item, table=SHEDS, pk="TOOL#{tool_id}", sk="ABOUT"):
    tool_id: Attribute[str] = key_part()
    kind: Attribute[str]
    name: Attribute[str]
    lent: Attribute[int] = attribute(default=0, ge=0, le=5)
    lent_to: Attribute[str | None] = attribute(default=None)
    town: Attribute[str] = attribute(default="Wells")
    street: Attribute[str] = attribute(default="Mill Street")
    marks: Attribute[frozenset[str]] = attribute(default=frozenset())


class Loan(Item, table=SHEDS, pk="TOOL#{tool_id}", sk="LOAN#{lent_on}#{member}"):
    tool_id: Attribute[str] = key_part()
    lent_on: Attribute[str] = key_part()
    member: Attribute[str] = key_part()


SAW = Tool(tool_id="saw", kind="cutting", name="Hand saw")
LOAN = Loan(tool_id="saw", lent_on="2026-05-01", member="ada")
LOANS = Loan.query(Loan.tool_id("saw"))
ONE = "A collection reads one partition"

Mistake = Callable[[], Any]


def WRONG(value: object) -> Any:  # noqa: N802 - it marks what type checkers would refuse
    """What a type checker would refuse, for those who have none."""
    return value


def _said(mistake: Mistake, kind: type[ModelError]) -> str:
    with pytest.raises(kind) as refused:
        mistake()
    return str(refused.value)


def _declared(annotations: dict[str, Any], **settings: Any) -> Mistake:
    names = {"__annotations__": annotations, "__module__": __name__}
    return lambda: types.new_class("Thing", (Item,), settings, lambda body: body.update(names))


TEXT: dict[str, Any] = {"thing_id": Attribute[str]}


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (
            _declared(TEXT, table=SHEDS, pk="THING#{thing}", sk="X"),
            "Thing: the template 'THING#{thing}' names thing, which is not a field: did you mean thing_id?",
        ),
        (
            _declared(TEXT, table=SHEDS, pk="THING#{thing_id}", sk="X", keys={"kind": "{sort}"}),
            "Thing: the template '{sort}' names sort, which is not a field: there is thing_id",
        ),
        (
            _declared({**TEXT, "price": Attribute[float | None]}, table=SHEDS, pk="THING#{thing_id}", sk="X"),
            "Thing.price is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal",
        ),
        (
            _declared(TEXT, table=SHEDS, pk="THING#{thing_id}", sk="X", key={"kind": "x"}),
            "Thing: a class of items has no key=…: did you mean keys?",
        ),
        (
            _declared(TEXT, table=SHEDS, pk="TOOL#{thing_id}", sk="ABOUT"),
            (
                "Thing and Tool have the same keys, so their rows could not be told apart: "
                "change a template, or give both a field of another Literal"
            ),
        ),
        (
            _declared({**TEXT, "kind": Attribute[str]}, table=SHEDS, pk="THING#{thing_id}", sk="X", keys={"kind": "x"}),
            (
                "Thing: kind is both a field and made of others: give one of them another name; "
                "attribute(…) takes a field's stored name first"
            ),
        ),
        (
            _declared(TEXT, pk="THING#{thing_id}", sk="X"),
            "Thing has templates and no table: say where it is kept with table=…",
        ),
    ],
)
def test_a_mistake_in_a_declaration_is_said_when_the_schema_is_read(mistake: Mistake, said: str) -> None:
    assert _said(mistake, SchemaError) == said
    assert SHEDS.item_types == [Tool, Loan]


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (
            lambda: Tool.get(Tool.kind("saw")),
            "The key of Tool is made of tool_id: tool_id is missing; kind is not part of it. Give Tool.tool_id(…).",
        ),
        (
            lambda: Loan.get(Loan.tool_id("saw")),
            (
                "The key of Loan is made of tool_id, lent_on, member: lent_on is missing; member is missing. "
                "Give Loan.tool_id(…), Loan.lent_on(…), Loan.member(…), "
                "or read several with Loan.query(Loan.tool_id(…))."
            ),
        ),
        (
            lambda: Tool.get(Tool.tool_id(WRONG(None))),
            "The key of Tool is made of tool_id: tool_id is None. Give Tool.tool_id(…).",
        ),
        (
            lambda: Tool.get(Tool.tool_id(WRONG(1.5))),
            "Tool.tool_id holds str, not 1.5 (float)",
        ),
        (
            lambda: Tool.get(Tool.tool_id("")),
            "tool_id is empty, and 'TOOL#{tool_id}' needs it: keys have no empty parts",
        ),
        (lambda: Loan.query(), "sheds.PK of Loan is made of tool_id: give Loan.tool_id(…)"),
        (lambda: Tool.query(BY_KIND), "sheds.byKind.kind of Tool is made of kind: give Tool.kind(…)"),
        (
            lambda: Loan.query(Loan.tool_id("saw"), Loan.lent_on(WRONG(None))),
            "lent_on is None, and keys have no empty parts: give a value, or leave lent_on out",
        ),
        (
            lambda: Tool.query(BY_KIND, Tool.kind("saw"), Tool.lent(3)),
            (
                "lent is not part of the key of sheds.byKind: "
                "filter with Tool.query(…).where(Tool.lent.equals(…)), or declare an index"
            ),
        ),
        (
            lambda: Loan.query(Loan.tool_id("saw"), Loan.member("ada")),
            "sheds is sorted by lent_on, member: member needs lent_on too",
        ),
        (
            lambda: Tool.query(BY_PLACE, Tool.kind("saw"), Tool.street("Mill Street")),
            "sheds.byPlace is sorted by town, street: street needs town too",
        ),
        (lambda: Loan.query(BY_KIND, Loan.lent_on("2026")), "Loan never writes kind, so sheds.byKind cannot find it"),
        (
            lambda: Loan.query(Loan.tool_id("saw")).at_least(Loan.member("ada")),
            "SK is made of lent_on, member, not member: give Loan.lent_on(…)",
        ),
        (
            lambda: Tool.query(BY_PLACE, Tool.kind("saw")).at_least(Tool.town("Wells"), Tool.street("Mill Street")),
            (
                "sheds.byPlace is sorted by town, street, of which one can be compared: "
                "give Tool.town(…) in query(…), and Tool.street(…) as the bound"
            ),
        ),
        (
            lambda: Tool.query(BY_PLACE, Tool.kind("saw"), Tool.town("Wells")).at_least(Tool.name("Mill Street")),
            "street is made of street, not name: give Tool.street(…)",
        ),
        (
            lambda: Loan.query(Loan.tool_id("saw")).at_least(Loan.lent_on(WRONG(None))),
            "lent_on is None: SK cannot be compared with nothing",
        ),
    ],
)
def test_a_key_that_cannot_be_made_is_said_with_what_it_is_made_of(mistake: Mistake, said: str) -> None:
    assert _said(mistake, KeyPartError) == said


@pytest.mark.parametrize("index", ["byKind", OTHER])
def test_an_index_is_given_as_what_was_declared(index: Any) -> None:
    said = _said(lambda: Tool.query(index, Tool.kind("saw")), SchemaError)
    assert said == f"{index!r} is not an index of sheds: give what sheds.index(…) returned (byKind, byPlace)"


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ((), f"{ONE}: give at least one query of it"),
        (
            (LOANS, Tool.query(Tool.tool_id("axe"))),
            "A collection reads one partition: sheds PK=TOOL#saw and sheds PK=TOOL#axe are two",
        ),
        (
            (LOANS, Tool.query(BY_KIND, Tool.kind("x"))),
            "A collection reads one partition: sheds PK=TOOL#saw and sheds.byKind kind=x are two",
        ),
    ],
)
def test_a_collection_reads_one_partition(queries: tuple[Query[Any], ...], said: str) -> None:
    assert _said(lambda: collection(*queries), SchemaError) == said


@pytest.mark.filterwarnings("ignore:Field name .* shadows:UserWarning")
def test_a_field_cannot_be_called_as_what_every_item_has() -> None:
    said = _said(_declared({"key": Attribute[str]}, table=SHEDS, pk="THING#{key}", sk="X"), SchemaError)
    step = "Store it from another field, as in key_: Attribute[…] = attribute('key')"
    assert said == f"Thing.key: items have a key of their own. {step}"


def test_types_with_the_same_keys_are_told_apart_by_a_literal() -> None:
    table = Table("told-apart", pk="PK")

    class Movie(Item, table=table, pk="{title}"):
        title: Attribute[str] = key_part()
        kind: Attribute[Literal["movie"]] = attribute(default="movie")

    class Show(Item, table=table, pk="{name}"):
        name: Attribute[str] = key_part()
        kind: Attribute[Literal["show"]] = attribute(default="show")

    assert Movie.owns(Movie(title="x").to_row())
    assert not Movie.owns(Show(name="x").to_row())


@pytest.mark.parametrize("condition", ["lent > 3", True, Tool.lent])
def test_a_filter_is_a_condition(condition: Any) -> None:
    said = _said(lambda: Loan.query(Loan.tool_id("saw")).where(condition), ModelError)
    assert said == f"{condition!r} is no condition: make one from an attribute, as in Book.stars > 3"


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: Tool.lent > "3", "Tool.lent holds int, not '3' (str)"),  # type: ignore[operator]
        (lambda: Tool.name.equals(3), "Tool.name holds str, not 3 (int)"),  # type: ignore[arg-type]
        (lambda: Tool.lent_to.one_of("ada", 3), "Tool.lent_to holds str | None, not 3 (int)"),  # type: ignore[arg-type]
        (lambda: Tool.name.add(1), "Tool.name holds str, to which 1 cannot be added"),  # type: ignore[misc]
        (lambda: Tool.marks.join(1), "An element of Tool.marks cannot be 1: Input should be a valid string"),  # type: ignore[arg-type]
        (lambda: Tool.lent_to.equals(None), "Tool.lent_to cannot be compared with None: use .missing() or .exists()"),
        (lambda: Tool.lent.set(6), "Tool.lent cannot be 6: Input should be less than or equal to 5"),
        (lambda: Tool.lent.set_if_missing(-1), "Tool.lent cannot be -1: Input should be greater than or equal to 0"),
        (lambda: Tool.lent.set("many"), "Tool.lent cannot be 'many': Input should be a valid integer"),  # type: ignore[arg-type]
        (lambda: Tool.name.set(None), "Tool.name cannot be None: Input should be a valid string"),  # type: ignore[arg-type]
        (lambda: Tool.name.remove(), "Tool.name has no default, so items could not be read without it"),
    ],
)
def test_a_value_that_an_attribute_cannot_hold_is_refused(mistake: Mistake, said: str) -> None:
    assert _said(mistake, InvalidValueError).startswith(said)


def test_comparing_with_a_float_says_what_to_use() -> None:
    said = _said(lambda: Tool.lent > 1.5, ModelError)  # type: ignore[operator]
    assert said == "1.5 is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal"


def test_what_an_attribute_may_hold_is_taken() -> None:
    assert Tool.lent.set(5).value == 5
    assert Tool.lent_to.set(None).value is None
    assert Tool.lent_to.remove().value is None
    assert Tool.lent.remove().value is None
    assert Tool.marks.set(frozenset()).value == frozenset()
    print(Tool.lent < 100, Tool.lent_to.equals("ada"), Tool.marks.contains("red"))


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: Put(WRONG(SAW.own_key)), "Put takes an item, as in Put(book); not Key("),
        (
            lambda: Delete(WRONG(SAW)),
            "Delete takes a key, as in Delete(Book.key(…)) or Delete(book.own_key); not Tool(",
        ),
        (
            lambda: Update(WRONG(SAW), Tool.lent.add(1)),
            "Update takes a key, as in Update(Book.key(…)) or Update(book.own_key);",
        ),
        (
            lambda: Update(LOAN.own_key, WRONG(Tool.kind.set("x"))),
            "Tool.kind is not an attribute of Loan",
        ),
        (lambda: Put(SAW).when(WRONG("lent < 3")), "'lent < 3' is no condition: make one from an attribute, as in"),
        (lambda: Delete(LOAN.own_key).when(WRONG(True)), "True is no condition"),
        (
            lambda: Update(SAW.own_key).request(),
            "An update of {'PK': {'S': 'TOOL#saw'}, 'SK': {'S': 'ABOUT'}} that changes",
        ),
    ],
)
def test_a_write_says_what_it_takes(mistake: Mistake, said: str) -> None:
    assert _said(mistake, ModelError).startswith(said)


def test_a_misspelt_attribute_is_suggested() -> None:
    with pytest.raises(AttributeError, match=r"^Tool has no lent_too: did you mean lent_to\?$"):
        Tool.lent_too  # type: ignore[attr-defined]  # noqa: B018
