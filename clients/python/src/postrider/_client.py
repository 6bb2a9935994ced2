"""The two clients."""

from __future__ import annotations

from dataclasses import replace

import httpx

from ._arguments import OMIT, Omit
from ._async import AsyncConnections, AsyncTransport
from ._calls import Settings, settings_of
from ._generated.async_resources import AsyncResources
from ._generated.resources import Resources
from ._json import ParseFloat
from ._sync import Connections, Transport

__all__ = ["AsyncPostrider", "Postrider"]


class Postrider(Resources):
    """A client of the Postrider API. Threads may share it.

    Args:
        api_key: The API key. The default is the environment variable ``POSTRIDER_API_KEY``.
        base_url: The address of the service. The default is the environment variable ``POSTRIDER_URL``.
        timeout: The seconds that one attempt may take, from the connection to the end of the response.
        max_retries: How often an attempt without a response, or with 429 or 5xx, is repeated.
        parse_float: Makes a number from a text such as ``1.50``, as in ``json.loads``. ``Decimal`` keeps its digits.
        http_client: Sends the requests, for example through a proxy. ``close`` leaves it open.

    Raises:
        ValueError: A setting is missing or invalid.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        parse_float: ParseFloat = float,
        http_client: httpx.Client | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, max_retries, parse_float)
        super().__init__(Transport(settings, Connections(http_client)))

    def with_options(self, *, timeout: float | Omit = OMIT, max_retries: int | Omit = OMIT) -> Postrider:
        """A client with other options and the same connections: ``client.with_options(timeout=5).events``."""
        client = Postrider.__new__(Postrider)
        settings = _changed(self._transport.settings, timeout, max_retries)
        Resources.__init__(client, Transport(settings, self._transport.connections))
        return client

    def close(self) -> None:
        """Closes the connections, which clients of ``with_options`` share."""
        self._transport.connections.close()

    def __enter__(self) -> Postrider:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Postrider(base_url={self._transport.settings.base_url!r})"


class AsyncPostrider(AsyncResources):
    """A client of the Postrider API for asyncio. It belongs to one event loop, and its tasks may share it.

    Args:
        api_key: The API key. The default is the environment variable ``POSTRIDER_API_KEY``.
        base_url: The address of the service. The default is the environment variable ``POSTRIDER_URL``.
        timeout: The seconds that one attempt may take, from the connection to the end of the response.
        max_retries: How often an attempt without a response, or with 429 or 5xx, is repeated.
        parse_float: Makes a number from a text such as ``1.50``, as in ``json.loads``. ``Decimal`` keeps its digits.
        http_client: Sends the requests, for example through a proxy. ``aclose`` leaves it open.

    Raises:
        ValueError: A setting is missing or invalid.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        parse_float: ParseFloat = float,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, max_retries, parse_float)
        super().__init__(AsyncTransport(settings, AsyncConnections(http_client)))

    def with_options(self, *, timeout: float | Omit = OMIT, max_retries: int | Omit = OMIT) -> AsyncPostrider:
        """A client with other options and the same connections: ``client.with_options(timeout=5).events``."""
        client = AsyncPostrider.__new__(AsyncPostrider)
        settings = _changed(self._transport.settings, timeout, max_retries)
        AsyncResources.__init__(client, AsyncTransport(settings, self._transport.connections))
        return client

    async def aclose(self) -> None:
        """Closes the connections, which clients of ``with_options`` share."""
        await self._transport.connections.aclose()

    async def __aenter__(self) -> AsyncPostrider:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncPostrider(base_url={self._transport.settings.base_url!r})"


def _changed(settings: Settings, timeout: float | Omit, max_retries: int | Omit) -> Settings:
    return replace(
        settings,
        timeout=settings.timeout if isinstance(timeout, Omit) else timeout,
        max_retries=settings.max_retries if isinstance(max_retries, Omit) else max_retries,
    )
