"""Which paths a condition reads."""

from __future__ import annotations

from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.walk import paths_in


def test_every_path_is_found_in_the_order_written() -> None:
    text = (
        "a = :v AND (b.x BETWEEN c AND d OR NOT e IN (f, :v)) AND attribute_exists(g) AND attribute_not_exists(h[0]) "
        "AND attribute_type(i, :t) AND begins_with(j, k) AND contains(l, m) AND size(n) > size(o)"
    )
    condition = bind.condition(text, Placeholders({}, {":v": {"N": "1"}, ":t": {"S": "S"}}))
    assert "".join(str(path.parts[0]) for path in paths_in(condition)) == "abcdefghijklmno"
