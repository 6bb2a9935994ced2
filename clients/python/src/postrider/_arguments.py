"""Arguments of operations: what was left out, names in JSON, paths and queries."""

from __future__ import annotations

import enum
import re
import types
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict
from urllib.parse import quote

from ._decode import camel_case
from ._json import time_text

__all__ = ["OMIT", "Omit", "body", "idempotency_key", "query", "segment"]

_TENANT_FILTER = "tenant_id"
"""The parameter of a query that selects what has no tenant if it is None."""
_IDEMPOTENCY_KEY = re.compile(r"[ -~]{1,255}")


class Omit(enum.Enum):
    """The type of ``OMIT``."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit.OMIT
"""The default of optional arguments: the field is not sent. ``None`` is sent as ``null``, which removes a value."""


def segment(value: str) -> str:
    """An id as a segment of a path.

    Raises:
        ValueError: The id is no text, is empty, or would make the path that of another resource.
    """
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"{value!r} is no id. Pass the id of a resource.")
    return quote(value, safe="")


def idempotency_key(given: str | None) -> str:
    """The key of a call, for all of its attempts.

    Raises:
        ValueError: The given key cannot be sent.
    """
    if given is None:
        return str(uuid.uuid4())
    if not _IDEMPOTENCY_KEY.fullmatch(given):
        raise ValueError("An idempotency key has 1 to 255 printable ASCII characters. Pass a UUID, for example.")
    return given


def query(arguments: Mapping[str, object]) -> list[tuple[str, str]]:
    """The parameters of a query, without those that are left out. A list becomes a repeated parameter.

    Raises:
        ValueError: A parameter is None, which could mean any value or no value.
    """
    return [
        (camel_case(name), _query_text(name, item))
        for name, value in arguments.items()
        if value is not OMIT
        for item in (value if isinstance(value, Sequence) and not isinstance(value, str) else [value])
    ]


def body(hint: Any, arguments: Mapping[str, object]) -> dict[str, Any]:
    """The body of a request, without the fields that are left out, and with the names of the API."""
    given = {name: value for name, value in arguments.items() if value is not OMIT}
    renamed: dict[str, Any] = _renamed(hint, given)
    return renamed


def _query_text(name: str, value: object) -> str:
    if value is None:
        if name == _TENANT_FILTER:
            return "null"
        raise ValueError(f"{name} is None. Leave it out, or pass OMIT.")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return time_text(value)
    return str(value)


def _renamed(hint: Any, value: Any) -> Any:
    """The value with camelCase names where the hint has a ``TypedDict``. Other mappings have names of the user."""
    fields, item = _shape(hint)
    if fields is not None and isinstance(value, Mapping):
        return {camel_case(name): _renamed(fields.get(name), member) for name, member in value.items()}
    if item is not None and isinstance(value, Sequence) and not isinstance(value, str):
        return [_renamed(item, member) for member in value]
    return value


@cache
def _shape(hint: Any) -> tuple[Mapping[str, Any] | None, Any]:
    """The hints of the fields of a ``TypedDict``, and the hint of the items of a list."""
    if is_typeddict(hint):
        return get_type_hints(hint), None
    if get_origin(hint) is Sequence or get_origin(hint) is list:
        return None, get_args(hint)[0]
    fields: dict[str, Any] = {}
    item = None
    if get_origin(hint) in (Union, types.UnionType):
        for member in get_args(hint):
            member_fields, member_item = _shape(member)
            fields |= member_fields or {}
            item = item or member_item
    return fields or None, item
