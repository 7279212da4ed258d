"""Resource policies: revisions, and resources without one."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import PolicyNotFoundError, ResourceNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import fault

_POLICY = '{"Version": "2012-10-17", "Statement": []}'


@pytest.fixture(params=["TableArn", "LatestStreamArn"])
def arn(engine: Engine, request: pytest.FixtureRequest) -> str:
    found: str = engine.call("DescribeTable", {"TableName": "music"})["Table"][request.param]
    return found


def test_a_policy_is_kept_under_its_revision(engine: Engine, arn: str) -> None:
    fault(engine, "GetResourcePolicy", {"ResourceArn": arn}, PolicyNotFoundError)
    first = {"ResourceArn": arn, "Policy": _POLICY, "ExpectedRevisionId": "NO_POLICY"}
    revision = engine.call("PutResourcePolicy", first)["RevisionId"]
    assert engine.call("GetResourcePolicy", {"ResourceArn": arn}) == {"Policy": _POLICY, "RevisionId": revision}
    fault(engine, "PutResourcePolicy", first, PolicyNotFoundError)
    assert engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": _POLICY}) == {"RevisionId": revision}
    other = {"ResourceArn": arn, "Policy": '{"Statement": [{}]}', "ExpectedRevisionId": revision}
    changed = engine.call("PutResourcePolicy", other)["RevisionId"]
    assert changed != revision
    fault(engine, "DeleteResourcePolicy", {"ResourceArn": arn, "ExpectedRevisionId": revision}, PolicyNotFoundError)
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": arn}) == {"RevisionId": changed}
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": arn}) == {"RevisionId": ""}
    fault(engine, "GetResourcePolicy", {"ResourceArn": arn}, PolicyNotFoundError)


@pytest.mark.parametrize("policy", ["no json", "[]", "{}", '{"Statement": "%s"}' % ("x" * 20_480)])
def test_what_is_no_policy_is_refused(engine: Engine, arn: str, policy: str) -> None:
    fault(engine, "PutResourcePolicy", {"ResourceArn": arn, "Policy": policy})
    fault(engine, "GetResourcePolicy", {"ResourceArn": arn}, PolicyNotFoundError)


def test_a_resource_that_is_not_there_has_no_policy(engine: Engine, arn: str) -> None:
    absent = f"{arn.rpartition('/')[0]}/absent"
    for operation in ("GetResourcePolicy", "DeleteResourcePolicy"):
        fault(engine, operation, {"ResourceArn": absent}, ResourceNotFoundError)
