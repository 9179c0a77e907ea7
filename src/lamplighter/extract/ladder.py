"""The extraction ladder: what does this body say?

1. `sniff` tells what it is, `charset` which characters it has, `bounds` whether it may be parsed at all.
2. Each rung reads records its own way, the surest first: the source's recipe, JSON-LD.
3. `merge` makes one record of what several rungs say about the same thing, the best evidence winning field by field.
4. `links` and `next_page` say where it leads; `fingerprint` whether a reader would notice a change.

What a page asks of robots is only reported for its records (`noindex`: whoever keeps records skips these), but already
applied to its links (`nofollow`: there are none).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from lamplighter.extract import by_recipe, fingerprint, loose_json
from lamplighter.extract.bounds import excess
from lamplighter.extract.charset import decode
from lamplighter.extract.directives import AGENT, Directives, from_header
from lamplighter.extract.feed import Feed, is_json_feed, read_feed, read_json_feed
from lamplighter.extract.html_page import HtmlPage, folded, parse_page, take_visible_text
from lamplighter.extract.json_api import json_next, json_records
from lamplighter.extract.jsonld import jsonld_records
from lamplighter.extract.links import anchors_of, as_links, excludes
from lamplighter.extract.merge import merge
from lamplighter.extract.next_page import next_page
from lamplighter.extract.own_address import with_own_addresses
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.model.reading import Reading
from lamplighter.model.recipe import EMPTY, Recipe
from lamplighter.model.record import RawRecord, RecordKind
from lamplighter.rules.urls import normalise

#: The rungs below the recipe, the surest first. A new way to read a page is one more function here.
RUNGS: tuple[Callable[[HtmlPage], list[RawRecord]], ...] = (jsonld_records,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What reading a body depends on besides the body."""

    url: str
    recipe: Recipe
    kind: RecordKind | None
    #: what the response's header asks of robots
    asked: Directives
    #: our name, in lower case
    agent: str


def read(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    recipe: Recipe = EMPTY,
    kind: RecordKind | None = None,
    robots_tag: str | None = None,
    agent: str = AGENT,
) -> Reading:
    """What a body fetched from `url` says. No bytes make it raise; only a URL that is none does (BadUrl).

    `robots_tag` is X-Robots-Tag, several header lines joined by newlines; `agent` the name, in lower case, by which
    pages address this robot.
    """
    order = _Order(url=normalise(url), recipe=recipe, kind=kind, asked=from_header(robots_tag, agent), agent=agent)
    body_type = sniff(body, content_type)
    if body_type is BodyType.BINARY:
        return Reading(content_hash=fingerprint.of_body(body), warnings=("body is binary: not read",))
    text = decode(body, content_type)
    match body_type:
        case BodyType.HTML:
            return _read_html(text, order)
        case BodyType.FEED:
            return _from_feed(read_feed(text, url=order.url, kind=kind or RecordKind.ARTICLE), order)
        case BodyType.JSON:
            return _read_json(text, order)
        case BodyType.XML:
            return _read_text(text, "XML, but not a feed: not read")
        case BodyType.TEXT:
            return _read_text(text, *(() if text.strip() else ("body is empty",)))
        case _:
            assert_never(body_type)


def _read_html(html: str, order: _Order) -> Reading:
    if reason := excess(html):
        return _read_text(html, f"page not parsed: {reason}")
    page = parse_page(html, order.url, asked=order.asked, agent=order.agent)
    anchors = anchors_of(page)
    following = next_page(page, anchors, order.recipe)
    links = as_links([anchor.url for anchor in anchors], next_page=following, recipe=order.recipe)
    records = _records(page, order)
    return Reading(
        method=_method(records),
        records=tuple(records),
        links=links,
        next_page=following,
        feeds=() if page.directives.nofollow else page.feeds,
        canonical=page.canonical,
        title=page.title,
        language=page.language,
        noindex=page.directives.noindex,
        content_hash=fingerprint.of_records(records, links)
        if records
        else fingerprint.of_text(page.title, take_visible_text(page.tree)),
    )


def _records(page: HtmlPage, order: _Order) -> list[RawRecord]:
    """What all rungs together found, of the wanted kind."""
    by_rung = [by_recipe.apply(page, order.recipe, order.kind or RecordKind.OTHER)]
    by_rung += ([record for record in rung(page) if order.kind in (None, record.kind)] for rung in RUNGS)
    return with_own_addresses(merge(by_rung), page, is_listing=bool(by_rung[0]) and order.recipe.items is not None)


def _read_json(text: str, order: _Order) -> Reading:
    try:
        data = loose_json.loads(text)
    except ValueError as error:
        return _read_text(text, f"JSON is broken: {error}")
    if is_json_feed(data):
        return _from_feed(read_json_feed(data, url=order.url, kind=order.kind or RecordKind.ARTICLE), order)
    kind = order.kind or RecordKind.OTHER
    if order.recipe.fields:
        records = by_recipe.apply_json(data, order.recipe, kind=kind, base=order.url)
    else:
        records = json_records(data, kind=kind, base=order.url)
    if not records:
        return _read_text(text)
    following = json_next(data, order.recipe.next, order.url)
    if following is not None and excludes(order.recipe, following):
        following = None
    return _from_records(records, order, next_page=following)


def _from_feed(feed: Feed, order: _Order) -> Reading:
    reading = _from_records(feed.records, order, next_page=None)
    return replace(reading, title=feed.title, language=feed.language, warnings=feed.warnings)


def _from_records(records: Sequence[RawRecord], order: _Order, *, next_page: str | None) -> Reading:
    """The reading of a body that is nothing but records: their addresses are its links."""
    following = None if order.asked.nofollow else next_page
    addresses = () if order.asked.nofollow else (str(r.fields["url"].value) for r in records if "url" in r.fields)
    links = as_links(addresses, next_page=following, recipe=order.recipe)
    return Reading(
        method=_method(records),
        records=tuple(records),
        links=links,
        next_page=following,
        noindex=order.asked.noindex,
        content_hash=fingerprint.of_records(records, links),
    )


def _read_text(text: str, *warnings: str) -> Reading:
    return Reading(content_hash=fingerprint.of_text(None, folded(text)), warnings=warnings)


def _method(records: Sequence[RawRecord]) -> str | None:
    """The best rung that had a part in the records."""
    found = (found for record in records[:1] for found in record.fields.values())
    best = max(found, key=lambda value: value.confidence, default=None)
    return best.method if best else None
