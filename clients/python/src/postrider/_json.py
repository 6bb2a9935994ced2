"""JSON with every digit of its numbers, and text that is sent and received as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

__all__ = ["JsonObject", "ParseFloat", "RawJson", "decoder", "encode"]

ParseFloat = Callable[[str], Any]
"""Makes a number from the text of one with a fraction or an exponent, such as ``float`` or ``Decimal``."""

# Python 3.11 and later refuse to convert longer texts to integers, because the time for it grows with the square.
_LONGEST_INTEGER = 4300


@dataclass(frozen=True, slots=True)
class RawJson:
    """A JSON text that is sent byte for byte: ``data=RawJson('{"total": 1.50}')``."""

    text: str

    def __post_init__(self) -> None:
        try:
            json.loads(self.text, parse_int=str, parse_float=str, parse_constant=_reject_constant)
        except RecursionError:
            pass  # The service checks the depth.
        except ValueError as error:
            raise ValueError(f"RawJson takes a text that is valid JSON. {error}") from None

    def __str__(self) -> str:
        return self.text


class JsonObject(dict[str, Any]):
    """A JSON object from the service: a ``dict`` that also has its text, with every digit, space and repeated key.

    Changes of the ``dict`` do not change the text.
    """

    __slots__ = ("raw",)

    raw: RawJson
    """The text, as the service sent it."""

    def __init__(self, members: Mapping[str, Any], raw: RawJson) -> None:
        super().__init__(members)
        self.raw = raw

    def __reduce__(self) -> tuple[type[JsonObject], tuple[dict[str, Any], RawJson]]:
        return JsonObject, (dict(self), self.raw)


def received(text: str) -> RawJson:
    """RawJson of a text that was parsed already."""
    raw = object.__new__(RawJson)
    object.__setattr__(raw, "text", text)
    return raw


def decoder(parse_float: ParseFloat = float) -> json.JSONDecoder:
    """A decoder of standard JSON: integers are exact, and other numbers are what ``parse_float`` makes of them."""
    return json.JSONDecoder(parse_float=parse_float, parse_int=_parse_integer, parse_constant=_reject_constant)


def encode(value: object) -> bytes:
    """JSON in UTF-8. A ``Decimal`` keeps its digits, and ``RawJson`` is inserted as it is.

    Raises:
        TypeError: A value has no form in JSON.
        ValueError: A number is infinite or NaN, or a ``datetime`` has no time zone.
    """
    # The encoder of the standard library can only insert strings, so they hold the places of the inserted texts. The
    # random part cannot occur in a value.
    mark = uuid4().hex
    inserted: list[str] = []

    def default(other: object) -> object:
        if isinstance(other, (RawJson, Decimal)):
            inserted.append(other.text if isinstance(other, RawJson) else _number(other))
            return mark
        if isinstance(other, datetime):
            return time_text(other)
        if isinstance(other, Mapping):
            return dict(other)
        raise TypeError(f"A value of the type {type(other).__name__} cannot be sent as JSON. Convert it first.")

    text = json.dumps(value, default=default, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if inserted:
        first, *others = text.split(f'"{mark}"')
        text = first + "".join(raw + other for raw, other in zip(inserted, others, strict=True))
    return text.encode()


def time_text(time: datetime) -> str:
    """The time in ISO 8601.

    Raises:
        ValueError: The time has no time zone.
    """
    if time.utcoffset() is None:
        raise ValueError(f"{time!r} has no time zone. Use a time such as datetime.now(timezone.utc).")
    return time.isoformat()


def _number(number: Decimal) -> str:
    if not number.is_finite():
        raise ValueError(f"{number} has no form in JSON.")
    return str(number)


def _parse_integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _LONGEST_INTEGER else Decimal(text)


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON.")
