"""Lists what keeps a URL from being fetched now.

The checks are those of a request of a run, in their order: the crawl pause, the host's window, then those of
`fetch.gate` (address, contact, takedown, robots.txt, breaker), then the proxy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.fetch.barrier import Barrier, moment
from lamplighter.model import window_json
from lamplighter.model.fleet import CrawlPause
from lamplighter.model.host import Host, RobotsState
from lamplighter.model.page import Phase
from lamplighter.model.visit import Refusal
from lamplighter.rules.hosts import politeness
from lamplighter.rules.schedule import window


@dataclass(frozen=True, slots=True)
class GateObstacle:
    """A reason why the URL is not fetched now."""

    #: a stable word: that of the refusal, `standstill` or `window`
    reason: str
    #: in words
    why: str


def opens_at(row: Any, *, now: datetime) -> datetime | None:
    """When the host's window opens; None when it is open, or there is none."""
    windows, _ = window_json.loaded((row.windows if row is not None else None) or [])
    opening = window.next_opening(windows, now) if windows else now
    return opening if opening is not None and opening > now else None


def before_the_gate(stopped: CrawlPause | None, host: Host, opens_at: datetime | None) -> Iterator[GateObstacle]:
    """What keeps runs from being opened, before any gate: the crawl pause and the host's window."""
    if stopped is not None:
        yield GateObstacle("standstill", stopped.sentence)
    if opens_at is not None:
        yield GateObstacle("window", f"the window of {host.key} is closed until {moment(opens_at)}")


async def strangers(barrier: Barrier | None, url: str) -> list[GateObstacle]:
    """Refusals of the barrier: closed address, missing contact; takedowns are read afresh elsewhere."""
    refused = await barrier.refusal(url) if barrier is not None else None
    if refused is None or refused.reason is Refusal.TAKEDOWN:
        return []
    return [GateObstacle(refused.reason, refused.detail)]


def at_the_gate(entry: str | None, said: Mapping[str, Any], host: Host, *, now: datetime) -> Iterator[GateObstacle]:
    """Refusals of the gate: takedown, robots.txt, disabled host, circuit breaker."""
    if entry is not None:
        yield GateObstacle(Refusal.TAKEDOWN, f"{entry} is on the takedown list")
    if said["allowed"] is False:
        is_unreachable = said["state"] is RobotsState.UNREACHABLE
        yield GateObstacle(Refusal.ROBOTS_UNREACHABLE if is_unreachable else Refusal.ROBOTS, str(said["why"]))
    if not host.policy.enabled:
        why = f"{host.key} is disabled: no requests are sent until it is enabled"
        yield GateObstacle(Refusal.HOST_DISABLED, why)
    if politeness.is_blocked(host, now=now):
        why = f"{host.key} is not fetched until {moment(host.blocked_until)}: {host.block_reason}"
        yield GateObstacle(Refusal.BREAKER, why)


def waiting_for_proxy(page: Any, *, now: datetime) -> Iterator[GateObstacle]:
    """Whether the page waits for a proxy of its host."""
    if page is None or page.reason != Refusal.NO_PROXY or page.phase != Phase.PENDING:
        return
    if page.due_at is not None and page.due_at > now:
        yield GateObstacle(Refusal.NO_PROXY, f"it waits for a proxy: {page.detail}")
