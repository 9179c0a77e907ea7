"""Extracts the pages of a sitemap: XML or lists of addresses, gzipped or not, for its own host only."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from lamplighter.extract.charset import BOMS
from lamplighter.extract.html_page import host_of
from lamplighter.extract.sitemaps import gunzip
from lamplighter.extract.sitemaps.sitemap_xml import Node, nodes
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.urls.urls import LinkResolver, normalise

#: the limit of sitemaps.org
MAX_URLS = 50_000
MAX_BYTES = 50 * 1024 * 1024
CONFIDENCE = 0.85

_PIECE = 64 * 1024
_FORBIDDEN = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_MARKUP = re.compile(rb"\s*<")

_YEAR_AND_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_LONGEST = 40


class SitemapEntry(NamedTuple):
    """A page in the sitemap."""

    url: str
    #: when it last changed, according to the site; often wrong
    lastmod: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """A parsed sitemap."""

    entries: tuple[SitemapEntry, ...] = ()
    #: more sitemaps, in a sitemap index
    children: tuple[str, ...] = ()
    #: in news sitemaps: the articles with their titles
    records: tuple[RawRecord, ...] = ()
    warnings: tuple[str, ...] = ()


def read_sitemap(body: bytes, *, url: str) -> Sitemap:
    """The pages and sitemaps in a body."""
    collected = _Collected(url=normalise(url))
    text = _utf8(body)
    start = gunzip.head(text, size=_PIECE) if text.startswith(gunzip.MAGIC) else text[:_PIECE]
    if _FORBIDDEN.search(start):
        return Sitemap(warnings=("sitemap refused: it has a document type",))
    if _MARKUP.match(start.removeprefix(BOMS["utf-8"])):
        flaw = collected.add_all(nodes(_pieces(text)))
    else:
        flaw = collected.add_all(_listed(_pieces(text)))
    return collected.sitemap(flaw)


class _Collected:
    """What was collected so far, and what was left out."""

    def __init__(self, *, url: str) -> None:
        self._url = url
        self._host = _bare(host_of(url))
        self._origin = "/".join(url.split("/", 3)[:3])
        self._resolver = LinkResolver(url)
        self._entries: dict[str, SitemapEntry] = {}
        self._children: dict[str, None] = {}
        self._records: list[RawRecord] = []
        self._foreign = self._unusable = 0
        self._cut = False

    def add_all(self, found: Iterator[Node]) -> str | None:
        """Collects nodes up to the limit; returns why the document is not well-formed."""
        while True:
            try:
                node = next(found)
            except StopIteration as end:
                return str(end.value) if end.value else None
            if len(self._entries) + len(self._children) >= MAX_URLS:
                self._cut = True
                return None
            self._add(node)

    def _add(self, node: Node) -> None:
        url = self._resolved(node.location)
        if url is None:
            self._unusable += 1
        elif _bare(host_of(url)) != self._host:
            self._foreign += 1
        elif node.is_sitemap:
            if url != self._url:
                self._children[url] = None
        elif url not in self._entries:
            self._entries[url] = SitemapEntry(url, moment_of(node.lastmod) if node.lastmod else None)
            if "title" in node.news:
                self._records.append(_article(url, node))

    def _resolved(self, location: str) -> str | None:
        """Nearly all addresses start with the sitemap's own origin, and without it they are resolved much faster."""
        path = location.removeprefix(self._origin)
        # "//" and "/\" would start another host's address.
        is_plain = path.startswith("/") and not path.startswith(("//", "/\\"))
        return self._resolver.resolve(path if is_plain else location)

    def sitemap(self, flaw: str | None) -> Sitemap:
        warnings = {
            f"sitemap is not well-formed: {flaw}": flaw,
            f"sitemap names more than {MAX_URLS} addresses: the rest was left out": self._cut,
            f"sitemap names {counted(self._foreign, 'address')} of other hosts: left out": self._foreign,
            f"sitemap names {counted(self._unusable, 'invalid address')}: left out": self._unusable,
            "sitemap names nothing": not (self._entries or self._children or self._foreign or self._unusable),
        }
        return Sitemap(
            entries=tuple(self._entries.values()),
            children=tuple(self._children),
            records=tuple(self._records),
            warnings=tuple(text for text, holds in warnings.items() if holds),
        )


def _article(url: str, node: Node) -> RawRecord:
    fields = {name: Finding(value, Method.FEED, CONFIDENCE) for name, value in {**node.news, "url": url}.items()}
    return RawRecord(kind=RecordKind.ARTICLE, fields=fields)


def _bare(host: str) -> str:
    """The host without "www.": sitemaps are careless about it, and it belongs to the same owner."""
    return host.removeprefix("www.")


def _utf8(body: bytes) -> bytes:
    """UTF-16 as UTF-8; anything else as it is."""
    for codec in ("utf-16-le", "utf-16-be"):
        if body.startswith(BOMS[codec]):
            return body[2:MAX_BYTES].decode(codec, "replace").encode()
    return body


def _pieces(body: bytes) -> Iterable[bytes]:
    if body.startswith(gunzip.MAGIC):
        return gunzip.pieces(body, limit=MAX_BYTES)
    return (body[start : start + _PIECE] for start in range(0, min(len(body), MAX_BYTES), _PIECE))


def _listed(pieces: Iterable[bytes]) -> Iterator[Node]:
    """One address per line."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).splitlines(keepends=True) or [b""]
        yield from _as_nodes(lines)
        if len(rest) > _PIECE:
            rest = b""
    yield from _as_nodes([rest])


def _as_nodes(lines: Iterable[bytes]) -> Iterator[Node]:
    for line in lines:
        if location := line.removeprefix(BOMS["utf-8"]).decode("utf-8", "replace").strip():
            yield Node(location=location)


def moment_of(text: str) -> datetime | None:
    """The moment in UTC; a time without a zone counts as UTC. None when it is not such a date."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if len(text) <= 7 and (short := _YEAR_AND_MONTH.fullmatch(text)):
        text = f"{short[1]}-{short[2] or '01'}-01"
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
