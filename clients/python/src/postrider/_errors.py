"""The errors of the library. Wrong arguments are a ``TypeError`` or ``ValueError``, as everywhere in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ._retries import retry_after

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AuthenticationError",
    "IdempotencyError",
    "InvalidRequestError",
    "InvalidResponseError",
    "PermissionDeniedError",
    "PostriderError",
    "RateLimitError",
    "ResponseError",
    "SignatureVerificationError",
    "StreamGapError",
]

_SHOWN_CHARACTERS = 200


class PostriderError(Exception):
    """The base of all errors of the library."""


class APIConnectionError(PostriderError):
    """The service did not answer, or its answer was cut off, in each attempt.

    The request may have had its effect. If you repeat the call with the ``idempotency_key`` of the error, the effect
    happens once.
    """

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        """The key of the call, or None if the operation takes none."""


class APITimeoutError(APIConnectionError):
    """An attempt took longer than ``timeout``."""


class ResponseError(PostriderError):
    """The service answered with an error. Each type of error has a subclass. Decide by ``code``."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        type: str | None = None,
        code: str | None = None,
        param: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """What happened and what to do, for people."""
        self.status = status
        """The HTTP status."""
        self.type = type
        """The type of the error, such as ``invalid_request_error``."""
        self.code = code
        """The code of the error, such as ``resource_missing``."""
        self.param = param
        """The field or parameter that caused the error, or None."""
        self.request_id = request_id
        """Names the request. Include it if you ask for help."""
        self.retry_after = retry_after
        """The seconds after which the service asks for another attempt, or None."""
        self.idempotency_key = idempotency_key
        """The key of the call, or None if the operation takes none. Pass it to repeat the call with one effect."""

    def __str__(self) -> str:
        facts = [str(self.status), self.code, f"param: {self.param}" if self.param else None, self.request_id]
        return f"{self.message} ({', '.join(fact for fact in facts if fact)})"


class InvalidRequestError(ResponseError):
    """The request cannot succeed as it is: ``param`` or ``code`` names the reason."""


class AuthenticationError(ResponseError):
    """The API key is missing, unknown or expired."""


class PermissionDeniedError(ResponseError):
    """The API key must not do this, or the plan does not include it."""


class IdempotencyError(ResponseError):
    """The idempotency key belongs to another request, or to one that is still running."""


class RateLimitError(ResponseError):
    """The account has sent too many requests."""


class APIError(ResponseError):
    """The service failed or is unavailable."""


class InvalidResponseError(ResponseError):
    """The answer is none of the service, such as a page of a load balancer, a redirect, or malformed JSON."""


class SignatureVerificationError(PostriderError):
    """A request to a webhook is not genuine, or is too old. Answer it with 400."""


class StreamGapError(PostriderError):
    """The stream misses events. Read them with ``events.list``, then open another stream."""

    def __init__(self, message: str, *, last_event_id: str | None = None) -> None:
        super().__init__(message)
        self.last_event_id = last_event_id
        """The last event before the gap, or None."""


_BY_TYPE: Mapping[str, type[ResponseError]] = {
    "invalid_request_error": InvalidRequestError,
    "authentication_error": AuthenticationError,
    "permission_error": PermissionDeniedError,
    "idempotency_error": IdempotencyError,
    "rate_limit_error": RateLimitError,
    "api_error": APIError,
}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ResponseError:
    """The error of a response that is no success."""
    if 300 <= status < 400:
        location = headers.get("location", "another address")
        return invalid_response(
            status,
            headers,
            f"The server redirects to {location}. The client does not follow redirects, because that would "
            "send the API key to another address. If the service is there, set base_url to it.",
        )
    try:
        details = json.loads(body)["error"]
        type, code, message = details["type"], details["code"], details["message"]
        if not (isinstance(type, str) and isinstance(code, str) and isinstance(message, str)):
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        message = f"The server answered with status {status}, but not as the API does. {shown(body)}"
        return invalid_response(status, headers, message)
    of_status = APIError if status >= 500 else InvalidRequestError
    return _BY_TYPE.get(type, of_status)(
        message,
        status=status,
        type=type,
        code=code,
        param=_text(details.get("param")),
        request_id=_text(details.get("requestId")) or headers.get("request-id"),
        retry_after=retry_after(headers),
    )


def invalid_response(status: int, headers: Mapping[str, str], message: str) -> InvalidResponseError:
    """The error of a response that the API never sends."""
    return InvalidResponseError(
        message, status=status, request_id=headers.get("request-id"), retry_after=retry_after(headers)
    )


def shown(body: bytes) -> str:
    """The beginning of a body, for a message."""
    text = body[: 4 * _SHOWN_CHARACTERS].decode(errors="replace").strip()
    if not text:
        return "Its body is empty. Check that base_url is the address of the service."
    return f"It begins with {text[:_SHOWN_CHARACTERS]!r}. Check that base_url is the address of the service."


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
