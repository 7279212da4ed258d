"""Document paths on items: reading them, keeping them disjoint, and cutting an item down to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Part, Path
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue, Item


def resolve(path: Path, item: Item) -> AttributeValue | None:
    """The value at a path, or None where nothing is."""
    parts = path.parts
    value: AttributeValue | None = item.get(parts[0])  # type: ignore[arg-type]  # the first part is always a name
    for part in parts[1:]:
        if value is None:
            return None
        value = child(value, part)
    return value


def child(value: AttributeValue, part: Part) -> AttributeValue | None:
    """One step down: into a map by name, into a list by position."""
    if isinstance(part, str):
        found: AttributeValue | None = value["M"].get(part) if "M" in value else None
        return found
    elements = value.get("L", ())
    return elements[part] if part < len(elements) else None


@dataclass(slots=True)
class _Node:
    """One step of a path, with the first path that came through it."""

    through: Path
    final: bool = False
    children: dict[Part, _Node] = field(default_factory=dict)


def check_disjoint(paths: Sequence[Path], *, overlaps_first: bool = False) -> None:
    """Refuse two paths of which one holds the other, or that take the same attribute for a map and for a list.

    The first pair in the order written is told; with `overlaps_first`, one that overlaps before one that conflicts.
    """
    if len({path.parts[0] for path in paths}) == len(paths):
        return  # each in an attribute of its own
    roots: dict[Part, _Node] = {}
    conflict: ValidationError | None = None
    for path in paths:
        level = roots
        node: _Node | None = None
        for depth, part in enumerate(path.parts):
            last = depth == len(path.parts) - 1
            sibling = next(iter(level), None)
            if depth and sibling is not None and isinstance(sibling, int) != isinstance(part, int):
                conflict = conflict or _clash("conflict", level[sibling].through, path)
                if not overlaps_first:
                    raise conflict
            node = level.get(part)
            if node is None:
                node = level[part] = _Node(path)
            elif node.final or last:
                raise _clash("overlap", node.through, path)
            level = node.children
        assert node is not None  # a path has at least one part
        node.final = True
    if conflict is not None:
        raise conflict


def _clash(how: str, first: Path, second: Path) -> ValidationError:
    return ValidationError(
        f"Two document paths {how} with each other; must remove or rewrite one of these paths; "
        f"path one: {first}, path two: {second}"
    )


def project(paths: Iterable[Path], item: Item) -> Item:
    """The part of an item that the paths name; list elements keep their order, not their positions."""
    result: Item = {}
    nested: list[tuple[Path, AttributeValue]] = []
    for path in paths:
        value = resolve(path, item)
        if value is None:
            continue
        if len(path.parts) == 1:
            result[str(path.parts[0])] = value
        else:
            nested.append((path, value))
    if nested:
        result.update(_assemble(nested))
    return result


def _assemble(found: list[tuple[Path, AttributeValue]]) -> Item:
    """Rebuild maps and lists around nested values."""
    forest: dict[Part, Any] = {}
    for path, value in found:
        level = forest
        for part in path.parts[:-1]:
            level = level.setdefault(part, {})
        level[path.parts[-1]] = _Leaf(value)
    return {str(name): _assembled(branch) for name, branch in forest.items()}


@dataclass(frozen=True, slots=True)
class _Leaf:
    value: AttributeValue


def _assembled(branch: Any) -> AttributeValue:
    if isinstance(branch, _Leaf):
        return branch.value
    if isinstance(next(iter(branch)), int):
        return {"L": [_assembled(branch[position]) for position in sorted(branch)]}
    return {"M": {name: _assembled(inner) for name, inner in branch.items()}}
