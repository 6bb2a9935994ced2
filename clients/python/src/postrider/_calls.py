"""Settings, requests and answers, without input or output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from json import JSONDecoder
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from ._decode import MismatchError, decode
from ._errors import ResponseError, error_of, invalid_response, shown
from ._json import ParseFloat, decoder, encode
from ._version import __version__

__all__ = ["Answer", "Call", "Request", "Settings", "prepare", "read_answer", "settings_of"]

T = TypeVar("T")

_PRINTABLE = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client was constructed with."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float
    max_retries: int
    decoder: JSONDecoder = field(repr=False)

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ValueError(f"timeout is {self.timeout!r}. Pass the seconds that an attempt may take.")
        if self.max_retries < 0:
            raise ValueError(f"max_retries is {self.max_retries!r}. Pass 0 or more.")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operation: the same for each attempt, and for each page of a list but for the cursor."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    """None if the operation takes none."""
    deletes: str | None = None
    """The id of the resource that the operation deletes."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request. Each attempt of a call sends the same one."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def settings_of(
    api_key: str | None, base_url: str | None, timeout: float, max_retries: int, parse_float: ParseFloat
) -> Settings:
    """Checks the settings of a client, and reads those that are not given from the environment.

    Raises:
        ValueError: A setting is missing or invalid.
    """
    key = os.environ.get("POSTRIDER_API_KEY", "") if api_key is None else api_key
    if not _PRINTABLE.fullmatch(key):
        raise ValueError(
            "The API key is missing. Pass api_key, or set POSTRIDER_API_KEY."
            if key == ""
            else "The API key has spaces or other characters that no key has. Pass api_key without them."
        )
    url = os.environ.get("POSTRIDER_URL", "") if base_url is None else base_url
    return Settings(key, _checked_url(url), timeout, max_retries, decoder(parse_float))


def prepare(call: Call, settings: Settings, headers: Mapping[str, str] | None = None) -> Request:
    """The request of a call."""
    parameters = f"?{urlencode(call.query)}" if call.query else ""
    all_headers = {
        "accept": "application/json",
        "authorization": f"Bearer {settings.api_key}",
        "user-agent": f"postrider-python/{__version__}",
        **(headers or {}),
    }
    if call.body is not None:
        all_headers["content-type"] = "application/json"
    if call.idempotency_key is not None:
        all_headers["idempotency-key"] = call.idempotency_key
    content = None if call.body is None else encode(call.body)
    return Request(call.method, f"{settings.base_url}{call.path}{parameters}", all_headers, content)


def read_answer(answer: Answer, call: Call, hint: type[T], settings: Settings, *, may_repeat_effect: bool) -> T:
    """The result of a call.

    Args:
        may_repeat_effect: Whether an earlier attempt may have had its effect, although it brought no result.

    Raises:
        ResponseError: The answer is an error, or none of the API.
    """
    try:
        return _result(answer, call, hint, settings, may_repeat_effect)
    except ResponseError as error:
        error.idempotency_key = call.idempotency_key
        raise


def _result(answer: Answer, call: Call, hint: type[T], settings: Settings, may_repeat_effect: bool) -> T:
    body = answer.body
    if not 200 <= answer.status < 300:
        error = error_of(answer.status, answer.headers, body)
        if call.deletes is None or not may_repeat_effect or error.code != "resource_missing":
            raise error
        # The earlier attempt has deleted the resource. Depending on its kind, the result has an id or a name.
        body = encode({"id": call.deletes, "name": call.deletes, "deleted": True})
    try:
        return decode(hint, body.decode(), settings.decoder)
    except (MismatchError, UnicodeDecodeError) as error:
        raise invalid_response(answer.status, answer.headers, f"{error}. {shown(body)}") from None


def _checked_url(url: str) -> str:
    if url == "":
        raise ValueError("The address of the service is missing. Pass base_url, or set POSTRIDER_URL.")
    try:
        parts = urlsplit(url)
        is_plain = parts.port != 0 and not (parts.query or parts.fragment or parts.username or parts.password)
    except ValueError:
        is_plain = False
    if not is_plain or parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        raise ValueError(
            f"base_url is {'an address with credentials' if '@' in url else repr(url)}. Pass an address such as "
            "https://postrider.example.com, without credentials, query and fragment."
        )
    return url.rstrip("/")
