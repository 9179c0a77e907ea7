"""What keeps a URL from being asked for now?

The gates are those of a request of a run, in their order: is anything asked at all, does the host's window let a run be
opened, then what `fetch.gate` asks (address, contact, takedown, robots.txt, breaker), then the proxy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.fetch.barrier import Barrier, moment
from lamplighter.model.fleet import Standstill
from lamplighter.model.host import Host, RobotsState
from lamplighter.model.page import Phase
from lamplighter.model.visit import Refusal
from lamplighter.rules import politeness, window, window_text


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that stands between the URL and a request."""

    #: a stable word: that of the refusal, `standstill` or `window`
    reason: str
    #: in words
    why: str


def opens_at(row: Any, *, now: datetime) -> datetime | None:
    """When the host's window opens; None when it is open, or there is none."""
    windows, _ = window_text.loaded((row.windows if row is not None else None) or [])
    opening = window.next_opening(windows, now) if windows else now
    return opening if opening is not None and opening > now else None


def before_the_gate(stopped: Standstill | None, host: Host, opens_at: datetime | None) -> Iterator[Obstacle]:
    """What keeps runs from being opened and pages from being taken up, so that no gate is asked."""
    if stopped is not None:
        yield Obstacle("standstill", stopped.sentence)
    if opens_at is not None:
        yield Obstacle("window", f"the window of {host.key} is shut until {moment(opens_at)}")


async def strangers(barrier: Barrier | None, url: str) -> list[Obstacle]:
    """Whether the address, or the want of a contact, forbids to ask; the takedown list is looked at afresh by us."""
    refused = await barrier.refusal(url) if barrier is not None else None
    if refused is None or refused.reason is Refusal.TAKEDOWN:
        return []
    return [Obstacle(refused.reason, refused.detail)]


def at_the_gate(entry: str | None, said: Mapping[str, Any], host: Host, *, now: datetime) -> Iterator[Obstacle]:
    """The takedown list, what robots.txt said, and whether the host is to be left alone."""
    if entry is not None:
        yield Obstacle(Refusal.TAKEDOWN, f"{entry} is on the takedown list")
    if said["allowed"] is False:
        is_unreachable = said["state"] is RobotsState.UNREACHABLE
        yield Obstacle(Refusal.ROBOTS_UNREACHABLE if is_unreachable else Refusal.ROBOTS, str(said["why"]))
    if not host.policy.enabled:
        why = f"{host.key} is disabled: it is asked for nothing until somebody enables it"
        yield Obstacle(Refusal.HOST_DISABLED, why)
    if politeness.is_blocked(host, now=now):
        why = f"{host.key} is left alone until {moment(host.blocked_until)}: {host.block_reason}"
        yield Obstacle(Refusal.BREAKER, why)


def waiting_for_proxy(page: Any, *, now: datetime) -> Iterator[Obstacle]:
    """Whether the page would be asked for now if its host had a proxy to go by."""
    if page is None or page.reason != Refusal.NO_PROXY or page.phase != Phase.PENDING:
        return
    if page.due_at is not None and page.due_at > now:
        yield Obstacle(Refusal.NO_PROXY, f"it waits for a proxy: {page.detail}")
