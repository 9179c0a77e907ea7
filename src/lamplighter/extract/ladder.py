"""The extraction ladder: extracts records and links from a body.

1. `sniff` detects its type, `charset` its characters, `bounds` whether it may be parsed at all.
2. `obstacle` detects pages that are no content: a login, a challenge, an error.
3. `rungs` tries every kind of evidence, the most reliable first: recipe, structured data, embedded state, listing,
   detail page, article. `merge` combines what several say about one record, the best value for each field.
4. `links` and `next_page` find where it leads; `fingerprint` whether the visible content changed.

Directives for robots are obeyed here where they concern extraction: with `nofollow` there are no links, and texts are
cut to the length that may be shown. The rest (`noindex` and the like) is reported to the caller that stores records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, assert_never

from lamplighter import __version__
from lamplighter.extract import fingerprint, rungs
from lamplighter.extract.answers.json_api import json_next, json_records
from lamplighter.extract.bounds import excess
from lamplighter.extract.charset import decode
from lamplighter.extract.directives import AGENT, from_header
from lamplighter.extract.feeds.feed import Feed, is_json_feed, read_feed, read_json_feed
from lamplighter.extract.html_page import folded, parse_page, take_visible_text
from lamplighter.extract.links import anchors_of, as_links, excludes
from lamplighter.extract.listing.choice import EDITION
from lamplighter.extract.listing.records import template_of
from lamplighter.extract.next_page import next_page
from lamplighter.extract.page_numbers import highest_number
from lamplighter.extract.recipes import api_paging, by_recipe
from lamplighter.extract.sitemaps.sitemap import read_sitemap
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.extract.structured import loose_json
from lamplighter.extract.walls.empty_list import says_that_it_is_empty
from lamplighter.extract.walls.obstacle import PageObstacle, obstacle
from lamplighter.model.reading import EMPTY_LIST, NO_LISTS, Directives, Link, PageRole, Reading, RowPosition
from lamplighter.model.recipe import EMPTY, Expected, Recipe
from lamplighter.model.record import Finding, RawRecord, RecordKind
from lamplighter.rules.robots import usage
from lamplighter.rules.urls.urls import normalise

_confidence = attrgetter("confidence")
#: fields that a page may ask to be cut
_SNIPPETS = ("description", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """The inputs of extraction besides the body."""

    url: str
    recipe: Recipe
    kind: RecordKind | None
    #: directives of the response's header
    directives: Directives
    #: what the response and robots.txt say about using the content
    usage: str | None
    #: our robot's name, in lower case
    agent: str
    #: template of pages -> where their list is
    lists: Mapping[str, RowPosition]
    #: the fingerprint of the page when it was last read
    seen: str | None

    @property
    def how(self) -> tuple[object, ...]:
        """What decides besides the page how it is read."""
        return __version__, EDITION, self.recipe, self.kind, self.directives, self.usage


def read(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    recipe: Recipe = EMPTY,
    kind: RecordKind | None = None,
    robots_tag: str | None = None,
    usage: str | None = None,
    agent: str = AGENT,
    is_linked: bool = False,
    lists: Mapping[str, RowPosition] = NO_LISTS,
    seen: str | None = None,
) -> Reading:
    """The content of a body fetched from `url`. No bytes make it raise; only an invalid URL does (BadUrl).

    `robots_tag` is X-Robots-Tag, several header lines joined by newlines; `usage` what is known about using the content
    (see rules.usage); `agent` the name, in lower case, by which pages address this robot; `is_linked` whether a list
    links to the page, so that it is read with the recipe's details; `lists` where the lists of the source's other pages
    are, by the template of these pages: the list of such a page is looked for there first; `seen` the fingerprint of
    the page when it was last read: if nothing has changed that reading could use, it is not read again.
    """
    directives = from_header(robots_tag, agent)
    if kind is None and "text" in recipe.details:  # only articles have one; a list and its pages show the same kind
        kind = RecordKind.ARTICLE
    recipe = recipe.of_details() if is_linked else recipe
    order = _Order(
        url=normalise(url),
        recipe=recipe,
        kind=kind,
        directives=directives,
        usage=usage,
        agent=agent,
        lists=lists,
        seen=seen,
    )
    body_type = sniff(body, content_type)
    reading = _read_as(body_type, body, order, content_type=content_type)
    is_expected = reading.is_feed if recipe.expects is Expected.FEED else body_type is BodyType.JSON
    if recipe.expects is None or reading.obstacle is not None or is_expected:
        return reading
    unexpected = f"recipe: expects {recipe.expects}, but the response is {body_type}"
    return reading._replace(recipe_warnings=(unexpected, *reading.recipe_warnings))


def _read_as(body_type: BodyType, body: bytes, order: _Order, *, content_type: str | None) -> Reading:
    if body_type is BodyType.BINARY:
        return Reading(content_hash=fingerprint.of_body(body), warnings=("body is binary: not parsed",))
    if body_type is BodyType.SITEMAP:
        return _read_sitemap(body, order)
    text = decode(body, content_type)
    match body_type:
        case BodyType.HTML:
            return _read_html(text, order)
        case BodyType.FEED:
            return _from_feed(read_feed(text, url=order.url, kind=order.kind or RecordKind.ARTICLE), order)
        case BodyType.JSON:
            return _read_json(text, order)
        case BodyType.XML:
            return _read_text(text, "XML, but not a feed: not parsed")
        case BodyType.TEXT:
            return _read_text(text, *(() if text.strip() else ("body is empty",)))
        case _:
            assert_never(body_type)


def _read_html(html: str, order: _Order) -> Reading:
    seen_hash = fingerprint.of_markup(html, order.how)
    if seen_hash == order.seen:
        return Reading(is_same=True, seen_hash=seen_hash)
    tags = html.count("<")
    if reason := excess(html, tags):
        return _read_text(html, f"page not parsed: {reason}")
    page = parse_page(
        html, order.url, header_directives=order.directives, agent=order.agent, ignore=order.recipe.ignore, tags=tags
    )
    result = partial(
        Reading,
        canonical=page.canonical,
        title=page.title,
        language=page.language,
        directives=page.directives,
        usage=usage.joined(order.usage, page.usage),
    )
    wall = obstacle(page)
    if wall not in (None, PageObstacle.SCRIPT):
        return result(obstacle=wall)
    before = order.lists.get(template_of(page)) if order.lists else None
    evidence = rungs.records_of(page, html, order.recipe, order.kind, list_at=before)
    if wall is not None and not evidence.records:  # a script may bring the data that it has yet to show
        return result(obstacle=wall)
    anchors = anchors_of(page)
    following = next_page(page, anchors, order.recipe)
    links = as_links([anchor.url for anchor in anchors], next_page=following, recipe=order.recipe)
    records = _cut(evidence.records, page.directives.max_snippet)
    empty = () if records or not says_that_it_is_empty(page) else (f"{EMPTY_LIST}the page says that it has no entries",)
    return result(
        method=_method(records),
        records=tuple(records),
        links=links,
        next_page=following,
        list_pages=highest_number(order.url, anchors) if following is not None else 0,
        feeds=() if page.directives.nofollow else page.feeds,
        content_hash=fingerprint.of_records(records, links)
        if records
        else fingerprint.of_text(page.title, take_visible_text(page.tree)),
        warnings=empty + evidence.warnings + (_moved(before, evidence) if not empty else ()),
        recipe_warnings=evidence.recipe_warnings,
        seen_hash=seen_hash,
        because=evidence.because,
        list_at=evidence.list_at,
    )


def _moved(before: RowPosition | None, evidence: rungs.PageEvidence) -> tuple[str, ...]:
    """Says that the list is no longer where it was: the page may have a new layout."""
    if before is None or evidence.list_at == before or before.edition != EDITION:
        return ()
    now = evidence.list_at
    found = f"now at {now}" if now is not None else "found nowhere else" if not evidence.records else "read otherwise"
    return (f"the list is no longer at {before}: {found}",)


def _cut(records: Sequence[RawRecord], longest: int | None) -> Sequence[RawRecord]:
    """The records with their texts cut to the length that the page allows to be shown."""
    if longest is None:
        return records
    return [
        replace(record, fields={name: _shortened(name, found, longest) for name, found in record.fields.items()})
        for record in records
    ]


def _shortened(name: str, found: Finding, longest: int) -> Finding:
    return found._replace(value=str(found.value)[:longest]) if name in _SNIPPETS else found


def _read_sitemap(body: bytes, order: _Order) -> Reading:
    """The pages it names are its links; more sitemaps are pages of the same listing."""
    sitemap = read_sitemap(body, url=order.url)
    changed = {entry.url: entry.lastmod for entry in sitemap.entries}
    found = tuple(
        replace(link, changed_at=changed[link.url]) for link in as_links(changed, next_page=None, recipe=order.recipe)
    )
    further = tuple(Link(url=child, role=PageRole.LISTING) for child in sitemap.children)
    links = () if order.directives.nofollow else further + found
    records = [record for record in sitemap.records if order.kind in (None, record.kind)]
    return Reading(
        method=_method(records),
        records=tuple(records),
        links=links,
        directives=order.directives,
        usage=order.usage,
        content_hash=fingerprint.of_records(records, links),
        warnings=sitemap.warnings,
    )


def _read_json(text: str, order: _Order) -> Reading:
    try:
        data = loose_json.loads(text)
    except ValueError as error:
        return _read_text(text, f"JSON is broken: {error}")
    if is_json_feed(data):
        return _from_feed(read_json_feed(data, url=order.url, kind=order.kind or RecordKind.ARTICLE), order)
    kind = order.kind or RecordKind.OTHER
    warnings: tuple[str, ...] = ()
    if order.recipe.fields:
        records, warnings = by_recipe.apply_json(data, order.recipe, kind=kind, base=order.url)
    else:
        records = json_records(data, kind=kind, base=order.url)
    if not records:
        empty = () if warnings else ("JSON without a list of objects that have titles: a recipe would help",)
        return _read_text(text, *empty)._replace(
            recipe_warnings=warnings, directives=order.directives, usage=order.usage
        )
    following = _next_answer(data, order, records_found=len(records))
    return _from_records(records, order, next_page=following)._replace(recipe_warnings=warnings)


def _next_answer(data: Any, order: _Order, *, records_found: int) -> str | None:
    """The address of the next response, unless the recipe excludes it."""
    recipe = order.recipe
    if recipe.api is not None and recipe.api.paging is not None:
        following = api_paging.next_request_url(data, url=order.url, api=recipe.api, records_found=records_found)
    else:
        following = json_next(data, recipe.next, order.url)
    return None if following is not None and excludes(recipe, following) else following


def _from_feed(feed: Feed, order: _Order) -> Reading:
    reading = _from_records(feed.records, order, next_page=None)
    return reading._replace(
        title=feed.title, language=feed.language, warnings=feed.warnings, is_feed=True, ttl=feed.ttl
    )


def _from_records(records: Sequence[RawRecord], order: _Order, *, next_page: str | None) -> Reading:
    """The result for a body that is only records: their addresses are its links."""
    records = _cut(records, order.directives.max_snippet)
    following = None if order.directives.nofollow else next_page
    addresses = () if order.directives.nofollow else (str(r.fields["url"].value) for r in records if "url" in r.fields)
    links = as_links(addresses, next_page=following, recipe=order.recipe)
    return Reading(
        method=_method(records),
        records=tuple(records),
        links=links,
        next_page=following,
        directives=order.directives,
        usage=order.usage,
        content_hash=fingerprint.of_records(records, links),
    )


def _read_text(text: str, *warnings: str) -> Reading:
    return Reading(content_hash=fingerprint.of_text(None, folded(text)), warnings=warnings)


def _method(records: Sequence[RawRecord]) -> str | None:
    """The best rung that contributed to the records."""
    found = records[0].fields.values() if records else ()
    best = max(found, key=_confidence, default=None)
    return best.method if best else None
