"""Examples for the OpenAPI document: a value that fits a schema, chosen by name and type, if the model has none."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXTS = {
    "resourceName": "Amazing Dev Tool",
    "fetchNote": "The page took longer than 10 seconds.",
    "action": "approve",
    "by": "ada",
    "category": "development",
    "company": "Fjordworks",
    "description": "Maps of the night sky for any place and hour.",
    "email": "ada@example.org",
    "feature": "Keeps notes beside the code they are about",
    "firstName": "Ada",
    "host": "example.org",
    "lastName": "Lovelace",
    "message": "At most 200 characters; this has 240.",
    "name": "Ada Lovelace",
    "note": "For the next long journey.",
    "phone": "+442079460000",
    "purpose": "Keeps the notes of a team beside the code they are about.",
    "reason": "The link is dead.",
    "slug": "amazing-dev-tool",
    "tag": "open-source",
    "text": "Read it from the end.",
    "title": "Maps of the night sky",
    "useCase": "Explaining to the next person why it is so",
    "username": "ada",
    "version": "9f86d081884c7d65",
}
"""Example texts by the end of the field's name; the first that fits."""
_ID = "01jz6w3k5v8m2q4r7t9x0y1z2a"
_MOMENT = "2026-03-01T09:30:00Z"
_DEEPEST = 6


def sample(schema: Schema, schemas: dict[str, Schema], name: str = "", depth: int = 0) -> Any:
    """A value that fits a schema; `schemas` are those that it may refer to."""
    if "$ref" in schema:
        return sample(schemas[schema["$ref"].rpartition("/")[2]], schemas, name, depth)
    for keyword in ("example", "const", "default"):
        if schema.get(keyword) is not None:
            return schema[keyword]
    for keyword in ("examples", "enum"):
        if schema.get(keyword):
            return schema[keyword][0]
    for either in ("anyOf", "oneOf", "allOf"):
        if schema.get(either):
            choices = [each for each in schema[either] if each.get("type") != "null"]
            return sample(choices[0], schemas, name, depth)
    match schema.get("type"):
        case "object":
            return _object(schema, schemas, depth)
        case "array":
            return _array(schema, schemas, name, depth)
        case "integer" | "number":
            return max(schema.get("minimum", 0), min(3, schema.get("maximum", 3)))
        case "boolean":
            return False
        case "null":
            return None
        case "string":
            return _text(schema, name)
    return {}


def _object(schema: Schema, schemas: dict[str, Schema], depth: int) -> dict[str, Any]:
    if depth == _DEEPEST:
        return {}
    properties = schema.get("properties", {})
    if not properties and isinstance(schema.get("additionalProperties"), dict):
        return {"name": sample(schema["additionalProperties"], schemas, "", depth + 1)}
    return {name: sample(each, schemas, name, depth + 1) for name, each in properties.items()}


def _array(schema: Schema, schemas: dict[str, Schema], name: str, depth: int) -> list[Any]:
    if "prefixItems" in schema:
        return [sample(each, schemas, name, depth + 1) for each in schema["prefixItems"]]
    one = sample(schema.get("items", {}), schemas, name.removesuffix("s"), depth + 1)
    return [one] * max(1, int(schema.get("minItems", 1)))


def _text(schema: Schema, name: str) -> str:
    plain = name.lower()
    if schema.get("format") == "date-time" or name.endswith(("At", "_at", "Viewed")):
        return _MOMENT
    if schema.get("format") == "date" or plain in ("day", "date"):
        return _MOMENT[:10]
    if schema.get("format") == "uri" or plain.endswith("url"):
        return "https://example.org/sky"
    if plain.endswith("cursor"):
        return "AbCdEfGhIjKl"
    example = next((text for word, text in _TEXTS.items() if plain.endswith(word.lower())), None)
    text = _ID if example is None and plain.endswith("id") else example or "A line of text."
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(text) + 100)
    while len(text) < least:
        text += " " + text
    return text[:most]
