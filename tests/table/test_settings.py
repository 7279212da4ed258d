"""An installation names tables and spreads indexes by environment variables; what cannot be is said at once."""

import pytest

from partita.table import SchemaError, Table
from partita.table.settings import misspelt, shards_variable, table_variable


def test_a_table_has_its_documented_name_unless_a_variable_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Table("fus-main", pk="PK").name == "fus-main"
    assert table_variable("fus-main") == "PARTITA_TABLE_FUS_MAIN"
    monkeypatch.setenv("PARTITA_TABLE_FUS_MAIN", "fus.test_2")
    table = Table("fus-main", pk="PK")
    assert (table.name, table.default_name) == ("fus.test_2", "fus-main")


def test_a_documents_own_variable_names_its_table_and_ours_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLE_NAME", "igad-prod")
    assert Table("main", pk="PK", variable="TABLE_NAME").name == "igad-prod"
    assert Table("main", pk="PK").name == "main"
    monkeypatch.setenv("PARTITA_TABLE_MAIN", "ours")
    assert Table("main", pk="PK", variable="TABLE_NAME").name == "ours"


@pytest.mark.parametrize("name", ["a b", "ab", "ü-table", "x" * 256])
def test_a_name_that_dynamodb_would_refuse_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("PARTITA_TABLE_MAIN", name)
    with pytest.raises(SchemaError, match=f"PARTITA_TABLE_MAIN={name}: a table's name is 3 to 255"):
        Table("main", pk="PK")


def test_an_index_is_spread_as_its_schema_or_a_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Table("zoo", pk="PK").index("byKind", pk="kind", shards=3).shards == 3
    monkeypatch.setenv(shards_variable("zoo", "byKind"), "8")
    index = Table("zoo", pk="PK").index("byKind", pk="kind", shards=3)
    assert (index.shards, index.pk[0].name) == (8, "byKind_shard")
    monkeypatch.setenv("PARTITA_SHARDS_ZOO_BYKIND", "1")
    plain = Table("zoo", pk="PK").index("byKind", pk="kind", shards=3)
    assert (plain.shards, plain.pk[0].name) == (1, "kind")


@pytest.mark.parametrize("shards", ["0", "257", "many", "-1", "1.5"])
def test_a_number_of_shards_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, shards: str) -> None:
    monkeypatch.setenv("PARTITA_SHARDS_ZOO_BYKIND", shards)
    with pytest.raises(SchemaError, match=f"PARTITA_SHARDS_ZOO_BYKIND={shards}: give a number of shards, 1 to 256"):
        Table("zoo", pk="PK").index("byKind", pk="kind")


def test_a_misspelt_setting_is_noticed() -> None:
    table = Table("zoo", pk="PK")
    table.index("byKind", pk="kind")
    environment = {"PARTITA_SHARDS_ZOO_BYKIN": "8", "PARTITA_TABLE_ZOO": "x", "PARTITA_PORT": "1", "PATH": ""}
    assert list(misspelt([table], environment)) == [
        ("PARTITA_SHARDS_ZOO_BYKIN", "did you mean PARTITA_SHARDS_ZOO_BYKIND?")
    ]
