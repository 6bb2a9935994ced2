"""The transport of ``AsyncPostrider``. That of ``Postrider`` mirrors it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

import httpx

from ._calls import Answer, Call, Request, Settings, prepare, read_answer
from ._errors import APIConnectionError
from ._http import Outcome, TimeLimits, connection_error, may_have_had_effect, pause_after
from ._pages import AsyncList, AsyncPage, Envelope
from ._stream import QUIET_SECONDS, AsyncEventStream, StreamState, is_event_stream

__all__ = ["AsyncConnections", "AsyncTransport"]

T = TypeVar("T")


class AsyncConnections:
    """The connections of a client, which its copies share. They belong to one event loop."""

    def __init__(self, given: httpx.AsyncClient | None) -> None:
        self._given = given
        self._own: httpx.AsyncClient | None = None
        self._is_closed = False

    def open(self, request: Request, limits: TimeLimits) -> AbstractAsyncContextManager[httpx.Response]:
        """The response as it begins. A redirect is not followed: the key belongs to one address."""
        return self._client().stream(
            request.method,
            request.url,
            headers=request.headers,
            content=request.content,
            extensions={"timeout": limits},
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """Closes the connections, but not those of a client that was given."""
        self._is_closed = True
        if self._own is not None:
            await self._own.aclose()

    def _client(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        if self._is_closed:
            raise RuntimeError("The client is closed. Construct another one.")
        self._own = self._own or httpx.AsyncClient()
        return self._own


class AsyncTransport:
    """Calls operations."""

    def __init__(self, settings: Settings, connections: AsyncConnections) -> None:
        self.settings = settings
        self.connections = connections

    async def call(self, call: Call, hint: type[T]) -> T:
        """The result of an operation, after as many attempts as it needs and the settings allow."""
        request = prepare(call, self.settings)
        retries = 0
        may_repeat_effect = False
        while True:
            outcome = await self._attempt(request)
            pause = pause_after(outcome, retries, self.settings)
            if pause is None:
                break
            retries += 1
            may_repeat_effect = may_repeat_effect or may_have_had_effect(outcome)
            await asyncio.sleep(pause)
        if isinstance(outcome, APIConnectionError):
            raise outcome
        return read_answer(outcome, call, hint, self.settings, may_repeat_effect=may_repeat_effect)

    def list(self, call: Call, envelope: type[Envelope[T]], cursor: str) -> AsyncList[T]:
        """A list, of which nothing is requested yet."""
        return AsyncList(lambda: self._page(call, envelope, cursor))

    def stream(self, call: Call, item: type[T], last_event_id: str | None) -> AsyncEventStream[T]:
        """Server-sent events. Nothing is requested before the first one is read."""
        return AsyncEventStream(self._items(StreamState(call, item, self.settings, last_event_id)))

    async def _page(self, call: Call, envelope: type[Envelope[T]], cursor: str) -> AsyncPage[T]:
        answer = await self.call(call, envelope)
        return AsyncPage(call, answer, cursor, lambda next_call: self._page(next_call, envelope, cursor))

    async def _attempt(self, request: Request) -> Outcome:
        timeout = self.settings.timeout
        limits = TimeLimits(timeout)
        try:
            async with self.connections.open(request, limits) as response:
                body = bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if limits.remaining() < 0:
                        return connection_error(None, request, timeout)
                return Answer(response.status_code, response.headers, bytes(body))
        except httpx.RequestError as error:
            return connection_error(error, request, timeout)

    async def _items(self, state: StreamState[T]) -> AsyncGenerator[T, None]:
        timeout = self.settings.timeout
        while True:
            lost: Outcome | None = None
            request = state.request()
            limits = TimeLimits(timeout)
            try:
                async with self.connections.open(request, limits) as response:
                    if is_event_stream(response.status_code, response.headers.get("content-type", "")):
                        state.begin()
                        limits.begin_stream(QUIET_SECONDS)
                        async for piece in response.aiter_bytes():
                            for item in state.feed(piece):
                                yield item
                    else:
                        lost = Answer(response.status_code, response.headers, await response.aread())
            except httpx.RequestError as error:
                lost = connection_error(error, request, timeout)
            await asyncio.sleep(state.pause_after(lost))
