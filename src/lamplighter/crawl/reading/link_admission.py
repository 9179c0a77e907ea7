"""Adds discovered URLs to a run: new pages and known pages that are due, within its page budget."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from lamplighter.model.page import HeldBody, Phase
from lamplighter.model.reading import PageRole
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.pages import frontier
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import pages, waiting_pages
from lamplighter.store.pages.pages import NewPage
from lamplighter.store.runs import crawl_runs
from lamplighter.store.runs.crawl_runs import OpenRun


class DiscoveredUrl(NamedTuple):
    """A URL found on a page."""

    url: str
    role: PageRole
    depth: int
    found_on: int | None
    #: redirects that led here
    hops: int = 0
    #: when it last changed, according to the page it was found on
    changed_at: datetime | None = None
    #: earliest fetch; None means at once
    not_before: datetime | None = None


class Offer(NamedTuple):
    """URLs found for one run."""

    run: OpenRun
    #: of its crawl job
    priority: int
    found: Sequence[DiscoveredUrl]


class _Chosen(NamedTuple):
    run: OpenRun
    priority: int
    key: str
    item: DiscoveredUrl
    host_key: str
    #: None for a new page
    known: pages.KnownPage | None
    #: of a known page, in multiples of its revisit delay
    lateness: float
    #: the body that another source fetched from the same URL
    body: HeldBody | None
    #: whether it waits until the pages of the list are read
    waits: bool = False

    @property
    def is_fetched(self) -> bool:
        """Whether it was fetched before."""
        return self.known is not None and self.known.fetched_at is not None

    @property
    def is_new_list(self) -> bool:
        """Whether it is a page of the list that was never fetched."""
        return self.item.role is not PageRole.LINK and not self.is_fetched


class Admitted(NamedTuple):
    """The result of admission."""

    #: hosts with new work
    woken: set[int]
    #: run -> reason why URLs were not admitted -> count
    left: Mapping[int, Counter[str]]
    #: page -> when the first known page found on it may be due again
    due: Mapping[int, datetime]
    #: page -> how many further pages of its list are remembered as found on it: unchanged it leads there unread
    held: Mapping[int, int]


async def admit(
    db: Connection, offers: Sequence[Offer], *, now: datetime, read: Mapping[int, PageRole] = MappingProxyType({})
) -> Admitted:
    """Admits URLs that the runs do not have yet, within their budgets.

    What a list leads to, besides its next page, waits until no page of the list is left to read; `page_release`
    decides then. `read` are the pages, with their roles, that the caller is about to complete.
    """
    keyed = [(offer, _by_key(offer.found)) for offer in offers]
    known = await pages.known(db, {key for _, by_key in keyed for key in by_key})
    await pages.promote(db, [row for offer, by_key in keyed for row in _promoted(offer.run, by_key, known)])
    left: dict[int, Counter[str]] = {offer.run.id: Counter() for offer in offers}
    due: dict[int, datetime] = {}
    listing = await waiting_pages.with_open_lists(
        db, {offer.run.id: offer.run.source_id for offer in offers}, but=read.keys()
    )
    chosen = []
    for offer, by_key in keyed:
        wanted = _wanted(offer, by_key, known, left[offer.run.id], due, now)
        is_listing = offer.run.id in listing or any(choice.is_new_list for choice in wanted)
        chosen += _choose(offer, wanted, left[offer.run.id], due, now, read=read, is_listing=is_listing)
    held = _held(keyed, known, {(choice.run.id, choice.key) for choice in chosen})
    if not chosen:
        return Admitted(set(), left, due, held)
    host_ids = await hosts.ensure(db, {choice.host_key for choice in chosen}, now=now)
    await pages.add(db, [_new_page(choice, host_ids[choice.host_key], now) for choice in chosen if not choice.known])
    again = [choice for choice in chosen if choice.known]
    await pages.readmit(db, [_known_row(choice) for choice in again if not choice.waits])
    await pages.readmit(db, [_known_row(choice) for choice in again if choice.waits], state=waiting_pages.WAITS)
    started = [choice for choice in chosen if not choice.waits]
    woken = {host_ids[choice.host_key] for choice in started}
    await hosts.wake(db, woken, now=now)
    counts = Counter(choice.run.id for choice in started if not choice.item.hops)
    await crawl_runs.add_up(db, {run_id: {"page_count": count} for run_id, count in counts.items()}, now=now)
    return Admitted(woken, left, due, held)


def _wanted(
    offer: Offer,
    by_key: Mapping[str, DiscoveredUrl],
    known: Mapping[str, Mapping[int, pages.KnownPage]],
    left: Counter[str],
    due: dict[int, datetime],
    now: datetime,
) -> list[_Chosen]:
    """The URLs worth a fetch, best first; `left` counts the others, `due` notes when they may be due."""
    run, priority, _ = offer
    wanted = []
    for key, item in by_key.items():
        by_source = known.get(key, {})
        there = by_source.get(run.source_id)
        if there is None:
            body = body_of_others(by_source)
            wanted.append(_Chosen(run, priority, key, item, urls.parse(item.url).host_key, None, 0.0, body))
        elif _is_wanted_again(item, there, run, now):
            late = frontier.lateness(
                fetched_at=there.fetched_at, revisit=there.revisit, changed_at=item.changed_at, now=now
            )
            wanted.append(_Chosen(run, priority, key, item, urls.parse(item.url).host_key, there, late, None))
            _note(due, item, now + revisit_delay.LEAST)  # its visit will decide the real revisit delay
        else:
            left["duplicate" if there.run_id == run.id else "not_due"] += 1
            _note(due, item, revisit_delay.ends_at(there.revisit, fetched_at=there.fetched_at))
    return sorted(wanted, key=_by_worth)


def _choose(
    offer: Offer,
    wanted: Sequence[_Chosen],
    left: Counter[str],
    due: dict[int, datetime],
    now: datetime,
    *,
    read: Mapping[int, PageRole],
    is_listing: bool,
) -> list[_Chosen]:
    """What is fetched now, and what waits; `left` counts what is too much even for that."""
    run = offer.run
    # A redirect's target replaces the page that led to it, so it needs no budget.
    redirected = [choice for choice in wanted if choice.item.hops]
    others = [choice for choice in wanted if not choice.item.hops]
    room = max(0, run.page_budget - run.page_count)
    # With four times the room that all of them need, nothing has to wait for the list.
    is_scarce = 4 * (run.page_count + len(others)) > run.page_budget
    waits = is_scarce and is_listing
    at_once = [
        choice for choice in others if choice.is_new_list or not (waits or (is_scarce and _is_from_list(choice, read)))
    ]
    started = at_once[:room]
    at_once_keys = {choice.key for choice in started}
    later = [choice for choice in others if choice.key not in at_once_keys]
    most = frontier.most_waiting(run.page_budget)
    for choice in later[most:]:
        _note(due, choice.item, now + revisit_delay.LEAST)  # found again when the page is parsed again
    left["page_budget"] += len(later[most:])
    return redirected + started + [choice._replace(waits=True) for choice in later[:most]]


def _is_from_list(choice: _Chosen, read: Mapping[int, PageRole]) -> bool:
    """Whether a page of the list led to it."""
    found_on = choice.item.found_on
    return found_on is not None and read.get(found_on, PageRole.LINK) is not PageRole.LINK


def _note(due: dict[int, datetime], item: DiscoveredUrl, at: datetime | None) -> None:
    if item.found_on is not None and at is not None:
        due[item.found_on] = min(at, due.get(item.found_on, at))


def _by_worth(choice: _Chosen) -> tuple[bool, bool, float, float]:
    """The order when the budget is short: a listing's next page before single links, a new page before a fetched
    one; of fetched pages the most overdue first, of new pages the latest, or as on the page that names no times."""
    changed_at = choice.item.changed_at
    latest = -changed_at.timestamp() if changed_at is not None else 0.0
    lateness = -choice.lateness if choice.is_fetched else 0.0
    return choice.item.role is not PageRole.LISTING, choice.is_fetched, lateness, latest


def _by_key(found: Sequence[DiscoveredUrl]) -> dict[str, DiscoveredUrl]:
    """The found URLs, each once; "next" is preferred to a link."""
    by_key: dict[str, DiscoveredUrl] = {}
    for item in sorted(found, key=lambda item: item.role is not PageRole.LISTING):
        by_key.setdefault(urls.url_key(item.url), item)
    return by_key


def _held(
    keyed: Sequence[tuple[Offer, Mapping[str, DiscoveredUrl]]],
    known: Mapping[str, Mapping[int, pages.KnownPage]],
    chosen: Set[tuple[int, str]],
) -> Counter[int]:
    held: Counter[int] = Counter()
    for (run, _, _), by_key in keyed:
        for key, item in by_key.items():
            if item.role is not PageRole.LISTING or item.found_on is None:
                continue
            there = known.get(key, {}).get(run.source_id)
            if there is None:
                held[item.found_on] += (run.id, key) in chosen
            else:
                is_promoted = frontier.outranks(item.role, there.role)
                held[item.found_on] += is_promoted or (there.role, there.found_on) == (item.role, item.found_on)
    return held


def _promoted(
    run: OpenRun, by_key: Mapping[str, DiscoveredUrl], known: Mapping[str, Mapping[int, pages.KnownPage]]
) -> list[Mapping[str, Any]]:
    """Pages known as links that are now found in a higher role, such as "next"."""
    return [
        {"page": there.id, "new_role": item.role, "found_page": item.found_on}
        for key, item in by_key.items()
        if (there := known.get(key, {}).get(run.source_id)) is not None and frontier.outranks(item.role, there.role)
    ]


def body_of_others(by_source: Mapping[int, pages.KnownPage]) -> HeldBody | None:
    """The newest body that other sources fetched from a URL: unchanged, the site need not send it again."""
    had = [(there.fetched_at, there.body) for there in by_source.values() if there.body and there.fetched_at]
    return max(had, key=lambda pair: pair[0])[1] if had else None


def _is_wanted_again(item: DiscoveredUrl, known: pages.KnownPage, run: OpenRun, now: datetime) -> bool:
    if known.run_id == run.id or known.phase is Phase.PAUSED:
        return False
    # The target of a redirect is fetched however fresh it is.
    return item.hops > 0 or frontier.is_due_again(
        role=item.role, fetched_at=known.fetched_at, revisit=known.revisit, changed_at=item.changed_at, now=now
    )


def _new_page(choice: _Chosen, host_id: int, now: datetime) -> NewPage:
    run, item = choice.run, choice.item
    return NewPage(
        source_id=run.source_id,
        run_id=run.id,
        host_id=host_id,
        url=item.url,
        url_key=choice.key,
        role=item.role,
        depth=item.depth,
        rank=frontier.rank(priority=choice.priority, depth=item.depth),
        found_on=item.found_on,
        hops=item.hops,
        phase=Phase.PENDING,
        due_at=item.not_before,
        created_at=now,
        body=choice.body,
    )._replace(**(waiting_pages.WAITS if choice.waits else {}))


def _known_row(choice: _Chosen) -> Mapping[str, Any]:
    assert choice.known is not None
    # A waiting page that is announced as changed comes before those that are merely due.
    is_announced = choice.waits and choice.lateness == math.inf
    return {
        "page": choice.known.id,
        "run": choice.run.id,
        "new_depth": choice.item.depth,
        "new_rank": frontier.rank(priority=choice.priority, depth=choice.item.depth),
        "new_hops": choice.item.hops,
        "new_due_at": choice.item.changed_at if is_announced else choice.item.not_before,
    }
