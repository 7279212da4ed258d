"""The OpenAPI document arranged for the reference page: systems, operations and their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson

Schema = Mapping[str, Any]
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A parameter or a field."""

    name: str
    type: str
    required: bool
    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: str
    text: str
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One method at one path."""

    id: str
    method: str
    path: str
    summary: str
    text: str
    permission: str
    parameters: tuple[Row, ...]
    body_type: str
    body: tuple[Row, ...]
    answers: tuple[Answer, ...]
    example: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A system."""

    name: str
    text: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole reference."""

    text: str
    chapters: tuple[Chapter, ...]
    problem: tuple[Row, ...]


def reference(document: dict[str, Any]) -> Reference:
    """Arrange an OpenAPI document for readers."""
    schemas = document["components"]["schemas"]
    server = document["servers"][0]["url"]
    operations = [
        (operation.get("tags", [""])[0], _operation(method, path, operation, schemas, server))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return Reference(
        text=document["info"]["description"],
        chapters=tuple(
            Chapter(tag["name"], tag["description"], tuple(each for name, each in operations if name == tag["name"]))
            for tag in document["tags"]
        ),
        problem=tuple(_rows(schemas["Problem"], schemas)),
    )


def _operation(method: str, path: str, operation: Schema, schemas: Schema, server: str) -> Operation:
    body_type, body = _body(operation, schemas)
    return Operation(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation.get("summary", ""),
        text=operation.get("description", ""),
        permission=operation.get("x-permission", "public"),
        parameters=tuple(
            Row(
                each["name"],
                _type(each.get("schema", {}), schemas),
                each.get("required", False),
                _limits(each.get("schema", {}), each.get("description", "")),
                each["in"],
            )
            for each in operation.get("parameters", ())
        ),
        body_type=body_type,
        body=body,
        answers=tuple(_answer(status, answer, schemas) for status, answer in operation["responses"].items()),
        example=_example(method, path, operation, schemas, server),
    )


def _body(operation: Schema, schemas: Schema) -> tuple[str, tuple[Row, ...]]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        return kind, tuple(_rows(content.get("schema", {}), schemas))
    return "", ()


def _answer(status: str, answer: Schema, schemas: Schema) -> Answer:
    rows: tuple[Row, ...] = ()
    for kind, content in answer.get("content", {}).items():
        if kind == "application/json":
            rows = tuple(_rows(content.get("schema", {}), schemas))
    return Answer(status, answer.get("description", ""), rows)


def _rows(schema: Schema, schemas: Schema, prefix: str = "", depth: int = 0) -> Iterator[Row]:
    """The fields of an object, each followed by the fields of objects in it."""
    resolved = _resolved(schema, schemas)
    if resolved.get("type") == "array":
        yield from _rows(resolved.get("items", {}), schemas, f"{prefix}[]." if prefix else "[].", depth)
        return
    required = set(resolved.get("required", ()))
    for name, inner in resolved.get("properties", {}).items():
        path = f"{prefix}{name}"
        field = _resolved(inner, schemas)
        text = _limits(field, inner.get("description") or field.get("description", ""))
        yield Row(path, _type(inner, schemas), name in required, text)
        if depth < _DEEPEST:
            many = field.get("type") == "array"
            within = field.get("items", {}) if many else field
            yield from _rows(within, schemas, f"{path}[]." if many else f"{path}.", depth + 1)


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    """The schema behind a reference, or the only alternative that is not null."""
    for _ in range(5):
        if "$ref" in schema:
            schema = schemas.get(schema["$ref"].rpartition("/")[2], {})
        elif "allOf" in schema and len(schema["allOf"]) == 1:
            schema = schema["allOf"][0]
        elif "anyOf" in schema:
            choices = [each for each in schema["anyOf"] if each.get("type") != "null"]
            if len(choices) != 1:
                return schema
            schema = {**choices[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        else:
            return schema
    return schema


def _type(schema: Schema, schemas: Schema) -> str:
    optional = any(each.get("type") == "null" for each in schema.get("anyOf", ()))
    resolved = _resolved(schema, schemas)
    if "enum" in resolved:
        text = " | ".join(map(str, resolved["enum"]))
    elif "const" in resolved:
        text = str(resolved["const"])
    elif resolved.get("type") == "array":
        text = f"list of {_type(resolved.get('items', {}), schemas)}"
    elif "anyOf" in resolved:
        text = " or ".join(_type(each, schemas) for each in resolved["anyOf"] if each.get("type") != "null")
    else:
        text = str(resolved.get("format") or resolved.get("type") or "any")
    return f"{text}, or null" if optional else text


def _limits(schema: Schema, text: str) -> str:
    words = [text] if text else []
    for low, high, unit in (
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " entries"),
        ("minimum", "maximum", ""),
    ):
        least, most = schema.get(low), schema.get(high)
        if least is not None and most is not None:
            words.append(f"{least} to {most}{unit}.")
        elif most is not None:
            words.append(f"At most {most}{unit}.")
        elif least is not None:
            words.append(f"At least {least}{unit}.")
    if schema.get("default") not in (None, ""):
        words.append(f"Default: {schema['default']}.")
    return " ".join(words)


def _example(method: str, path: str, operation: Schema, schemas: Schema, server: str) -> str:
    """A command that can be pasted into a terminal."""
    parts = ["curl"] if method == "get" else ["curl -X", method.upper()]
    if operation.get("x-permission", "public") != "public":
        parts.append('-H "Authorization: Bearer $TOKEN"')
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        if kind == "application/json":
            body = orjson.dumps(sample(content.get("schema", {}), schemas)).decode().replace("'", "'\\''")
            parts += ["-H 'Content-Type: application/json'", f"-d '{body}'"]
        elif kind == "multipart/form-data":
            required = _resolved(content.get("schema", {}), schemas).get("required", ())
            parts += [f"-F '{name}=@{name}'" for name in required]
        break
    for each in operation.get("parameters", ()):
        schema = _resolved(each.get("schema", {}), schemas)
        # One of a few words, or a number: any reader can type one. Names are what the reader must know.
        if each["in"] == "path" and ("enum" in schema or schema.get("type") == "integer"):
            path = path.replace(f"{{{each['name']}}}", str(sample(schema, schemas)))
    asked = "&".join(
        f"{each['name']}={quote(str(sample(each.get('schema', {}), schemas)))}"
        for each in operation.get("parameters", ())
        if each["in"] == "query" and (each.get("required") or each.get("schema", {}).get("examples"))
    )
    return " ".join([*parts, f"'{server}{path}{'?' if asked else ''}{asked}'"])


def sample(schema: Schema, schemas: Schema, depth: int = 0) -> Any:
    """A value that fits a schema: its example, or something of the right type."""
    found = _resolved(schema, schemas)
    for source in (schema, found):
        if source.get("examples"):
            return source["examples"][0]
        if "example" in source:
            return source["example"]
    if "default" in found and found["default"] is not None:
        return found["default"]
    if "enum" in found:
        return found["enum"][0]
    match found.get("type"):
        case "object" if depth <= _DEEPEST:
            required = found.get("required", ())
            return {
                name: sample(inner, schemas, depth + 1)
                for name, inner in found.get("properties", {}).items()
                if name in required
            }
        case "array":
            return [sample(found.get("items", {}), schemas, depth + 1) for _ in range(found.get("minItems", 1))]
        case "integer":
            return int(max(found.get("minimum", 1), 1))
        case "number":
            return found.get("minimum", 1.0)
        case "boolean":
            return True
        case "string":
            known = {"uri": "https://example.org", "email": "ada@example.org", "date": "2026-01-31"}
            return known.get(found.get("format", ""), _text(found))
        case _:
            return None


def _text(schema: Schema) -> str:
    """Words of a length that fits."""
    least, most = schema.get("minLength", 0), schema.get("maxLength", 200)
    return ("An example" + " with more words" * (least // 16 + 1) if least > 10 else "An example")[:most]
