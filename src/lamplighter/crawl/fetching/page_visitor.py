"""Fetches one page of a leased host by its recipe; retries transient faults, and renders it where allowed."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from lamplighter.crawl.fetching.archive_tail import ArchiveTail
from lamplighter.crawl.fetching.cookie_jar import CookieJar
from lamplighter.crawl.fetching.host_round import HostRound
from lamplighter.crawl.fetching.page_request import PageRequestParts
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.crawl.fleet.crawl_pause import CrawlPauseWatch
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.process import counters
from lamplighter.crawl.reading.source_cache import SourceCache
from lamplighter.errors import BadInput, SecretRefused
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.fetch.fetcher import Fetcher, FetchResult, page_limits
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.rendering import Rendering
from lamplighter.fetch.site_request import NO_EXTRA_DELAY, SiteRequest, no_validators
from lamplighter.model.access import Stamp
from lamplighter.model.host import Host
from lamplighter.model.page import Page
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import (
    NO_VALIDATORS,
    Failed,
    Fault,
    Fetched,
    Redirected,
    Refusal,
    Refused,
    Validators,
    Visit,
)
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness


class PageVisitor:
    """Turns a pending page into a visit."""

    def __init__(
        self,
        *,
        fetcher: Fetcher,
        cookies: CookieJar,
        rendering: Rendering,
        tail: ArchiveTail,
        sources: SourceCache,
        secrets: SecretBook,
        crawl_pause: CrawlPauseWatch,
        clock: Clock,
        request_retries: int,
    ) -> None:
        self._fetcher = fetcher
        self._cookies = cookies
        self._rendering = rendering
        self._tail = tail
        self._sources = sources
        self._secrets = secrets
        self._crawl_pause = crawl_pause
        self._clock = clock
        self.request_retries = request_retries

    async def visit(self, host_round: HostRound, page: Page, *, may_continue: Callable[[HostRound], bool]) -> PageVisit:
        """Fetches a page in the host's turn, and again after a transient fault while `may_continue` allows it."""
        held, repeats, waited = host_round.held, 0, timedelta(0)

        def validators() -> Validators:
            # Checked in the turn itself, because another source may have fetched this URL meanwhile.
            nonlocal page
            if held.host.policy.allow_js:
                return NO_VALIDATORS  # the HTML may be unchanged while the rendered page is not
            page = host_round.with_body(page)
            return page.body.validators if page.body is not None else NO_VALIDATORS

        source = await self._sources.one(page.source_id)
        try:
            request = (
                source.request(page, secrets=self._secrets)
                if source is not None
                else PageRequestParts(page.url, {}, is_conditional=True)
            )
        except BadInput as missing:
            return await self._without_secret(held, page, missing)
        if held.abandoned_until is not None:
            recovered = await self._recovered(held, page, request, abandoned_until=held.abandoned_until)
            if recovered is not None:
                return recovered
        while True:
            wire = SiteRequest(
                url=request.url,
                wanted=page_limits(held),
                headers=request.headers,
                validators=validators if request.is_conditional else no_validators,
                extra_delay=source.min_delay if source is not None else NO_EXTRA_DELAY,
                leave=self._crawl_pause.refuse,
                out=host_round.requested,
                page_id=page.id,
            )
            if request.with_cookies:
                result = await self._fetch_with_cookies(held, page, wire)
            else:
                result = await self._fetcher.fetch(held, wire)
            counters.visited(result)
            repeats, waited = repeats + 1, waited + result.waited
            visit, pause = result.visit, None
            if isinstance(visit, Failed):
                pause = self._pause_before_next(held, page, visit, repeats=repeats)
            if pause is not None:
                self._crawl_pause.refuse()
            if pause is None or not may_continue(host_round):
                if isinstance(visit, Fetched) and held.host.policy.allow_js:
                    visit = await self._as_shown(held, visit)
                return PageVisit(
                    page,
                    visit,
                    held.host,
                    result.allowed_by,
                    repeats=repeats - 1,
                    waited=waited,
                    proxy_id=result.proxy_id,
                )
            await asyncio.sleep(pause.total_seconds())

    def _pause_before_next(self, held: HeldHost, page: Page, visit: Failed, *, repeats: int) -> timedelta | None:
        """How long to wait until the request is sent once more; None when it is not."""
        if repeats > self.request_retries:
            return None
        delay = politeness.effective_delay(held.host)
        pause = politeness.request_backoff(repeats, delay=delay, draw=random.random())
        is_start_page = page.role is PageRole.SEED
        return pause if politeness.is_repeated_at_once(visit.fault, pause=pause, is_start_page=is_start_page) else None

    async def _without_secret(self, held: HeldHost, page: Page, missing: BadInput) -> PageVisit:
        """The visit of a page whose recipe names a secret that there is not, or not for its host."""
        if isinstance(missing, SecretRefused):
            await self._secrets.note_refusal(missing, url=page.url, stamp=Stamp("crawler", self._clock.now()))
        refused = Refused(url=page.url, reason=Refusal.NO_SECRET, detail=str(missing))
        return PageVisit(page, refused, held.host, None)

    async def _recovered(
        self, held: HeldHost, page: Page, request: PageRequestParts, *, abandoned_until: datetime
    ) -> PageVisit | None:
        """The visit by the host's last holder, who died after archiving it; only of a request that anybody may send."""
        is_plain = request.is_conditional and not request.headers and request.url == page.url
        if not is_plain or held.host.policy.allow_js:
            return None
        found = await self._tail.take(page, abandoned_until=abandoned_until)
        if found is None:
            return None
        result = await self._fetcher.from_archive(held, found.capture, leave=self._crawl_pause.refuse)
        return PageVisit(page, result.visit, held.host, result.allowed_by, archived=found.body)

    async def _fetch_with_cookies(self, held: HeldHost, page: Page, request: SiteRequest) -> FetchResult:
        """Sends one request in the host's turn, or two if the page sets a cookie and redirects to itself."""
        headers, url = request.headers, request.url
        for _ in range(2):
            lines: list[str] = []
            request.headers = {**headers, **await self._cookies.header(page.source_id, url)}
            request.on_cookies = lines.extend
            result = await self._fetcher.fetch(held, request)
            has_news = await self._cookies.keep(page, url, lines)
            if not (has_news and isinstance(result.visit, Redirected) and result.visit.target == url):
                break
        return _for_this_source_alone(result)

    def broken(self, page: Page, host: Host, error: Exception) -> PageVisit:
        """The failed visit of a page whose fetch raised an error."""
        detail = f"fetching it caused an internal error: {type(error).__name__}; the log says more"
        now = self._clock.now()
        failed = Failed(url=page.url, fault=Fault.BROKEN_RESPONSE, detail=detail, at=now, took=timedelta(0))
        return PageVisit(page, failed, host, None)

    async def _as_shown(self, held: HeldHost, visit: Fetched) -> Visit:
        """The page after its scripts have run, on a host whose policy allows them."""
        if sniff(visit.body, visit.content_type) is not BodyType.HTML:
            return visit
        most = held.host.policy.max_page_bytes
        return await self._rendering.rendered(visit, max_bytes=most, leave=self._crawl_pause.refuse)


def _for_this_source_alone(result: FetchResult) -> FetchResult:
    """Drops the validators: other sources of this page did not send these cookies, so theirs may differ."""
    if not isinstance(result.visit, Fetched):
        return result
    return replace(result, visit=replace(result.visit, validators=NO_VALIDATORS))
