"""Region, endpoint and credentials are found where the AWS CLI finds them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from partita.store.aws import NoCredentialsError, discovered
from partita.store.dynamo import DynamoStore, fixed
from partita.store.signing import Credentials
from tests.store.listener import listening, said
from tests.table.forum import Member


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home without any setting of AWS, whatever the machine has."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path


def test_the_environment_says_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    url, region, credentials = discovered(None, None, None)
    assert (url, region) == ("https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1")
    assert credentials() == Credentials("AKID", "secret", "token")


def test_files_and_profiles_do_too(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "config").write_text("[profile team]\nregion = cn-north-1\n")
    (bare / "credentials").write_text("[team]\naws_access_key_id = FILE\naws_secret_access_key = hidden\n")
    monkeypatch.setenv("AWS_PROFILE", "team")
    url, region, credentials = discovered(None, None, None)
    assert (url, region) == ("https://dynamodb.cn-north-1.amazonaws.com.cn", "cn-north-1")
    assert credentials() == Credentials("FILE", "hidden", None)


def test_what_is_given_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    given = fixed("a", "b")
    assert discovered("http://engine:8000", "eu-west-1", given) == ("http://engine:8000", "eu-west-1", given)
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://other:9000")
    assert discovered(None, "eu-west-1", given)[0] == "http://other:9000"


def test_both_names_of_the_region_are_known_and_the_clis_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    assert discovered("http://engine:8000", None, fixed("a", "b"))[1] == "eu-north-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert discovered("http://engine:8000", None, fixed("a", "b"))[1] == "eu-north-1"


def test_no_region_is_said_with_what_to_set() -> None:
    with pytest.raises(NoCredentialsError, match="AWS_REGION"):
        discovered(None, None, fixed("a", "b"))


def test_no_credentials_are_said_with_what_to_do() -> None:
    with pytest.raises(NoCredentialsError, match="Configure them as for the AWS CLI"):
        discovered(None, "eu-west-1", None)


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"])
def test_an_endpoint_on_this_machine_needs_neither_region_nor_credentials(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")  # nobody waits for it
    found, region, credentials = discovered(url, None, None)
    assert (found, region, credentials()) == (url, "us-east-1", Credentials("local", "local"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert discovered(url, None, None)[2]() == Credentials("AKID", "secret")


def test_a_store_without_arguments_uses_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = Member(member_id="ann", name="Ann")
    with listening(lambda _asked: said({"Item": ann.to_row()})) as listener:
        monkeypatch.setenv("AWS_ENDPOINT_URL", listener.url)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        store = DynamoStore()
        assert store.get(Member.get(Member.member_id("ann"))) == ann
        store.close()
        assert "Credential=AKID/" in listener.asked[0].head
        assert "/eu-central-1/dynamodb/aws4_request" in listener.asked[0].head
