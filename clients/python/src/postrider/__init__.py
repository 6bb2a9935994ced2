"""The client library of Postrider.

Postrider(api_key).events.create(type="order.completed", data={"orderId": "ord_1"})
"""

from . import types
from ._arguments import OMIT, Omit
from ._client import AsyncPostrider, Postrider
from ._errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    IdempotencyError,
    InvalidRequestError,
    InvalidResponseError,
    PermissionDeniedError,
    PostriderError,
    RateLimitError,
    ResponseError,
    SignatureVerificationError,
    StreamGapError,
)
from ._json import JsonObject, RawJson
from ._pages import AsyncList, AsyncPage, Page
from ._stream import AsyncEventStream, EventStream
from ._version import __version__
from ._webhooks import WebhookEvent, sign_webhook, verify_webhook

__all__ = [
    "OMIT",
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncEventStream",
    "AsyncList",
    "AsyncPage",
    "AsyncPostrider",
    "AuthenticationError",
    "EventStream",
    "IdempotencyError",
    "InvalidRequestError",
    "InvalidResponseError",
    "JsonObject",
    "Omit",
    "Page",
    "PermissionDeniedError",
    "Postrider",
    "PostriderError",
    "RateLimitError",
    "RawJson",
    "ResponseError",
    "SignatureVerificationError",
    "StreamGapError",
    "WebhookEvent",
    "__version__",
    "sign_webhook",
    "types",
    "verify_webhook",
]
