"""When to attempt a request again."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["LONGEST_WAIT", "backoff", "may_succeed_later", "pause_before_retry", "retry_after"]

LONGEST_WAIT = 60.0
"""The longest ``Retry-After`` that a call waits for, in seconds. Beyond it, the caller gets the error at once."""

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0

# In addition to the statuses that always may: see /docs/errors of the service.
_TEMPORARY_CODES = {"deliveries_unknown", "idempotency_key_in_use", "request_timeout"}


def may_succeed_later(status: int, body: bytes) -> bool:
    """Whether the unchanged request may get another answer: a 429, a 5xx, or an error that passes by itself."""
    return status == 429 or status >= 500 or (status >= 400 and _code_of(body) in _TEMPORARY_CODES)


def pause_before_retry(retries: int, asked: float | None) -> float | None:
    """The seconds to wait after a failed attempt, or None if the service asks for more than a call should wait.

    Args:
        retries: The number of retries before.
        asked: The ``Retry-After`` of the answer, if it has one.
    """
    if asked is not None and asked > LONGEST_WAIT:
        return None
    return max(asked or 0.0, backoff(retries))


def backoff(retries: int) -> float:
    """Exponential, with up to half of it taken off at random, so that clients do not come back at the same moment."""
    longest = min(_FIRST_PAUSE * 2.0 ** min(retries, 16), _LONGEST_PAUSE)
    return longest * (1 - random.random() / 2)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``Retry-After`` asks for, as a number or as a date, or None if it has neither.

    A date is compared with the clock of the server, because the clock of this machine may differ.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= 9 else math.inf
    date = _seconds(text)
    if date is None:
        return None
    sent = _seconds(headers.get("date", ""))
    return max(0.0, date - (time.time() if sent is None else sent))


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None


def _code_of(body: bytes) -> str | None:
    try:
        code = json.loads(body)["error"]["code"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return code if isinstance(code, str) else None
