"""What the synchronous and the asynchronous transport have in common: all decisions, and no input or output."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping

import httpx

from ._calls import Answer, Request, Settings
from ._errors import APIConnectionError, APITimeoutError
from ._retries import may_succeed_later, pause_before_retry, retry_after

__all__ = ["Outcome", "TimeLimits", "connection_error", "may_have_had_effect", "pause_after"]

Outcome = Answer | APIConnectionError
"""How an attempt ended."""

_SHORTEST_LIMIT = 0.001

logger = logging.getLogger("postrider")


class TimeLimits(Mapping[str, float]):
    """The limits of one attempt in the form of httpx, which has one for connecting, sending and reading each.

    The transport of httpx looks each of them up when it begins that part of the attempt, so each gets what is left.
    """

    def __init__(self, timeout: float) -> None:
        self._end = time.monotonic() + timeout
        self._quiet: float | None = None

    def remaining(self) -> float:
        """The seconds that are left, or less than 0."""
        return self._end - time.monotonic()

    def begin_stream(self, quiet: float) -> None:
        """From now on the attempt may take any time, but the response may be silent only for these seconds."""
        self._quiet = quiet

    def __getitem__(self, part: str) -> float:
        return max(self.remaining(), _SHORTEST_LIMIT) if self._quiet is None else self._quiet

    def __iter__(self) -> Iterator[str]:
        return iter(("connect", "write", "read", "pool"))

    def __len__(self) -> int:
        return 4


def pause_after(outcome: Outcome, retries: int, settings: Settings) -> float | None:
    """The seconds before the next attempt, or None if the outcome is final."""
    if retries >= settings.max_retries:
        return None
    if isinstance(outcome, APIConnectionError):
        pause = pause_before_retry(retries, None)
    elif may_succeed_later(outcome.status, outcome.body):
        pause = pause_before_retry(retries, retry_after(outcome.headers))
    else:
        return None
    if pause is not None:
        reason = outcome if isinstance(outcome, APIConnectionError) else f"status {outcome.status}"
        logger.info("Attempt %d failed, the next one follows in %.1f s: %s", retries + 1, pause, reason)
    return pause


def may_have_had_effect(outcome: Outcome) -> bool:
    """Whether the service may have done what a failed attempt asked for."""
    return isinstance(outcome, APIConnectionError) or outcome.status >= 500


def connection_error(error: httpx.RequestError | None, request: Request, timeout: float) -> APIConnectionError:
    """The error of an attempt without a complete response. None means that its deadline has passed."""
    idempotency_key = request.headers.get("idempotency-key")
    attempt = f"{request.method} {request.url} got no complete answer"
    if error is None or isinstance(error, httpx.TimeoutException):
        message = f"{attempt} within {timeout:g} s. Check the address, or pass a higher timeout."
        outcome: APIConnectionError = APITimeoutError(message, idempotency_key=idempotency_key)
    else:
        reason = str(error) or type(error).__name__
        message = f"{attempt}: {reason}. Check that the service runs, and that base_url is its address."
        outcome = APIConnectionError(message, idempotency_key=idempotency_key)
    # It is raised later, after the last attempt.
    outcome.__cause__ = error
    return outcome
