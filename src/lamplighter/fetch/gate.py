"""Checks whether a URL may be fetched now: barrier, robots, breaker. The turn comes after."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from lamplighter import metrics
from lamplighter.fetch.barrier import Barrier, moment
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.robots_cache import Compiled, RobotsCache
from lamplighter.fetch.site_request import always
from lamplighter.model.host import RobotsState
from lamplighter.model.visit import Refusal, Refused
from lamplighter.rules.urls import urls

_DECISIONS = {
    None: metrics.ROBOTS_DECISIONS.labels("allowed"),
    Refusal.ROBOTS: metrics.ROBOTS_DECISIONS.labels("disallowed"),
    Refusal.ROBOTS_UNREACHABLE: metrics.ROBOTS_DECISIONS.labels("unreachable"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePassed:
    """Allowed, by this rule."""

    rule: str
    #: what robots.txt says the content may be used for, one line each (see rules.usage)
    usage: str | None = None


class Gate:
    """All checks between a URL and its request."""

    def __init__(self, *, barrier: Barrier, robots: RobotsCache) -> None:
        self._barrier = barrier
        self._robots = robots

    async def check(self, url: str, held: HeldHost, *, leave: Callable[[], None] = always) -> GatePassed | Refused:
        """Checks a URL; may first use a turn to fetch the robots.txt, if `leave` does not raise then."""
        if (refused := await self._barrier.refusal(url)) is not None:
            return refused
        target = urls.parse(url)
        robots = self._robots.fresh(target.origin)
        if robots is None:
            if (blocked := self._barrier.breaker(url, held.host)) is not None:
                return blocked  # fetching its robots.txt would also be a request
            found = await self._robots.of(target.origin, held, leave=leave)
            if isinstance(found, Refused):
                return found
            robots = found
        decision = judge_robots(robots, token=self._robots.token, url=target.href)
        _DECISIONS[decision.reason if isinstance(decision, Refused) else None].inc()
        return decision if isinstance(decision, Refused) else self._barrier.breaker(url, held.host) or decision


def judge_robots(robots: Compiled, *, token: str, url: str) -> GatePassed | Refused:
    """Applies robots.txt, and names the deciding line."""
    file = robots.file
    if file.state is RobotsState.UNREACHABLE:
        detail = (
            f"{file.origin}/robots.txt could not be fetched ({file.detail}), so no page may be fetched; "
            f"next try {moment(file.expires_at)}"
        )
        return Refused(url=url, reason=Refusal.ROBOTS_UNREACHABLE, detail=detail, until=file.expires_at)
    verdict = robots.verdict(token, url)
    if verdict.allowed:
        usage = robots.rules.usage(token, url)
        return _passed(verdict.rule or "no rule of robots.txt applies", usage)
    where = f"line {verdict.line} of {file.origin}/robots.txt, group {verdict.group}"
    return Refused(url=url, reason=Refusal.ROBOTS, detail=f"robots disallow: {verdict.rule!r} ({where})")


@lru_cache(maxsize=1024)
def _passed(rule: str, usage: str | None) -> GatePassed:
    return GatePassed(rule=rule, usage=usage)
