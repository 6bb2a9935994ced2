"""Server-sent events (HTML Living Standard, section 9.2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Message", "Parser"]

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Message:
    """A complete message."""

    event: str
    data: str
    id: str
    """The last id of the stream up to this message, or an empty text."""


class Parser:
    """Makes messages from the pieces of one response, wherever the network has cut it.

    Lines are found in bytes and decoded as a whole, because a cut may be within a character. A message that the end of
    the response cuts off is dropped, as the standard says: the service sends it again.
    """

    def __init__(self, last_id: str = "") -> None:
        self.retry_seconds: float | None = None
        """The pause before another connection, if the service has named one."""
        self._line = bytearray()
        self._skips_line_feed = False
        self._is_first_line = True
        self._id = last_id
        self._event = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[Message]:
        """The messages that the piece completes."""
        for line in self._lines(piece):
            if line != "":
                self._take(*_field(line))
                continue
            if self._data:
                yield Message(self._event or "message", "\n".join(self._data), self._id)
            self._event, self._data = "", []

    def _lines(self, piece: bytes) -> list[str]:
        """The lines that the piece completes."""
        if not piece:
            return []
        if self._skips_line_feed:
            piece = piece.removeprefix(b"\n")
        self._skips_line_feed = piece.endswith(b"\r")
        # Only the new piece is searched, so a long line in many pieces takes linear time.
        *ended, rest = _LINE_END.split(piece)
        lines = []
        for part in ended:
            self._line += part
            lines.append(self._decoded(bytes(self._line)))
            self._line.clear()
        self._line += rest
        return lines

    def _decoded(self, line: bytes) -> str:
        text = line.decode(errors="replace")
        if self._is_first_line:
            self._is_first_line = False
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return text

    def _take(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry_seconds = int(value[:9]) / 1000


def _field(line: str) -> tuple[str, str]:
    """The name and the value of a field. A comment has an empty name."""
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")
