"""PartiQL through a store: pages of a statement, and what it would do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from partita.dynamo.partiql.literals import checked_parameters
from partita.dynamo.partiql.statements import Insert, Select, UpdateOne, statement
from partita.dynamo.values import AttributeValue, Item
from partita.engine.partiql.explain import Explanation, described
from partita.engine.partiql.explain import explain as explained

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Runs any operation in the wire's form, as `Store.transport.call` does."""


def is_read(text: str, parameters: Sequence[AttributeValue] = ()) -> bool:
    """Whether a statement only reads; one that cannot be read is refused."""
    return isinstance(statement(text, checked_parameters(list(parameters))), Select)


def done(text: str, parameters: Sequence[AttributeValue], returned: int) -> str:
    """What a statement that writes has done. One that deletes does not tell whether there was something."""
    found = statement(text, checked_parameters(list(parameters)))
    table = found.source.table
    match found:
        case Insert():
            return f"1 item inserted into {table}"
        case UpdateOne():
            return f"1 item updated in {table}"
        case _:
            return f"{'1 item' if returned else 'whatever had this key is'} deleted from {table}"


def table_of(text: str, parameters: Sequence[AttributeValue] = ()) -> str:
    """The table that a statement names."""
    return statement(text, checked_parameters(list(parameters))).source.table


def pages(
    call: Call, text: str, parameters: Sequence[AttributeValue] = (), *, limit: int | None = None
) -> Iterator[tuple[list[Item], float]]:
    """The pages of a statement, each with its items and the capacity units it took."""
    request: dict[str, Any] = {"Statement": text, "ReturnConsumedCapacity": "TOTAL"}
    if parameters:
        request["Parameters"] = list(parameters)
    if limit is not None:
        request["Limit"] = limit
    while True:
        answer = call("ExecuteStatement", request)
        yield answer.get("Items") or [], (answer.get("ConsumedCapacity") or {}).get("CapacityUnits", 0.0)
        if not answer.get("NextToken"):
            return
        request["NextToken"] = answer["NextToken"]


def explain(call: Call, text: str, parameters: Sequence[AttributeValue] = ()) -> Explanation:
    """Whether a statement is a get, a query or a scan, of which index, without running it."""
    found = statement(text, checked_parameters(list(parameters)))
    description = call("DescribeTable", {"TableName": found.source.table})["Table"]
    return explained(described(description), found)
