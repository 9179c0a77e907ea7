"""A line of an access log, and how it looks in a report."""

from collections.abc import Mapping
from typing import Protocol

ROBOTS = "/robots.txt"
_SHOWN = ("if-none-match", "if-modified-since", "user-agent", "authorization", "cookie")
_SHOWN_OF_ANSWER = ("etag", "last-modified", "retry-after", "location")


class Line(Protocol):
    """One request and its answer, as the site saw them; `tests.origin.Hit` is one."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str:
        """Path and query."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Of the request, under lower-case names."""
        ...

    @property
    def arrived(self) -> float:
        """When the request's head had been read."""
        ...

    @property
    def answered(self) -> float | None:
        """When a proper answer began to be sent, so that nobody can have had it earlier; None if there was none."""
        ...

    @property
    def finished(self) -> float | None:
        """When the conversation was over; None while it goes on."""
        ...

    @property
    def status(self) -> int | None: ...
    @property
    def sent(self) -> Mapping[str, str]:
        """Headers of the answer under lower-case names, cookies one to a line."""
        ...


def is_conditional(line: Line) -> bool:
    """Whether the request asks only for what is new."""
    return "if-none-match" in line.headers or "if-modified-since" in line.headers


def over_at(line: Line) -> float:
    """The earliest moment at which whoever asked can have known that the answer was there."""
    if line.answered is not None:
        return line.answered
    return line.finished if line.finished is not None else float("inf")


def as_text(line: Line) -> str:
    """The line as a person would like to read it in a log."""
    asked = " ".join(f"{name}={line.headers[name]!r}" for name in _SHOWN if name in line.headers)
    told = " ".join(f"{name}={line.sent[name]!r}" for name in _SHOWN_OF_ANSWER if name in line.sent)
    end = "never" if line.answered is None else f"{line.answered:.3f}"
    first = f"{line.arrived:.3f}-{end} {line.headers.get('host', '?')} {line.method} {line.path} -> {line.status}"
    return " ".join(part for part in (first, asked, "/" if told else "", told) if part)
