"""The head of a response: its status and its headers, as they were received."""

from collections.abc import Iterator, Sequence


class ResponseHeaders:
    """Headers by name, whatever its case; several lines of one name are kept apart."""

    __slots__ = ("_values", "raw")

    def __init__(self, lines: Sequence[bytes]) -> None:
        """`lines` are the header lines without the status line."""
        #: names and values as received
        self.raw: tuple[tuple[bytes, bytes], ...] = tuple(
            (name.rstrip(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)
        )
        self._values: dict[str, list[str]] = {}
        for name, value in self.raw:
            self._values.setdefault(_text(name).lower(), []).append(_text(value))

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of a name."""
        values = self._values.get(name.lower())
        return values[0] if values else default

    def getall(self, name: str, default: Sequence[str] = ()) -> Sequence[str]:
        """All values of a name, in their order."""
        return self._values.get(name.lower(), default)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)


class Head:
    """Status and headers."""

    __slots__ = ("headers", "status")

    def __init__(self, lines: Sequence[bytes]) -> None:
        """`lines` begin with the status line."""
        parts = lines[0].split(None, 2) if lines else ()
        self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        self.headers = ResponseHeaders(lines[1:])

    @property
    def length(self) -> int | None:
        """The announced length of the body; None when there is none."""
        announced = self.headers.get("Content-Length")
        return int(announced) if announced is not None and announced.isascii() and announced.isdigit() else None


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
