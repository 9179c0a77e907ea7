"""Asks for a page, if we may: takedown, robots, breaker, the host's turn, then one GET: the way to the web for all."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from lamplighter import crash_points
from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch.client import Client, Wanted
from lamplighter.fetch.gate import Gate, Passed
from lamplighter.fetch.turns import HeldHost, Turns
from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Redirected, Validators, Visit
from lamplighter.ports import Clock
from lamplighter.rules import politeness, urls

_PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking, and the robots line that allowed it; None when nothing was sent."""

    visit: Visit
    allowed_by: str | None = None


class Fetcher:
    """The gate and the client, put together."""

    def __init__(self, *, gate: Gate, client: Client, turns: Turns, clock: Clock, max_redirects: int) -> None:
        self._gate = gate
        self._client = client
        self._turns = turns
        self._clock = clock
        self._max_redirects = max_redirects

    async def ask(
        self, held: HeldHost, url: str, *, validators: Callable[[], Validators] = lambda: NO_VALIDATORS
    ) -> Asked:
        """Asks a host that we hold for one URL, in its turn; what the answer teaches is noted in `held`.

        `validators` is asked when the turn has come.
        """
        answer = await self._gate.ask(url, held)
        if not isinstance(answer, Passed):
            return Asked(visit=answer)
        async with held.turn() as turn:
            if (blocked := self._gate.recheck(url, held)) is not None:
                return Asked(visit=blocked)
            crash_points.reached("fetch.before_request")
            visit = await self._client.get(
                url,
                wanted=Wanted(max_bytes=held.host.policy.max_page_bytes),
                validators=validators(),
                on_sent=turn.on_sent,
            )
            held.host = politeness.after_visit(held.host, visit, now=self._clock.now())
        return Asked(visit=visit, allowed_by=answer.rule)

    async def ask_once(self, url: str) -> Asked:
        """Asks for a URL outside any run, following redirects, each hop through the whole gate."""
        hops = 0
        while True:
            target = urls.parse(url)
            try:
                async with self._turns.visiting(target.host_key, patience=_PATIENCE_SECONDS) as held:
                    asked = await self.ask(held, target.href)
            except (NotPossible, LeaseLost) as busy:
                now = self._clock.now()
                failure = Failed(url=url, fault=Fault.TIMEOUT, detail=str(busy), at=now, took=timedelta(0))
                return Asked(visit=failure)
            if not isinstance(asked.visit, Redirected):
                return asked
            if hops == self._max_redirects:
                return Asked(visit=too_many_redirects(asked.visit, limit=hops))
            hops, url = hops + 1, asked.visit.target


def too_many_redirects(visit: Redirected, *, limit: int) -> Failed:
    """The failure that a chain of redirects ends in."""
    detail = f"redirected more than {limit} times; the last target was {visit.target}"
    return Failed(
        url=visit.url, fault=Fault.TOO_MANY_REDIRECTS, detail=detail, at=visit.at, took=visit.took, status=visit.status
    )
