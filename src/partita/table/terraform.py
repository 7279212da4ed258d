"""Terraform: the tables as HCL for the AWS provider."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from partita.table.export import attribute_names, words
from partita.table.tables import Index, KeyName, Table

Line = str


def terraform(tables: Iterable[Table]) -> str:
    """HCL that makes the tables: on demand, encrypted, recoverable; each name is a variable."""
    return "\n".join("\n".join(_block(*block)) + "\n" for table in tables for block in _blocks(table))


def _blocks(table: Table) -> Iterator[tuple[str, list[Line]]]:
    name = "_".join(words(table.default_name))
    variable = table.terraform_variable or f"{name.removesuffix('_table')}_table_name"
    yield f'variable "{variable}"', ["type    = string", f"default = {_text(table.name)}"]
    yield f'resource "aws_dynamodb_table" "{name}"', list(_table(table, variable))


def _table(table: Table, variable: str) -> Iterator[Line]:
    yield f"name         = var.{variable}"
    yield 'billing_mode = "PAY_PER_REQUEST"'
    yield f"hash_key     = {_text(table.pk.name)}"
    if table.sk is not None:
        yield f"range_key    = {_text(table.sk.name)}"
    if table.stream is not None:
        yield ""
        yield "stream_enabled   = true"
        yield f"stream_view_type = {_text(table.stream)}"
    for key in attribute_names(table):
        yield from ("", *_block("attribute", [f"name = {_text(key.name)}", f"type = {_text(key.type)}"]))
    for index in table.indexes:
        kind = "local_secondary_index" if index.local else "global_secondary_index"
        yield from ("", *_block(kind, list(_index(index))))
    if table.ttl is not None:
        yield from ("", *_block("ttl", [f"attribute_name = {_text(table.ttl)}", "enabled        = true"]))
    yield from ("", *_block("point_in_time_recovery", ["enabled = true"]))
    yield from ("", *_block("server_side_encryption", ["enabled = true"]))
    yield from ("", *_block("lifecycle", ["prevent_destroy = true"]))


def _index(index: Index) -> Iterator[Line]:
    yield f"name            = {_text(index.name)}"
    if len(index.pk) == 1 and len(index.sk) < 2:
        # Understood by every version of the provider; `key_schema` only by 6.29 and later, and well by few of those.
        if not index.local:
            yield f"hash_key        = {_text(index.pk[0].name)}"
        if index.sk:
            yield f"range_key       = {_text(index.sk[0].name)}"
    yield f"projection_type = {_text(index.projection)}"
    if index.include:
        yield f"non_key_attributes = [{', '.join(map(_text, index.include))}]"
    if len(index.pk) > 1 or len(index.sk) > 1:
        for kind, keys in (("HASH", index.pk), ("RANGE", index.sk)):
            for key in keys:
                yield from ("", *_block("key_schema", _key(key, kind)))


def _key(key: KeyName, kind: str) -> list[Line]:
    return [f"attribute_name = {_text(key.name)}", f"key_type       = {_text(kind)}"]


def _block(head: str, lines: list[Line]) -> Iterator[Line]:
    yield f"{head} {{"
    yield from (f"  {line}" if line else "" for line in lines)
    yield "}"


def _text(text: str) -> str:
    """A string of HCL, in which `${` would begin an expression."""
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")
