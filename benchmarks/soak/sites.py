"""What do the sites of the soak answer? Mostly what they answered before; some change, and some are in trouble.

What a site is like depends on its number alone, so that every soak has the same 300. Times are seconds on whichever
clock the soak runs by.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmarks.site.site_text import ROLES, paragraphs, posting
from tests.origin import Answer, Origin, Request, busy, hang, reset_mid_body
from tests.origin.wire import Wire

#: of every site: a list, and so many postings that it links to
POSTINGS: Final = 4
_PARAGRAPHS: Final = 24
_HTML: Final = "text/html; charset=utf-8"
ROBOTS: Final = "User-agent: *\nDisallow: /private/\nAllow: /\n"

#: what one request in so many is answered instead of the page; by number modulo 20, the others have no trouble
_TROUBLES: Final[dict[int, tuple[int, Answer]]] = {
    15: (7, Answer(status=500, headers={"Content-Type": "text/plain"}, body=b"out of order\n")),
    16: (23, hang()),
    17: (13, busy(retry_after="20")),
    18: (9, reset_mid_body()),
}
#: by number modulo 20: one answer in five takes so many seconds
_SLOW, _SLOW_EACH, _SLOW_SECONDS = 19, 5, 1.5
#: nobody is in trouble before every page was seen once
_CALM_REQUESTS: Final = 20
#: by number modulo 20: a posting is rewritten now and then, and the list says so
_CHANGING: Final = (9, 10, 11, 12, 13, 14, 15, 18)
#: by number modulo 20: nothing is sent by which a visitor could ask whether it changed
_WITHOUT_VALIDATORS: Final = (14,)
#: by number modulo 50: it is away for a while, every page of it, or only the robots.txt
_AWAY, _SHUT = 7, 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How fast things happen."""

    #: a changing page is rewritten so often
    change_seconds: float
    #: of the whole soak
    total_seconds: float

    def is_away(self, seconds: float) -> bool:
        """Whether those that go away are gone, which is between a third and half of the soak."""
        return self.total_seconds / 3 <= seconds < self.total_seconds / 2


class SoakSite:
    """One site: a list at `/`, postings at `/jobs/…`, and something that robots.txt forbids."""

    def __init__(self, number: int, origin: Origin, *, rhythm: Rhythm, seconds: Callable[[], float]) -> None:
        self.number = number
        self.origin = origin
        self._kind = number % 20
        self._rhythm = rhythm
        self._seconds = seconds
        self._asked = 0
        self._also = '<a href="/gone">An old page</a>' if number % 10 == 0 else ""
        self._bodies: dict[int, bytes] = {}
        origin.otherwise(self.answer)

    @property
    def url(self) -> str:
        """What the source watches."""
        return f"{self.origin.url}/"

    def answer(self, request: Request) -> Answer:
        """The site's response to a request."""
        away = self._rhythm.is_away(self._seconds())
        if request.path == "/robots.txt":
            shut = away and self.number % 50 == _SHUT
            return Answer(status=503) if shut else Answer(headers={"Content-Type": "text/plain"}, body=ROBOTS.encode())
        self._asked += 1
        if away and self.number % 50 == _AWAY:
            return Answer(status=503, headers={"Content-Type": "text/plain"}, body=b"closed for repair\n")
        if self._asked > _CALM_REQUESTS:
            each, trouble = _TROUBLES.get(self._kind, (_SLOW_EACH, None))
            if self._asked % each == 0 and trouble is not None:
                return trouble
            if self._asked % each == 0 and self._kind == _SLOW:
                return _slow(self._page(request))
        return self._page(request)

    def _page(self, request: Request) -> Answer:
        page = _PAGES.get(request.path)
        if page is None:
            return Answer(status=404, headers={"Content-Type": "text/plain"}, body=b"no such page\n")
        edition = self._edition(page)
        etag = f'"{self.number}-{page}-{edition}"'
        if self._kind in _WITHOUT_VALIDATORS:
            return Answer(headers={"Content-Type": _HTML}, body=self._body(page, edition))
        if request.headers.get("if-none-match") == etag:
            return Answer(status=304, headers={"ETag": etag})
        return Answer(headers={"Content-Type": _HTML, "ETag": etag}, body=self._body(page, edition))

    def _edition(self, page: int) -> int:
        """How often the page was rewritten: of the sites that change, the list and with it each posting in its turn."""
        if self._kind not in _CHANGING:
            return 0
        rewritten = int(self._seconds() / self._rhythm.change_seconds)
        return rewritten if page == 0 else (rewritten + page) // POSTINGS

    def _body(self, page: int, edition: int) -> bytes:
        if edition == 0 and page in self._bodies:
            return self._bodies[page]
        body = page_html(host=self.number, page=page, edition=edition, also=self._also).encode()
        if edition == 0:
            self._bodies[page] = body
        return body


def _path(page: int) -> str:
    return "/" if page == 0 else f"/jobs/{ROLES[page % len(ROLES)]}-{page}"


_PAGES: Final = {_path(page): page for page in range(POSTINGS + 1)}


def page_html(*, host: int, page: int, edition: int, also: str = "") -> str:
    """About 7 KB: the list of postings, or one of them with its structured data."""
    job = posting(host=host, page=page)
    title = job.title if edition == 0 else f"{job.title}, edition {edition}"
    text = paragraphs(host=host, page=page + 1000 * edition, count=_PARAGRAPHS)
    data = "" if page == 0 else f'<script type="application/ld+json">{job.json_ld(text[0])}</script>'
    links = "".join(f'<li><a href="{path}">Posting {number}</a></li>' for path, number in _PAGES.items())
    body = "".join(f"<p>{paragraph}</p>" for paragraph in text)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{data}</head><body>'
        f"<h1>{escape(title)}</h1><ul>{links}</ul><main>{body}</main>"
        f'<a href="/private/desk">Staff</a> {also}</body></html>'
    )


def _slow(answer: Answer) -> Answer:
    """The same after a while."""

    async def perform(wire: Wire) -> None:
        await asyncio.sleep(_SLOW_SECONDS)
        length = None if answer.status == 304 else len(answer.body)
        await wire.send(answer.head(length=length) + answer.body)

    return Answer(status=answer.status, perform=perform)
