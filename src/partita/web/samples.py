"""Examples for the API's description: where a model gives none, one that fits its schema, told by names and types."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXTS = {
    "resourceName": "Amazing Dev Tool",
    "fetchNote": "The page does not answer.",
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
"""What texts are, by how their names end; the first that fits."""
_ID = "01jz6w3k5v8m2q4r7t9x0y1z2a"
_MOMENT = "2026-03-01T09:30:00Z"
_DEEPEST = 6


def sample(schema: Schema, known: dict[str, Schema], name: str = "", depth: int = 0) -> Any:
    """A value that fits a schema; `known` are the schemas that others refer to."""
    if "$ref" in schema:
        return sample(known[schema["$ref"].rpartition("/")[2]], known, name, depth)
    for said in ("example", "const", "default"):
        if schema.get(said) is not None:
            return schema[said]
    for said in ("examples", "enum"):
        if schema.get(said):
            return schema[said][0]
    for either in ("anyOf", "oneOf", "allOf"):
        if schema.get(either):
            choices = [each for each in schema[either] if each.get("type") != "null"]
            return sample(choices[0], known, name, depth)
    match schema.get("type"):
        case "object":
            return _object(schema, known, depth)
        case "array":
            return _array(schema, known, name, depth)
        case "integer" | "number":
            return max(schema.get("minimum", 0), min(3, schema.get("maximum", 3)))
        case "boolean":
            return False
        case "null":
            return None
        case "string":
            return _text(schema, name)
    return {}


def _object(schema: Schema, known: dict[str, Schema], depth: int) -> dict[str, Any]:
    if depth == _DEEPEST:
        return {}
    properties = schema.get("properties", {})
    if not properties and isinstance(schema.get("additionalProperties"), dict):
        return {"name": sample(schema["additionalProperties"], known, "", depth + 1)}
    return {name: sample(each, known, name, depth + 1) for name, each in properties.items()}


def _array(schema: Schema, known: dict[str, Schema], name: str, depth: int) -> list[Any]:
    if "prefixItems" in schema:
        return [sample(each, known, name, depth + 1) for each in schema["prefixItems"]]
    one = sample(schema.get("items", {}), known, name.removesuffix("s"), depth + 1)
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
    found = next((text for word, text in _TEXTS.items() if plain.endswith(word.lower())), None)
    text = _ID if found is None and plain.endswith("id") else found or "A line of text."
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(text) + 100)
    while len(text) < least:
        text += " " + text
    return text[:most]
