"""The stream of events: what to do with each piece of it, and when to connect again."""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from ._calls import Answer, Call, Request, Settings, prepare
from ._decode import MismatchError, decode
from ._errors import APIConnectionError, ResponseError, StreamGapError, error_of, invalid_response
from ._retries import LONGEST_WAIT, may_succeed_later, pause_before_retry
from ._sse import Parser

__all__ = ["AsyncEventStream", "EventStream", "StreamState"]

T = TypeVar("T")

QUIET_SECONDS = 45.0
"""After so long without a byte, a connection is given up: the service sends a comment every 15 seconds."""

_REMEMBERED_IDS = 10_000
_FIRST_PAUSE = 2.0
_LONGEST_PAUSE = 30.0

logger = logging.getLogger("postrider")


@dataclass
class StreamState(Generic[T]):
    """Everything that outlives one connection of a stream."""

    call: Call
    item: type[T]
    settings: Settings
    last_event_id: str | None

    def __post_init__(self) -> None:
        self._has_begun = False
        self._failures = 0
        self._pause = _FIRST_PAUSE
        self._parser = Parser()
        # A dict remembers the order of its keys, so its first key is the oldest id.
        self._seen: dict[str, None] = {self.last_event_id: None} if self.last_event_id else {}

    def request(self) -> Request:
        """The request of the next connection."""
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        if self.last_event_id:
            headers["last-event-id"] = self.last_event_id
        return prepare(self.call, self.settings, headers)

    def begin(self) -> None:
        """A connection has begun."""
        self._has_begun = True
        self._failures = 0
        self._parser = Parser(self.last_event_id or "")

    def feed(self, piece: bytes) -> Iterator[T]:
        """The new items in a piece of the response.

        Raises:
            StreamGapError: Items are missing at this place.
            InvalidResponseError: An item is malformed.
        """
        for message in self._parser.feed(piece):
            if message.event == "gap":
                raise StreamGapError(
                    "The stream misses events. Read them with events.list, and open another stream.",
                    last_event_id=self.last_event_id,
                )
            if message.event == "event":
                self.last_event_id = message.id or None
                if self._is_new(message.id):
                    yield self._read(message.data)

    def pause_after(self, lost: Answer | APIConnectionError | None) -> float:
        """The seconds before another connection, after one that ended or failed.

        Raises:
            ResponseError: Another connection would fail as well.
            APIConnectionError: The service was not reached at all.
        """
        if self._parser.retry_seconds is not None:
            self._pause = min(self._parser.retry_seconds, LONGEST_WAIT)
        error = _error_of(lost)
        asked = error.retry_after if isinstance(error, ResponseError) else None
        pause = self._pause_after_begin(lost, asked) if self._has_begun else self._pause_before_begin(lost, asked)
        if pause is None:
            raise error
        self._failures += 1
        logger.info("The stream of events connects again in %.1f s: %s", pause, error)
        return pause

    def _pause_before_begin(self, lost: Answer | APIConnectionError | None, asked: float | None) -> float | None:
        """As of any other request."""
        is_temporary = not isinstance(lost, Answer) or may_succeed_later(lost.status, lost.body)
        has_retries = self._failures < self.settings.max_retries
        return pause_before_retry(self._failures, asked) if is_temporary and has_retries else None

    def _pause_after_begin(self, lost: Answer | APIConnectionError | None, asked: float | None) -> float | None:
        if isinstance(lost, Answer) and 400 <= lost.status < 500 and lost.status != 429:
            return None
        # The stream may have asked for no pause at all, so it does not grow from that one.
        grown = 0.0 if self._failures == 0 else min(_FIRST_PAUSE * 2.0 ** min(self._failures, 16), _LONGEST_PAUSE)
        grown = max(grown, self._pause)
        return max(grown * (1 + random.random() / 4), min(asked or 0.0, LONGEST_WAIT))

    def _is_new(self, id: str) -> bool:
        if id and id in self._seen:
            return False
        self._seen[id] = None
        if len(self._seen) > _REMEMBERED_IDS:
            del self._seen[next(iter(self._seen))]
        return True

    def _read(self, data: str) -> T:
        try:
            return decode(self.item, data, self.settings.decoder)
        except MismatchError as error:
            raise invalid_response(200, {}, f"The stream has an event that is none of the API. {error}.") from None


def is_event_stream(status: int, content_type: str) -> bool:
    """Whether a response is the stream, and not an error or the page of another server."""
    return status == 200 and content_type.startswith("text/event-stream")


def _error_of(lost: Answer | APIConnectionError | None) -> ResponseError | APIConnectionError:
    if lost is None:
        return APIConnectionError("The service has ended the stream.")
    if isinstance(lost, APIConnectionError):
        return lost
    if 200 <= lost.status < 300:
        return invalid_response(lost.status, lost.headers, "The answer is no stream of events. Check base_url.")
    return error_of(lost.status, lost.headers, lost.body)


class EventStream(Generic[T]):
    """The events as they arrive. Use ``with``, so that leaving the loop ends the connection at once."""

    def __init__(self, items: Generator[T, None, None]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        return next(self._items)

    def __enter__(self) -> EventStream[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream and its connection. Only the thread that reads the stream may close it.

        Raises:
            ValueError: Another thread reads the stream.
        """
        self._items.close()


class AsyncEventStream(Generic[T]):
    """The events as they arrive. Use ``async with``, so that leaving the loop ends the connection at once."""

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def __aenter__(self) -> AsyncEventStream[T]:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the stream and its connection."""
        await self._items.aclose()
