"""Asks for a page, if we may: takedown, robots, breaker, the host's turn, then one GET: the way to the web for all."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from lamplighter import crash_points
from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch.client import NO_HEADERS, Client
from lamplighter.fetch.gate import Gate, Passed
from lamplighter.fetch.passages import Passages, Question
from lamplighter.fetch.turns import NO_REST, HeldHost, Turn, Turns
from lamplighter.fetch.wanted import Wanted
from lamplighter.model.exit import Exit
from lamplighter.model.visit import (
    NO_VALIDATORS,
    Failed,
    Fault,
    Fetched,
    NotModified,
    Peeked,
    Redirected,
    Refused,
    Validators,
    Visit,
)
from lamplighter.ports import Clock
from lamplighter.rules import politeness, urls, usage

_PATIENCE_SECONDS = 60

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking, and the robots line that allowed it; None when nothing was sent."""

    visit: Visit
    allowed_by: str | None = None
    #: by which it went; None when it went directly
    proxy_id: int | None = None
    #: for the host's turn
    waited: timedelta = timedelta(0)


class Fetcher:
    """The gate and the client, put together."""

    def __init__(
        self, *, gate: Gate, client: Client, passages: Passages, turns: Turns, clock: Clock, max_redirects: int
    ) -> None:
        self._gate = gate
        self._client = client
        self._passages = passages
        self._turns = turns
        self._clock = clock
        self._max_redirects = max_redirects

    async def ask(
        self,
        held: HeldHost,
        url: str,
        *,
        validators: Callable[[], Validators] = lambda: NO_VALIDATORS,
        headers: Mapping[str, str] = NO_HEADERS,
        any_type: bool = False,
        rest: timedelta = NO_REST,
        on_cookies: Callable[[Sequence[str]], None] | None = None,
    ) -> Asked:
        """Asks a host that we hold for one URL, in its turn; what the answer teaches is noted in `held`.

        `validators` is asked when the turn has come. With `any_type` a body need not be text that we can read. After
        this request the host is left alone for `rest` at least. Cookies that the site sets are told to `on_cookies`, or
        to nobody.
        """
        answer = await self._gate.ask(url, held)
        if not isinstance(answer, Passed):
            return Asked(visit=answer)
        waits_since, waited = self._clock.monotonic(), timedelta(0)

        async def send(turn: Turn, exit_: Exit | None) -> Visit:
            nonlocal waited
            waited = waited or timedelta(seconds=self._clock.monotonic() - waits_since)
            crash_points.reached("fetch.before_request")
            return await self._client.get(
                url,
                wanted=Wanted(max_bytes=held.host.policy.max_page_bytes, only_text=not any_type),
                validators=validators(),
                headers={**headers, **held.headers},
                exit_=exit_,
                on_sent=turn.on_sent,
                on_cookies=on_cookies,
            )

        def learn(visit: Visit) -> None:
            held.host = politeness.after_visit(held.host, visit, now=self._clock.now())

        question = Question(url=url, send=send, check=lambda: self._gate.recheck(url, held), learn=learn, rest=rest)
        passed = await self._passages.through(held, question)
        visit = passed.answer
        if isinstance(visit, Refused):
            return Asked(visit=visit)
        if isinstance(visit, Fetched | NotModified) and answer.usage is not None:
            visit = replace(visit, usage=usage.joined(visit.usage, answer.usage))
        return Asked(visit=visit, allowed_by=answer.rule, proxy_id=passed.proxy_id, waited=waited)

    async def ask_once(
        self,
        url: str,
        *,
        validators: Validators = NO_VALIDATORS,
        headers: Mapping[str, str] = NO_HEADERS,
        any_type: bool = False,
    ) -> Asked:
        """Asks for a URL outside any run, following redirects, each hop through the whole gate.

        Validators and headers are meant for the first address and go nowhere else.
        """
        first = urls.parse(url).href
        allowed_by: str | None = None

        async def ask(held: HeldHost, address: str) -> Visit:
            nonlocal allowed_by
            if address == first:
                asked = await self.ask(held, address, validators=lambda: validators, headers=headers, any_type=any_type)
            else:
                asked = await self.ask(held, address, any_type=any_type)
            allowed_by = asked.allowed_by
            return asked.visit

        visit = await self._follow(first, ask)
        return Asked(visit=visit, allowed_by=allowed_by)

    async def peek_once(self, url: str) -> Peeked | Refused | Failed:
        """Asks for the headers of a URL alone, outside any run, following redirects like `ask_once`."""

        async def peek(held: HeldHost, address: str) -> Peeked | Redirected | Refused | Failed:
            answer = await self._gate.ask(address, held)
            if isinstance(answer, Refused):
                return answer

            async def send(turn: Turn, exit_: Exit | None) -> Peeked | Redirected | Refused | Failed:
                return await self._client.head(address, headers=held.headers, exit_=exit_, on_sent=turn.on_sent)

            def learn(answer: Peeked | Redirected | Refused | Failed) -> None:
                held.host = politeness.after_visit(held.host, answer, now=self._clock.now())

            question = Question(url=address, send=send, check=lambda: self._gate.recheck(address, held), learn=learn)
            return (await self._passages.through(held, question)).answer

        answer = await self._follow(urls.parse(url).href, peek)
        assert not isinstance(answer, Redirected), "redirects are followed to their end"
        return answer

    async def _follow(self, url: str, ask: Callable[[HeldHost, str], Awaitable[_Answer]]) -> _Answer | Failed:
        """What stands at the end of the redirects, each asked for in the turn of its own host."""
        hops = 0
        while True:
            try:
                async with self._turns.visiting(urls.parse(url).host_key, patience=_PATIENCE_SECONDS) as held:
                    answer = await ask(held, url)
            except (NotPossible, LeaseLost) as busy:
                now = self._clock.now()
                return Failed(url=url, fault=Fault.TIMEOUT, detail=str(busy), at=now, took=timedelta(0))
            if not isinstance(answer, Redirected):
                return answer
            if hops == self._max_redirects:
                return too_many_redirects(answer, limit=hops)
            if answer.retry_after:
                return _delayed(answer, answer.retry_after)
            hops, url = hops + 1, answer.target


def _delayed(visit: Redirected, wait: timedelta) -> Failed:
    """The failure that a redirect is to whoever does not wait until it may be followed."""
    detail = f"redirects to {visit.target}, to be followed only in {wait.total_seconds():.0f} s; try again then"
    return Failed(
        url=visit.url,
        fault=Fault.BUSY,
        detail=detail,
        at=visit.at,
        took=visit.took,
        status=visit.status,
        retry_after=wait,
    )


def too_many_redirects(visit: Redirected, *, limit: int) -> Failed:
    """The failure that a chain of redirects ends in."""
    detail = f"redirected more than {limit} times; the last target was {visit.target}"
    return Failed(
        url=visit.url, fault=Fault.TOO_MANY_REDIRECTS, detail=detail, at=visit.at, took=visit.took, status=visit.status
    )
