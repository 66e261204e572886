"""What a terminal of fixed size shows: as much of one as the program's frames need, and how many bytes it was sent."""

from __future__ import annotations

import codecs
import re

_SEQUENCE = re.compile(
    r"\x1b\[(?P<given>[0-?]*)[ -/]*(?P<what>[@-~])|\x1b[P\]].*?(?:\x1b\\|\x07)|\x1b[^\[P\]]|[\x00-\x1f]"
)
_UNFINISHED = re.compile(r"\x1b(\[[0-?]*[ -/]*|[P\]][^\x07]*)?$")


class Screen:
    """Rows of text. Every character is taken to be one cell wide, as all of ours are."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = [" " * columns] * rows
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self._x = self._y = 0

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.rows)

    def feed(self, data: bytes) -> None:
        """Bytes as they come, cut anywhere."""
        text = self._rest + self._decode(data)
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        text, self._rest = text[:end], text[end:]
        at = 0
        for found in _SEQUENCE.finditer(text):
            self._put(text[at : found.start()])
            self._obey(found[0], found["given"], found["what"])
            at = found.end()
        self._put(text[at:])

    def _put(self, text: str) -> None:
        if text and self._y < len(self.rows):
            row = self.rows[self._y]
            self.rows[self._y] = (row[: self._x] + text + row[self._x + len(text) :])[: self.columns]
            self._x += len(text)

    def _obey(self, whole: str, given: str | None, what: str | None) -> None:
        if whole == "\r":
            self._x = 0
        elif whole == "\n":
            self._y += 1
        elif what == "H":
            y, _, x = (given or "").partition(";")
            self._y, self._x = int(y or 1) - 1, int(x or 1) - 1
        elif what == "J":
            self.rows = [" " * self.columns] * len(self.rows)
