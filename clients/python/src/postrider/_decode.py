"""Reads JSON into the types of the API.

The types are frozen dataclasses with snake_case names. Fields that they do not have are ignored, because the service
may add fields at any time. The text is read once, member by member, so that each JSON object of the account, such as
the ``data`` of an event, keeps its text.
"""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Callable
from datetime import datetime, timezone
from functools import cache
from json import JSONDecoder
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ._json import JsonObject, received

__all__ = ["MismatchError", "camel_case", "decode", "read_time"]

T = TypeVar("T")

_SPACE = re.compile(r"[ \t\n\r]*")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(?:[Zz]|([+-]\d\d:\d\d))", re.ASCII)


class MismatchError(ValueError):
    """A text is no JSON, or JSON of another type than expected."""


def decode(hint: type[T], text: str, decoder: JSONDecoder) -> T:
    """The value of a JSON text.

    Raises:
        MismatchError: The text is not JSON of the type. The message names the place.
    """
    shape: Any = hint
    try:
        value, end = _reader(shape)(_Source(text, decoder), _skip(text, 0), "")
        if _skip(text, end) != len(text):
            raise MismatchError("The JSON goes on after its end")
    except MismatchError:
        raise
    except RecursionError:
        raise MismatchError("The JSON is nested too deeply. Raise sys.setrecursionlimit to read it") from None
    except ValueError as error:
        raise MismatchError(f"The JSON is malformed: {error}") from None
    result: T = value
    return result


def camel_case(name: str) -> str:
    """The name of a field in JSON, such as ``tenantId`` of ``tenant_id`` and ``from`` of ``from_``."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(other.capitalize() for other in others)


def read_time(text: object) -> datetime:
    """The time of an ISO 8601 text. Digits after the microseconds are left out.

    Raises:
        ValueError: The text is no such time.
    """
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{text!r} is not a time in ISO 8601")
    day, time, fraction, offset = match.groups()
    # Python 3.10 knows neither Z nor other numbers of digits than three and six.
    read = datetime.fromisoformat(f"{day}T{time}.{(fraction or '').ljust(6, '0')}{offset or '+00:00'}")
    return read.astimezone(timezone.utc) if offset is None else read


@dataclasses.dataclass(frozen=True, slots=True)
class _Source:
    text: str
    decoder: JSONDecoder

    def value(self, index: int) -> tuple[Any, int]:
        """Any value that begins at the index, and the index after it."""
        return self.decoder.raw_decode(self.text, index)


# A reader reads the value that begins at an index, and returns it with the index after it. The place is that of the
# value in the document, for messages.
_Reader = Callable[[_Source, int, str], "tuple[Any, int]"]


@cache
def _reader(hint: Any) -> _Reader:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        members = [member for member in get_args(hint) if member is not types.NoneType]
        return _nullable(_reader(members[0]) if len(members) == 1 else _read_json)
    if origin is list:
        return _list_of(_reader(get_args(hint)[0]))
    if origin is dict:
        return _map_of(_reader(get_args(hint)[1]))
    if dataclasses.is_dataclass(hint):
        return _object_of(hint)
    return {datetime: _read_time, JsonObject: _read_object, float: _read_float}.get(hint, _read_json)


def _nullable(reader: _Reader) -> _Reader:
    def read(source: _Source, index: int, place: str) -> tuple[Any, int]:
        is_null = source.text.startswith("null", index)
        return (None, index + 4) if is_null else reader(source, index, place)

    return read


def _list_of(item: _Reader) -> _Reader:
    def read(source: _Source, index: int, place: str) -> tuple[list[Any], int]:
        items: list[Any] = []
        index = _begin(source.text, index, "[", place)
        while not source.text.startswith("]", index):
            value, index = item(source, index, f"{place}[{len(items)}]")
            items.append(value)
            index = _next(source.text, index, "]")
        return items, index + 1

    return read


def _map_of(item: _Reader) -> _Reader:
    def read(source: _Source, index: int, place: str) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        index = _begin(source.text, index, "{", place)
        while not source.text.startswith("}", index):
            name, index = _name(source, index)
            members[name], index = item(source, index, _member(place, name))
            index = _next(source.text, index, "}")
        return members, index + 1

    return read


def _object_of(cls: Any) -> _Reader:
    hints = get_type_hints(cls)
    fields = {camel_case(field.name): (field.name, _reader(hints[field.name])) for field in dataclasses.fields(cls)}
    # A service that is older than the library lacks fields. One that may be null is None then.
    defaults = {field.name: None for field in dataclasses.fields(cls) if type(None) in get_args(hints[field.name])}
    required = {
        field.name: wire
        for field, wire in zip(dataclasses.fields(cls), fields, strict=True)
        if field.default is dataclasses.MISSING and field.name not in defaults
    }

    def read(source: _Source, index: int, place: str) -> tuple[Any, int]:
        values: dict[str, Any] = dict(defaults)
        index = _begin(source.text, index, "{", place)
        while not source.text.startswith("}", index):
            wire, index = _name(source, index)
            if wire in fields:
                name, reader = fields[wire]
                values[name], index = reader(source, index, _member(place, wire))
            else:
                _, index = source.value(index)
            index = _next(source.text, index, "}")
        for name, wire in required.items():
            if name not in values:
                raise MismatchError(f"The field {_member(place, wire)} is missing")
        return cls(**values), index + 1

    return read


def _read_json(source: _Source, index: int, place: str) -> tuple[Any, int]:
    value, end = source.value(index)
    return (JsonObject(value, received(source.text[index:end])) if isinstance(value, dict) else value), end


def _read_object(source: _Source, index: int, place: str) -> tuple[Any, int]:
    _begin(source.text, index, "{", place)
    return _read_json(source, index, place)


def _read_float(source: _Source, index: int, place: str) -> tuple[float, int]:
    value, end = source.value(index)
    try:
        return float(value), end
    except (TypeError, ValueError):
        raise MismatchError(f"The field {place} is no number") from None


def _read_time(source: _Source, index: int, place: str) -> tuple[datetime, int]:
    value, end = source.value(index)
    try:
        return read_time(value), end
    except ValueError as error:
        raise MismatchError(f"The field {place} is no time: {error}") from None


def _name(source: _Source, index: int) -> tuple[str, int]:
    if not source.text.startswith('"', index):
        raise ValueError(f"a name is missing at character {index}")
    name, index = source.value(index)
    index = _skip(source.text, index)
    if not source.text.startswith(":", index):
        raise ValueError(f"a colon is missing at character {index}")
    return name, _skip(source.text, index + 1)


def _begin(text: str, index: int, bracket: str, place: str) -> int:
    if not text.startswith(bracket, index):
        kind = "object" if bracket == "{" else "list"
        raise MismatchError(f"The {f'field {place}' if place else 'answer'} is no {kind}")
    return _skip(text, index + 1)


def _next(text: str, index: int, bracket: str) -> int:
    """The index of the next item, or of the bracket that ends them."""
    index = _skip(text, index)
    if text.startswith(bracket, index):
        return index
    if not text.startswith(",", index):
        raise ValueError(f"a comma is missing at character {index}")
    index = _skip(text, index + 1)
    if text.startswith(bracket, index):
        raise ValueError(f"a value is missing at character {index}")
    return index


def _skip(text: str, index: int) -> int:
    """The index after white space."""
    match = _SPACE.match(text, index)
    return match.end() if match else index


def _member(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
