"""Errors of the HTTP server, in the shape of DynamoDB's errors."""

from __future__ import annotations

from partita.dynamo.errors import DynamoError, UnknownOperationError

_CORAL = "com.amazon.coral.service#"


class MalformedRequestError(DynamoError):
    """The bytes are not a valid HTTP/1.1 request."""

    code = "MalformedHttpRequestException"
    namespace = _CORAL


class HeadersTooLargeError(DynamoError):
    """The request line and headers are over the limit; DynamoDB answers 400 and not 431."""

    code = "RequestHeaderFieldsTooLargeException"
    namespace = _CORAL


class RequestTimeoutError(DynamoError):
    """The request began but did not arrive in time."""

    code = "RequestTimeoutException"
    status = 408
    namespace = _CORAL
    retryable = True


class ServiceUnavailableError(DynamoError):
    """The server has too much to do; AWS SDKs retry."""

    code = "ServiceUnavailableException"
    status = 503
    namespace = _CORAL
    retryable = True


class BrowserRefusedError(DynamoError):
    """A web page sent a request to a server that checks no signatures."""

    code = "AccessDeniedException"
    status = 403
    namespace = _CORAL


class UnknownResourceError(UnknownOperationError):
    """There is nothing at this method and path."""

    status = 404
    silent = False
