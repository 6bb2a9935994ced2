"""Verifies what a webhook receives, by the rules of Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Protocol

from ._decode import MismatchError, decode, read_time
from ._errors import SignatureVerificationError
from ._json import JsonObject, ParseFloat, RawJson, decoder

__all__ = ["Headers", "WebhookEvent", "sign_webhook", "verify_webhook"]

_SECRET_PREFIX = "whsec_"
_VERSION = "v1"
_SECONDS = re.compile(r"[0-9]{1,12}")


class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[str, str | Sequence[str]]]: ...


Headers = _HasItems | Iterable[tuple[str | bytes, str | bytes]]
"""The headers of a request, as every framework has them: a mapping with names in any case, or pairs (ASGI)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEvent:
    """An event that a webhook has received."""

    id: str
    """The id of the event. It is the same in each attempt, so store it to recognize a repetition."""
    type: str
    timestamp: datetime
    """When the event was created."""
    tenant_id: str | None
    data: JsonObject
    """The content of the event. It is empty if the format of the webhook is ``thin``."""
    payload: JsonObject
    """The whole body. With the format ``cloudevents`` it has all attributes of the CloudEvent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Payload:
    """The fields of a body in any format. The sender has signed it, so one without them is no error."""

    type: Any = None
    timestamp: Any = None
    time: Any = None
    tenant_id: Any = None
    tenantid: Any = None
    data: Any = None


def verify_webhook(
    body: bytes | str,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance: float | None = 300,
    signature_header_prefix: str = "webhook",
    parse_float: ParseFloat = float,
) -> WebhookEvent:
    """The event in a request to a webhook, if the request is genuine.

    Args:
        body: The body as it was received, before anything has parsed it.
        headers: The headers of the request.
        secret: The secret of the webhook, or several while a secret is replaced.
        tolerance: The seconds by which the time of the request may differ from now. None accepts any time.
        signature_header_prefix: That of the webhook, if it has one.
        parse_float: As that of ``Postrider``.

    Raises:
        SignatureVerificationError: The request is not genuine, or too old. Answer it with 400.
        ValueError: The secret is none, or the tolerance is less than 0.
        TypeError: The body was parsed already.
    """
    if tolerance is not None and not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance!r}. Pass seconds, or None to accept requests of any time.")
    keys = [_key(each) for each in _listed(secret)]
    content = _bytes(body)
    id, timestamp, signatures = _signature_headers(headers, signature_header_prefix)
    if not any(_matches(signatures, _signature(key, id, timestamp, content)) for key in keys):
        raise SignatureVerificationError(
            "No signature fits. Check that the secret is the one of this webhook, and that the body is passed as it "
            "was received, not as JSON that was parsed and written again."
        )
    sent = _checked_time(timestamp, tolerance)
    try:
        text, json = content.decode(), decoder(parse_float)
        return _event(id, sent, decode(_Payload, text, json), decode(JsonObject, text, json))
    except (MismatchError, UnicodeDecodeError) as error:
        raise SignatureVerificationError(f"The signature fits, but the body is no JSON object. {error}.") from None


def sign_webhook(
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    id: str | None = None,
    timestamp: datetime | int | None = None,
    signature_header_prefix: str = "webhook",
) -> dict[str, str]:
    """The headers with which the service would send a body. For tests of your receiver.

    Args:
        body: The body, exactly as the test sends it.
        secret: The secret of the webhook. Several give several signatures, as during a rotation.
        id: The id of the event. The default is random.
        timestamp: The time of the attempt, as a ``datetime`` or in Unix seconds. The default is now.
        signature_header_prefix: That of the webhook, if it has one.

    Raises:
        ValueError: The secret is none.
    """
    keys = [_key(each) for each in _listed(secret)]
    time_sent = time.time() if timestamp is None else timestamp
    seconds = str(int(time_sent.timestamp() if isinstance(time_sent, datetime) else time_sent))
    event_id = f"evt_{uuid.uuid4().hex}" if id is None else id
    signatures = [_signature(key, event_id, seconds, _bytes(body)).decode() for key in keys]
    return {
        "content-type": "application/json",
        f"{signature_header_prefix}-id": event_id,
        f"{signature_header_prefix}-timestamp": seconds,
        f"{signature_header_prefix}-signature": " ".join(signatures),
    }


def _signature_headers(headers: Headers, prefix: str) -> tuple[str, str, str]:
    items = headers.items() if hasattr(headers, "items") else headers
    values: dict[str, list[str]] = {}
    for name, value in items:
        texts = [value] if isinstance(value, (str, bytes)) else value
        values.setdefault(_text(name).lower(), []).extend(_text(text) for text in texts)
    found = [" ".join(values.get(f"{prefix.lower()}-{part}", [])) for part in ("id", "timestamp", "signature")]
    for part, text in zip(("id", "timestamp", "signature"), found, strict=True):
        if not text:
            raise SignatureVerificationError(
                f"The request has no header {prefix}-{part}. Pass all headers of the request, and "
                "signature_header_prefix if the webhook has one."
            )
    return found[0], found[1], found[2]


def _checked_time(timestamp: str, tolerance: float | None) -> datetime:
    if not _SECONDS.fullmatch(timestamp):
        raise SignatureVerificationError(f"The timestamp {timestamp!r} is no time in Unix seconds.")
    away = time.time() - int(timestamp)
    if tolerance is not None and abs(away) > tolerance:
        raise SignatureVerificationError(
            f"The time of the request is {abs(away):.0f} s {'ago' if away > 0 else 'ahead'}, and {tolerance:g} s are "
            "allowed. Someone may have sent an old request again. If all are rejected, check the clock of this machine."
        )
    try:
        return datetime.fromtimestamp(int(timestamp), timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise SignatureVerificationError(f"The timestamp {timestamp} is out of range.") from None


def _event(id: str, sent: datetime, fields: _Payload, payload: JsonObject) -> WebhookEvent:
    tenant_id = fields.tenant_id if fields.tenantid is None else fields.tenantid
    try:
        created = read_time(fields.timestamp if fields.time is None else fields.time)
    except ValueError:
        created = sent
    return WebhookEvent(
        id=id,
        type=fields.type if isinstance(fields.type, str) else "",
        timestamp=created,
        tenant_id=tenant_id if isinstance(tenant_id, str) else None,
        data=fields.data if isinstance(fields.data, JsonObject) else JsonObject({}, RawJson("{}")),
        payload=payload,
    )


def _signature(key: bytes, id: str, timestamp: str, body: bytes) -> bytes:
    content = f"{id}.{timestamp}.".encode(errors="replace") + body
    digest = hmac.digest(key, content, hashlib.sha256)
    return f"{_VERSION},".encode() + base64.b64encode(digest)


def _matches(signatures: str, expected: bytes) -> bool:
    """Whether one of the signatures is the expected one."""
    given = [signature.encode(errors="replace") for signature in signatures.split()]
    return any(hmac.compare_digest(signature, expected) for signature in given)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.strip().removeprefix(_SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("The secret is not whsec_ and Base64. Pass the secret of the webhook as the API returned it.")
    return key


def _listed(secret: str | Sequence[str] | None) -> Sequence[str]:
    """The secrets. Those of an environment variable that is not set are None."""
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets:
        raise ValueError("There is no secret. Pass at least one secret of the webhook.")
    return secrets


def _bytes(body: bytes | str) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError(
        f"The body is of the type {type(body).__name__}. Pass the bytes as they were received, "
        "before anything has parsed them."
    )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
