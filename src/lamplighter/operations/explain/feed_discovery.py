"""Finds the feeds and sitemaps of a site: announced ones first, then common paths. Writes nothing."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.extract import ladder
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.fetch.door import Door
from lamplighter.model.visit import Fetched, Refusal, Refused, Visit
from lamplighter.rules.urls import urls

#: paths of feeds that are not announced, the most common first
COMMON_PATHS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feed.json")
_PATIENCE_SECONDS = 60
#: refusals that no other path of the host would escape
_WHOLE_HOST = frozenset(
    {Refusal.ADDRESS, Refusal.NO_CONTACT, Refusal.BREAKER, Refusal.HOST_DISABLED, Refusal.ROBOTS_UNREACHABLE}
)
#: announced addresses that are tried
_MOST_ANNOUNCED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFinding:
    """A feed or sitemap that was read, or a candidate that turned out to be none."""

    url: str
    #: feed, sitemap, or None when it is neither
    type: str | None
    #: where the address comes from: link, robots.txt, or usual path
    announced_by: str
    #: entries of a feed, addresses of a sitemap
    entries: int = 0
    title: str | None = None
    #: why it is none
    detail: str | None = None


async def discover(door: Door, url: str) -> AsyncIterator[FeedFinding]:
    """Fetches the candidates one after the other; common paths only if no feed is announced."""
    target = urls.parse(url)
    page = (await door.fetcher.fetch_once(target.href)).visit
    if isinstance(page, Refused) and page.reason in _WHOLE_HOST:
        yield FeedFinding(url=target.href, type=None, announced_by="the address itself", detail=page.detail)
        return
    found = False
    for candidate, announced_by in await _announced(door, target, page):
        finding = await _tried(door, candidate, announced_by)
        found |= finding.type == "feed"
        yield finding
    if found:
        return
    for path in COMMON_PATHS:
        finding = await _tried(door, target.origin + path, "common path")
        yield finding
        if finding.type == "feed":
            return


async def _announced(door: Door, target: urls.WebUrl, page: Visit) -> list[tuple[str, str]]:
    announced: dict[str, str] = {}
    if isinstance(page, Fetched):
        if sniff(page.body, page.content_type) in (BodyType.FEED, BodyType.SITEMAP):
            announced[page.url] = "the address itself"
        reading = ladder.read(page.body, url=page.url, content_type=page.content_type)
        announced |= dict.fromkeys(reading.feeds, "link")
    announced |= dict.fromkeys(await _sitemaps(door, target), "robots.txt")
    return list(announced.items())[:_MOST_ANNOUNCED]


async def _sitemaps(door: Door, target: urls.WebUrl) -> Iterable[str]:
    try:
        async with door.turns.visiting(target.host_key, patience=_PATIENCE_SECONDS) as held:
            compiled = await door.robots.of(target.origin, held)
    except (NotPossible, LeaseLost):
        return ()
    if isinstance(compiled, Refused):
        return ()
    return [address for written in compiled.rules.sitemaps if (address := urls.join(target.href, written))]


async def _tried(door: Door, url: str, announced_by: str) -> FeedFinding:
    visit = (await door.fetcher.fetch_once(url)).visit
    if not isinstance(visit, Fetched):
        return FeedFinding(
            url=url, type=None, announced_by=announced_by, detail=getattr(visit, "detail", "no page was sent")
        )
    reading = ladder.read(visit.body, url=visit.url, content_type=visit.content_type)
    match sniff(visit.body, visit.content_type):
        case BodyType.SITEMAP if reading.links:
            return FeedFinding(url=visit.url, type="sitemap", announced_by=announced_by, entries=len(reading.links))
        case BodyType.FEED | BodyType.JSON if reading.is_feed and reading.records:
            return FeedFinding(
                url=visit.url, type="feed", announced_by=announced_by, entries=len(reading.records), title=reading.title
            )
    why = "; ".join(reading.warnings) or f"{urlsplit(visit.url).path} is neither a feed nor a sitemap"
    return FeedFinding(url=visit.url, type=None, announced_by=announced_by, detail=why)
