"""The head of a response: its status and its headers, as they were received."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class ResponseHeaders(Mapping[str, str]):
    """Headers by name, whatever its case; several lines of one name are kept apart."""

    __slots__ = ("_lines", "values_of")

    def __init__(self, lines: Sequence[bytes]) -> None:
        """`lines` are the header lines without the status line."""
        self._lines = lines
        #: all values of each name, which is in lower case
        self.values_of: dict[str, list[str]] = {}
        for line in b"".join(lines).decode("utf-8", "surrogateescape").split("\n") if lines else ():
            name, colon, value = line.partition(":")
            if colon:
                self.values_of.setdefault(name.rstrip().lower(), []).append(value.strip())

    @property
    def raw(self) -> tuple[tuple[bytes, bytes], ...]:
        """Names and values as received."""
        found = []
        for line in self._lines:
            name, _, value = line.partition(b":")
            found.append((name.rstrip(), value.strip()))
        return tuple(found)

    def __getitem__(self, name: str) -> str:
        return self.values_of[name.lower()][0]

    def __len__(self) -> int:
        return len(self.values_of)

    def get(self, name: str, default: Any = None) -> Any:
        """The first value of a name."""
        values = self.values_of.get(name.lower())
        return values[0] if values else default

    def getall(self, name: str, default: Sequence[str] = ()) -> Sequence[str]:
        """All values of a name, in their order."""
        return self.values_of.get(name.lower(), default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self.values_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_of)


class Head:
    """Status and headers."""

    __slots__ = ("content_type", "headers", "length", "status")

    def __init__(self, lines: Sequence[bytes]) -> None:
        """`lines` begin with the status line."""
        parts = lines[0].split(None, 2) if lines else ()
        self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        self.headers = ResponseHeaders(lines[1:])
        values = self.headers.values_of
        announced, kind = values.get("content-length", ("",))[0], values.get("content-type")
        #: the announced length of the body; None when there is none
        self.length = int(announced) if announced.isascii() and announced.isdigit() else None
        #: its type; None when there is none
        self.content_type = text(kind[0]) if kind else None


def text(value: str | None) -> str | None:
    """A header value as text that any database stores; bytes that are not UTF-8 are replaced."""
    if value is None or value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
