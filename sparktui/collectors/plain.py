"""Text of a machine made safe to pass on: one line, printable, bounded."""

from __future__ import annotations


def plain(text: str, limit: int = 128) -> str:
    """`text` without control, escape and invisible characters, white space folded, at most `limit` characters.

    What the kernel prints is partly chosen by whoever runs a process or burnt a firmware: it may hold terminal escapes.
    """
    words = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text[: 8 * limit]).split()
    return " ".join(words)[:limit].rstrip()
