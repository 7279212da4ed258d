"""Errors that only an HTTP server can meet, in the shape DynamoDB gives its own."""

from __future__ import annotations

from partita.dynamo.errors import DynamoError, UnknownOperationError

_CORAL = "com.amazon.coral.service#"


class MalformedRequestError(DynamoError):
    """The bytes are not an HTTP/1.1 request this server reads."""

    code = "MalformedHttpRequestException"
    namespace = _CORAL


class HeadersTooLargeError(DynamoError):
    """The request line and headers are over the limit."""

    code = "RequestHeaderFieldsTooLargeException"
    status = 431
    namespace = _CORAL


class RequestTimeoutError(DynamoError):
    """The request began but did not arrive in time."""

    code = "RequestTimeoutException"
    status = 408
    namespace = _CORAL
    retryable = True


class ServiceUnavailableError(DynamoError):
    """Every connection the server may hold is taken; AWS SDKs try again after a while."""

    code = "ServiceUnavailableException"
    status = 503
    namespace = _CORAL
    retryable = True


class BrowserRefusedError(DynamoError):
    """A web page asked a server that checks no signatures."""

    code = "AccessDeniedException"
    status = 403
    namespace = _CORAL


class UnknownResourceError(UnknownOperationError):
    """Nothing answers this method on this path."""

    status = 404
