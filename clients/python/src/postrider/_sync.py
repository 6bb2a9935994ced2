"""The transport of ``Postrider``. That of ``AsyncPostrider`` mirrors it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager
from typing import TypeVar

import httpx

from ._calls import Answer, Call, Request, Settings, prepare, read_answer
from ._errors import APIConnectionError
from ._http import Outcome, TimeLimits, connection_error, may_have_had_effect, pause_after
from ._pages import Envelope, Page
from ._stream import QUIET_SECONDS, EventStream, StreamState, is_event_stream

__all__ = ["Connections", "Transport"]

T = TypeVar("T")


class Connections:
    """The connections of a client, which its copies share.

    A forked process must not use the sockets of its parent, because both would read parts of the same responses. So it
    gets connections of its own.
    """

    def __init__(self, given: httpx.Client | None) -> None:
        self._given = given
        self._own: httpx.Client | None = None
        self._process = 0
        self._is_closed = False
        self._lock = threading.Lock()

    def open(self, request: Request, limits: TimeLimits) -> AbstractContextManager[httpx.Response]:
        """The response as it begins. A redirect is not followed: the key belongs to one address."""
        return self._client().stream(
            request.method,
            request.url,
            headers=request.headers,
            content=request.content,
            extensions={"timeout": limits},
            follow_redirects=False,
        )

    def close(self) -> None:
        """Closes the connections, but not those of a client that was given."""
        with self._lock:
            self._is_closed = True
            if self._own is not None and self._process == os.getpid():
                self._own.close()

    def _client(self) -> httpx.Client:
        if self._given is not None:
            return self._given
        with self._lock:
            if self._is_closed:
                raise RuntimeError("The client is closed. Construct another one.")
            if self._own is None or self._process != os.getpid():
                self._own, self._process = httpx.Client(), os.getpid()
            return self._own


class Transport:
    """Calls operations."""

    def __init__(self, settings: Settings, connections: Connections) -> None:
        self.settings = settings
        self.connections = connections

    def call(self, call: Call, hint: type[T]) -> T:
        """The result of an operation, after as many attempts as it needs and the settings allow."""
        request = prepare(call, self.settings)
        retries = 0
        may_repeat_effect = False
        while True:
            outcome = self._attempt(request)
            pause = pause_after(outcome, retries, self.settings)
            if pause is None:
                break
            retries += 1
            may_repeat_effect = may_repeat_effect or may_have_had_effect(outcome)
            time.sleep(pause)
        if isinstance(outcome, APIConnectionError):
            raise outcome
        return read_answer(outcome, call, hint, self.settings, may_repeat_effect=may_repeat_effect)

    def list(self, call: Call, envelope: type[Envelope[T]], cursor: str) -> Page[T]:
        """The first page of a list."""
        return Page(call, self.call(call, envelope), cursor, lambda next_call: self.list(next_call, envelope, cursor))

    def stream(self, call: Call, item: type[T], last_event_id: str | None) -> EventStream[T]:
        """Server-sent events. Nothing is requested before the first one is read."""
        return EventStream(self._items(StreamState(call, item, self.settings, last_event_id)))

    def _attempt(self, request: Request) -> Outcome:
        timeout = self.settings.timeout
        limits = TimeLimits(timeout)
        try:
            with self.connections.open(request, limits) as response:
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if limits.remaining() < 0:
                        return connection_error(None, request, timeout)
                return Answer(response.status_code, response.headers, bytes(body))
        except httpx.RequestError as error:
            return connection_error(error, request, timeout)

    def _items(self, state: StreamState[T]) -> Generator[T, None, None]:
        timeout = self.settings.timeout
        while True:
            lost: Outcome | None = None
            request = state.request()
            limits = TimeLimits(timeout)
            try:
                with self.connections.open(request, limits) as response:
                    if is_event_stream(response.status_code, response.headers.get("content-type", "")):
                        state.begin()
                        limits.begin_stream(QUIET_SECONDS)
                        for piece in response.iter_bytes():
                            yield from state.feed(piece)
                    else:
                        lost = Answer(response.status_code, response.headers, response.read())
            except httpx.RequestError as error:
                lost = connection_error(error, request, timeout)
            time.sleep(state.pause_after(lost))
