"""AWS Signature Version 4, with the example that AWS publishes."""

from __future__ import annotations

from partita.dynamo.signature import canonical_request, scope, signature


def test_the_published_example_of_aws_comes_out_the_same() -> None:
    headers = {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "host": "iam.amazonaws.com",
        "x-amz-date": "20150830T123600Z",
    }
    query = "Action=ListUsers&Version=2010-05-08"
    request = canonical_request("GET", "/", query, headers, sorted(headers), b"")
    assert (
        signature(request, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830T123600Z", "us-east-1", "iam")
        == "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    )


def test_spaces_in_and_around_a_header_are_signed_as_one() -> None:
    spaced = canonical_request("POST", "/", "", {"host": "  a   b "}, ("host",), b"")
    assert spaced == canonical_request("POST", "/", "", {"host": "a b"}, ("host",), b"")


def test_a_scope_names_the_day_the_region_and_the_service() -> None:
    assert scope("20150830", "us-east-1", "iam") == "20150830/us-east-1/iam/aws4_request"
