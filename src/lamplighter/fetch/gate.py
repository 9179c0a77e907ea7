"""May this URL be asked for, now? Asked in this order: barrier, robots, breaker. The turn comes after."""

from dataclasses import dataclass

from lamplighter import metrics
from lamplighter.fetch.barrier import Barrier, moment
from lamplighter.fetch.robots_cache import Compiled, RobotsCache
from lamplighter.fetch.turns import HeldHost
from lamplighter.model.host import RobotsState
from lamplighter.model.visit import Refusal, Refused
from lamplighter.rules import urls

_DECISIONS = {
    None: metrics.ROBOTS_DECISIONS.labels("allowed"),
    Refusal.ROBOTS: metrics.ROBOTS_DECISIONS.labels("disallowed"),
    Refusal.ROBOTS_UNREACHABLE: metrics.ROBOTS_DECISIONS.labels("unreachable"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Yes, and by which rule."""

    rule: str
    #: what robots.txt says the content may be used for, one line each (see rules.usage)
    usage: str | None = None


class Gate:
    """Everything that stands between a URL and its request."""

    def __init__(self, *, barrier: Barrier, robots: RobotsCache) -> None:
        self._barrier = barrier
        self._robots = robots

    async def ask(self, url: str, held: HeldHost) -> Passed | Refused:
        """Decides; may use a turn of the host to ask for its robots.txt first."""
        if (refused := await self._barrier.refusal(url)) is not None:
            return refused
        target = urls.parse(url)
        robots = self._robots.fresh(target.origin)
        if robots is None:
            if (blocked := self._barrier.breaker(url, held.host)) is not None:
                return blocked  # asking for its robots.txt would also be asking
            found = await self._robots.of(target.origin, held)
            if isinstance(found, Refused):
                return found
            robots = found
        answer = judge_robots(robots, token=self._robots.token, url=target.href)
        _DECISIONS[answer.reason if isinstance(answer, Refused) else None].inc()
        return answer if isinstance(answer, Refused) else self._barrier.breaker(url, held.host) or answer

    async def recheck(self, url: str, held: HeldHost) -> Refused | None:
        """Whether the URL was taken down, or the host came to be left alone, while a request waited for its turn."""
        return await self._barrier.recheck(url, held.host)


def judge_robots(robots: Compiled, *, token: str, url: str) -> Passed | Refused:
    """What robots.txt says, with the line that decided."""
    file = robots.file
    if file.state is RobotsState.UNREACHABLE:
        detail = (
            f"{file.origin}/robots.txt could not be had ({file.detail}), so nothing may be asked; "
            f"next try {moment(file.expires_at)}"
        )
        return Refused(url=url, reason=Refusal.ROBOTS_UNREACHABLE, detail=detail, until=file.expires_at)
    verdict = robots.verdict(token, url)
    if verdict.allowed:
        usage = robots.rules.usage(token, url)
        return Passed(rule=verdict.rule or "no rule of robots.txt applies", usage=usage)
    where = f"line {verdict.line} of {file.origin}/robots.txt, group {verdict.group}"
    return Refused(url=url, reason=Refusal.ROBOTS, detail=f"robots disallow: {verdict.rule!r} ({where})")
