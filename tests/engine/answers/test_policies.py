"""Resource policies: revisions, and resources without one."""

from __future__ import annotations

import json

import pytest

from partita.dynamo.errors import PolicyNotFoundError, ResourceNotFoundError
from partita.engine import Engine
from partita.engine.operations import TABLE_OPERATIONS
from partita.engine.policy_actions import ACTIONS
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import create, table

_POLICY = (
    '{"Statement": {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:user/ada"},'
    ' "Action": "dynamodb:GetItem", "Resource": "*"}}'
)
_DOCUMENT = f"{INVALID}Invalid policy document: "
_NO_STATEMENT = f"{_DOCUMENT}Could not parse the policy: Statement is empty!"
_UNBOUNDED = (
    "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
    "least-privilege form of access"
)


def _denying(arn: str, **changes: object) -> str:
    statement = {"Effect": "Deny", "Principal": "*", "Action": "dynamodb:DeleteTable", "Resource": arn, **changes}
    return json.dumps({"Statement": {name: value for name, value in statement.items() if value is not None}})


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
    other = {"ResourceArn": arn, "Policy": _denying(arn), "ExpectedRevisionId": revision}
    changed = engine.call("PutResourcePolicy", other)["RevisionId"]
    assert changed != revision
    fault(engine, "DeleteResourcePolicy", {"ResourceArn": arn, "ExpectedRevisionId": revision}, PolicyNotFoundError)
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": arn}) == {"RevisionId": changed}
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": arn}) == {"RevisionId": ""}
    fault(engine, "GetResourcePolicy", {"ResourceArn": arn}, PolicyNotFoundError)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("no json", f"{_DOCUMENT}This policy contains invalid Json"),
        ("[]", f"{_DOCUMENT}This policy contains invalid Json"),
        ("{}", _NO_STATEMENT),
        ('{"Statement": []}', _NO_STATEMENT),
        ('{"Statement": "%s"}' % ("x" * 20_480), f"{INVALID}Maximum policy size of 20480 bytes exceeded"),
        (_denying("*", Resource=None), f"{_DOCUMENT}Missing required field Resource"),
        (
            _denying("*", Action=["s3:GetObject", "dynamodb:GetItem"]),
            f"{_DOCUMENT}The following action names are invalid: s3:GetObject",
        ),
        (
            _denying("*", Action=["dynamodb:delete*", "dynamodb:DropTable", "dynamodb:Drop*"]),
            f"{_DOCUMENT}The following action names are invalid: dynamodb:DropTable, dynamodb:Drop*",
        ),
        (_denying("*", Effect="Allow"), _UNBOUNDED),
        (_denying("*", Effect="Allow", Principal={"AWS": ["*"]}), _UNBOUNDED),
    ],
)
def test_what_is_no_policy_is_refused_as_dynamodb_does(engine: Engine, arn: str, policy: str, message: str) -> None:
    assert fault(engine, "PutResourcePolicy", {"ResourceArn": arn, "Policy": policy}) == message
    fault(engine, "GetResourcePolicy", {"ResourceArn": arn}, PolicyNotFoundError)


@pytest.mark.parametrize(
    ("changes", "fault_in_it"),
    [
        ({"Effect": "Perhaps"}, "Effect must be Allow or Deny."),
        ({"Principal": None}, "it needs Principal or NotPrincipal, once."),
        ({"Principal": "ada"}, 'Principal has to be "*" or an object of lists.'),
        ({"NotAction": "dynamodb:GetItem"}, "it needs Action or NotAction, once."),
        ({"Action": 5}, "Action has to be a list of dynamodb:<operation>."),
        ({"Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/other"}, "it speaks of arn:aws:dynamodb"),
        ({"Condition": {"Bool": {"aws:SecureTransport": "false"}}}, "conditions are not judged here"),
    ],
)
def test_a_policy_that_could_not_be_held_to_is_refused_with_every_reason(
    engine: Engine, arn: str, changes: dict[str, object], fault_in_it: str
) -> None:
    policy = _denying(arn, **changes)
    told = fault(engine, "PutResourcePolicy", {"ResourceArn": arn, "Policy": policy})
    assert told.startswith("The policy cannot be used. Statement 1: ")
    assert fault_in_it in told


def test_what_is_allowed_may_have_conditions(engine: Engine, arn: str) -> None:
    allowed = _denying(arn, Effect="Allow", Condition={"Bool": {"aws:SecureTransport": "true"}})
    engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": allowed})
    engine.call("DeleteResourcePolicy", {"ResourceArn": arn})


def test_a_resource_that_is_not_there_has_no_policy(engine: Engine, arn: str) -> None:
    absent = f"{arn.rpartition('/')[0]}/absent"
    for operation in ("GetResourcePolicy", "DeleteResourcePolicy"):
        assert fault(engine, operation, {"ResourceArn": absent}, ResourceNotFoundError) == (
            f"Requested resource not found: ResourcArn: {absent} not found"
        )


@pytest.mark.parametrize("operation", ["PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy"])
@pytest.mark.parametrize("change", [("us-east-1", "eu-west-1"), ("arn:aws:", "arn:aws-cn:")])
def test_a_resource_of_another_region_or_partition_is_no_resource(
    engine: Engine, arn: str, operation: str, change: tuple[str, str]
) -> None:
    other = arn.replace(*change)
    request = {"ResourceArn": other, **({"Policy": _POLICY} if operation == "PutResourcePolicy" else {})}
    assert fault(engine, operation, request) == f"{INVALID}Invalid resource Arn: {other}"


def test_a_table_may_be_created_with_its_policy(engine: Engine) -> None:
    described = create(engine, "guarded", ResourcePolicy=_POLICY)
    kept = engine.call("GetResourcePolicy", {"ResourceArn": described["TableArn"]})
    assert kept["Policy"] == _POLICY
    assert kept["RevisionId"]
    engine.call("DeleteTable", {"TableName": "guarded"})


def test_a_table_is_not_created_with_a_policy_that_is_none(engine: Engine) -> None:
    assert fault(engine, "CreateTable", table("never", ResourcePolicy="{}")) == _NO_STATEMENT
    assert "never" not in engine.call("ListTables", {})["TableNames"]


def test_every_operation_on_tables_is_an_action_that_a_policy_may_name() -> None:
    assert TABLE_OPERATIONS <= ACTIONS
