"""Asks for a page as its source wants it: with the headers of its recipe, and its cookies when the recipe says so."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from lamplighter.crawl.cookie_jar import CookieJar
from lamplighter.crawl.request import Request
from lamplighter.fetch.fetcher import Asked, Fetcher
from lamplighter.fetch.turns import HeldHost
from lamplighter.model.page import Page
from lamplighter.model.visit import NO_VALIDATORS, Fetched, Redirected, Validators


class PageAsker:
    """The fetcher, for pages of sources."""

    def __init__(self, fetcher: Fetcher, *, cookies: CookieJar) -> None:
        self._fetcher = fetcher
        self._cookies = cookies

    async def ask(
        self, held: HeldHost, page: Page, request: Request, *, validators: Callable[[], Validators], rest: timedelta
    ) -> Asked:
        """Asks once, in the host's turn; twice where a page redirects to itself only to see its cookie come back."""
        url, headers = request.url, request.headers
        if not request.with_cookies:
            return await self._fetcher.ask(held, url, validators=validators, headers=headers, rest=rest)
        for _ in range(2):
            lines: list[str] = []
            asked = await self._fetcher.ask(
                held,
                url,
                validators=validators,
                headers={**headers, **await self._cookies.header(page.source_id, url)},
                rest=rest,
                on_cookies=lines.extend,
            )
            has_news = await self._cookies.keep(page, url, lines)
            if not (has_news and isinstance(asked.visit, Redirected) and asked.visit.target == url):
                break
        return _for_this_source_alone(asked)


def _for_this_source_alone(asked: Asked) -> Asked:
    """Without validators, for other sources of the page would go by them, and got nothing of what came with cookies."""
    if not isinstance(asked.visit, Fetched):
        return asked
    return replace(asked, visit=replace(asked.visit, validators=NO_VALIDATORS))
