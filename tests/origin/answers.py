"""What the origin is asked, and what it answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from tests.origin.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it was read from the wire."""

    method: str
    #: path and query
    target: str
    #: lower-case names; repeated ones are joined by ", "
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    #: each becomes a Set-Cookie header of its own
    cookies: tuple[str, ...] = ()
    #: writes the whole answer itself, head included, and ends the connection; None sends the fields above properly
    perform: Callable[[Wire], Awaitable[None]] | None = None

    def head(self, *, length: int | None) -> bytes:
        """Status line and headers; a length of None leaves Content-Length out."""
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"Set-Cookie: {cookie}" for cookie in self.cookies]
        if length is not None and not any(name.lower() == "content-length" for name in self.headers):
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


#: an answer, or what makes one of the request
Script = Answer | Callable[[Request], Answer]


def redirect(target: str, status: int = 302, **headers: str) -> Answer:
    """Points elsewhere; `retry_after="5"` becomes a Retry-After header."""
    return Answer(status=status, headers={"Location": target, **_named(headers)})


def busy(status: int = 429, *, retry_after: str | None = None) -> Answer:
    """Asks the client to stay away for a while."""
    return Answer(status=status, headers={} if retry_after is None else {"Retry-After": retry_after})


def conditional(full: Answer) -> Callable[[Request], Answer]:
    """Answers 304 when the request carries the validators of the full answer."""

    def answer(request: Request) -> Answer:
        if not _holds(request.headers, full.headers):
            return full
        kept = {name: value for name, value in full.headers.items() if name != "Content-Type"}
        return Answer(status=304, headers=kept)

    return answer


def _holds(asked: Mapping[str, str], ours: Mapping[str, str]) -> bool:
    # RFC 9110: If-Modified-Since counts only when If-None-Match was not sent; tags compare weakly.
    if "if-none-match" in asked:
        tags = {tag.strip().removeprefix("W/") for tag in asked["if-none-match"].split(",")}
        return "ETag" in ours and ours["ETag"].removeprefix("W/") in tags
    if "if-modified-since" in asked and "Last-Modified" in ours:
        since, changed = (
            parsedate_to_datetime(text).replace(tzinfo=UTC)
            for text in (asked["if-modified-since"], ours["Last-Modified"])
        )
        return changed <= since
    return False


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-").title(): value for name, value in headers.items()}


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "Whatever"
