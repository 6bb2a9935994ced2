"""Lists, page by page and item by item."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from ._calls import Call
from ._errors import InvalidResponseError
from ._generated.types import Searched

__all__ = ["AsyncList", "AsyncPage", "Envelope", "Page"]

T = TypeVar("T")
Item_co = TypeVar("Item_co", covariant=True)


class Envelope(Protocol[Item_co]):
    """The answer of a list."""

    @property
    def data(self) -> Sequence[Item_co]: ...

    @property
    def has_more(self) -> bool: ...


class _Pages(Generic[T]):
    """What pages have in common: their items, and the call of the page after them."""

    def __init__(self, call: Call, envelope: Envelope[T], cursor: str) -> None:
        self.data: list[T] = list(envelope.data)
        """The items of this page, newest first."""
        self.has_more: bool = envelope.has_more
        """Whether there are further pages. Only this says so: a page may be short, or empty."""
        self.searched: Searched | None = getattr(envelope, "searched", None)
        """The part of the list that was searched, if the search of this page has stopped early."""
        self._call = call
        self._cursor = cursor

    @property
    def _is_backwards(self) -> bool:
        return any(name == "endingBefore" for name, _ in self._call.query)

    @property
    def _in_order(self) -> list[T]:
        """The items in the direction of the pages, so that an iteration never turns around."""
        return self.data[::-1] if self._is_backwards else self.data

    def _following(self) -> Call | None:
        if not self.has_more:
            return None
        name = "endingBefore" if self._is_backwards else "startingAfter"
        # A list that stopped searching says where to go on. Its page may be empty.
        searched_to = self.searched.cursor if self.searched else None
        cursor: str | None = searched_to or (getattr(self._in_order[-1], self._cursor) if self.data else None)
        others = [(key, value) for key, value in self._call.query if key != name]
        if cursor is None or (name, cursor) in self._call.query:
            raise InvalidResponseError("The service announced another page, but not where it begins.", status=200)
        return replace(self._call, query=[*others, (name, cursor)])


class Page(_Pages[T]):
    """A page of a list.

    Iterating over it gives the items of this page and of all pages after it, and requests each page when it is needed.
    ``data`` has the items of this page only.
    """

    def __init__(self, call: Call, envelope: Envelope[T], cursor: str, request: Callable[[Call], Page[T]]) -> None:
        super().__init__(call, envelope, cursor)
        self._request = request

    def next_page(self) -> Page[T] | None:
        """The page after this one, or None if this is the last one."""
        following = self._following()
        return None if following is None else self._request(following)

    def pages(self) -> Iterator[Page[T]]:
        """This page and all pages after it."""
        page: Page[T] | None = self
        while page is not None:
            yield page
            page = page.next_page()

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page._in_order


class AsyncPage(_Pages[T]):
    """A page of a list. ``async for`` gives the items of this page and of all pages after it."""

    def __init__(
        self,
        call: Call,
        envelope: Envelope[T],
        cursor: str,
        request: Callable[[Call], Awaitable[AsyncPage[T]]],
    ) -> None:
        super().__init__(call, envelope, cursor)
        self._request = request

    async def next_page(self) -> AsyncPage[T] | None:
        """The page after this one, or None if this is the last one."""
        following = self._following()
        return None if following is None else await self._request(following)

    async def pages(self) -> AsyncIterator[AsyncPage[T]]:
        """This page and all pages after it."""
        page: AsyncPage[T] | None = self
        while page is not None:
            yield page
            page = await page.next_page()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page._in_order:
                yield item


class AsyncList(Generic[T]):
    """A list that nothing was read of yet.

    ``await`` it for its first page, or iterate over all of its items with ``async for``.
    """

    def __init__(self, first_page: Callable[[], Awaitable[AsyncPage[T]]]) -> None:
        self._first_page = first_page

    def __await__(self) -> Generator[object, None, AsyncPage[T]]:
        return self._first_page().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for item in await self._first_page():
            yield item
