"""Sends a request in its host's turn, by the exit that is due: the host's proxies, or none.

After a proxy's fault one other is tried, in a turn of its own, so that the time between two requests that may reach the
host is kept. What the site itself answers, a 429 or 403 above all, never leads to another exit.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Generic, TypeVar

from lamplighter.fetch.exit_book import ExitBook, Taken
from lamplighter.fetch.turns import NO_REST, HeldHost, Turn
from lamplighter.model.exit import Exit, ProxyMode
from lamplighter.model.visit import Failed, Fault, Peeked, Refusal, Refused, Visit
from lamplighter.ports import Clock
from lamplighter.rules.proxy_choice import NoExit

_Answer = TypeVar("_Answer", bound=Visit | Peeked)


async def _no_objection() -> None:
    """For requests that nothing was found against, and that are not looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Generic[_Answer]):
    """What came of a request, and by which exit."""

    answer: _Answer | Refused | Failed
    #: None when it went directly, or not at all
    proxy_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[_Answer]):
    """One request that is to be sent."""

    url: str
    #: sends it, in a turn and through an exit or directly
    send: Callable[[Turn, Exit | None], Awaitable[_Answer]]
    #: asked when the turn has come: whether the URL is not to be asked for any more, or the host left alone by now
    check: Callable[[], Awaitable[Refused | None]] = _no_objection
    #: told within the turn what came of it
    learn: Callable[[_Answer | Failed], None] = lambda _: None
    #: for which the host is left alone afterwards at least
    rest: timedelta = NO_REST


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt(Generic[_Answer]):
    """One turn of the host, and what was made of it."""

    answer: _Answer | Refused | Failed
    #: None when it went directly, or not at all
    taken: Taken | None = None
    #: False when the turn was let pass
    was_sent: bool = True
    #: another exit came to the same end, so that it is the site's
    agrees: bool = False

    @property
    def proxys_fault(self) -> Failed | None:
        """How the proxy failed; None when it did not."""
        match self.answer:
            case Failed(fault=Fault.PROXY) as fault:
                return fault
        return None

    @property
    def reached_site(self) -> bool:
        """Whether the site itself answered."""
        match self.answer:
            case Refused() | Failed(status=None):
                return False
        return self.proxys_fault is None

    @property
    def is_doubtful(self) -> bool:
        """Whether that may as well be the site's fault."""
        return self.proxys_fault is not None and self.proxys_fault.doubt is not None


class Passages:
    """The ways to a host."""

    def __init__(self, book: ExitBook, *, clock: Clock) -> None:
        self._book = book
        self._clock = clock
        #: of each host the exits that agreed in a doubt, and how: to be settled by the next that reaches it
        self._suspects: dict[int, dict[int, tuple[Taken, str]]] = {}

    async def through(self, held: HeldHost, question: Question[_Answer]) -> Passed[_Answer]:
        """Asks when the host's turn has come; Refused when there is no exit to go by, and none may be done without."""
        if not await self._book.concerns(held.host):
            return await self._direct(held, question)
        first = await self._attempt(held, question)
        if not first.is_doubtful:
            await self._count(held, first)
        if first.proxys_fault is None:
            return _passed(first)
        second = await self._attempt(held, question, after=first)
        if second.agrees:
            self._suspect(held, first, second)
            return _passed(second)  # no proxy is blamed for what is the site's
        if first.is_doubtful:
            await self._count(held, first)
        await self._count(held, second)
        return _passed(second if second.was_sent else first)

    async def by(self, proxy_id: int, held: HeldHost, question: Question[_Answer]) -> _Answer | Refused | Failed:
        """Asks by one certain proxy."""
        async with held.turn(rest=question.rest) as turn:
            if (blocked := await question.check()) is not None:
                return blocked
            taken = await self._book.take_this(proxy_id, held.host)
            if isinstance(taken, NoExit):
                return _no_exit(question.url, taken)
            answer = await self._sent(turn, question, taken)
            question.learn(answer)
        attempt: _Attempt[_Answer] = _Attempt(answer=answer, taken=taken)
        await self._count(held, attempt)
        return answer

    async def _direct(self, held: HeldHost, question: Question[_Answer]) -> Passed[_Answer]:
        async with held.turn(rest=question.rest) as turn:
            if (blocked := await question.check()) is not None:
                return Passed(answer=blocked)
            answer = await question.send(turn, None)
            question.learn(answer)
        return Passed(answer=answer)

    async def _attempt(
        self, held: HeldHost, question: Question[_Answer], *, after: _Attempt[_Answer] | None = None
    ) -> _Attempt[_Answer]:
        async with held.turn(rest=question.rest) as turn:
            if (blocked := await question.check()) is not None:
                return _Attempt(answer=blocked, was_sent=False)
            tried = [after.taken.exit.id] if after is not None and after.taken is not None else []
            way = await self._book.take(held.host, but_not=tried)
            if isinstance(way, NoExit) and held.host.policy.proxy_mode is not ProxyMode.PREFER:
                return _Attempt(answer=_no_exit(question.url, way), was_sent=False)
            taken = None if isinstance(way, NoExit) else way
            answer = await self._sent(turn, question, taken)
            sites = _sites_fault(after, answer)
            question.learn(sites or answer)
        return _Attempt(answer=sites or answer, taken=taken, agrees=sites is not None)

    async def _sent(self, turn: Turn, question: Question[_Answer], taken: Taken | None) -> _Answer | Failed:
        if taken is None:
            return await question.send(turn, None)
        if taken.trouble is None:
            return await question.send(turn, taken.exit)
        detail = f"through proxy {taken.exit.id} ({taken.exit.url}): {taken.trouble}"
        return Failed(url=question.url, fault=Fault.PROXY, detail=detail, at=self._clock.now(), took=timedelta(0))

    def _suspect(self, held: HeldHost, *attempts: _Attempt[_Answer]) -> None:
        """Remembers who agreed: two broken proxies must not clear each other for ever."""
        agreed = {
            each.taken.exit.id: (each.taken, each.answer.detail)
            for each in attempts
            if each.taken is not None and isinstance(each.answer, Failed)
        }
        if len(agreed) == len(attempts):  # who agreed with a direct request was right
            self._suspects.setdefault(held.host.id, {}).update(agreed)

    async def _settle(self, held: HeldHost, attempt: _Attempt[_Answer]) -> None:
        """The site was reached: so the last failure of those who agreed that it could not be was their own."""
        suspects = self._suspects.pop(held.host.id, {})
        for proxy_id, (taken, why) in suspects.items():
            if attempt.taken is None or attempt.taken.exit.id != proxy_id:
                await self._book.failed(taken, why=why)

    async def _count(self, held: HeldHost, attempt: _Attempt[_Answer]) -> None:
        """Writes down how the proxy did; what never went out says nothing about it."""
        if attempt.reached_site:
            await self._settle(held, attempt)
        if attempt.taken is None or isinstance(attempt.answer, Refused):
            return
        if (fault := attempt.proxys_fault) is not None:
            await self._book.failed(attempt.taken, why=fault.detail)
        else:
            await self._book.passed_on(attempt.taken, took=attempt.answer.took)


def _sites_fault(after: _Attempt[_Answer] | None, answer: _Answer | Failed) -> Failed | None:
    """What it is when two exits in a row came to the same doubtful end: then it is the site's, and no proxy's."""
    before = after.proxys_fault if after is not None else None
    if before is None or before.doubt is None or not isinstance(answer, Failed):
        return None
    seen = answer.doubt if answer.fault is Fault.PROXY else answer.fault
    return replace(answer, fault=before.doubt, doubt=None) if seen is before.doubt else None


def _passed(attempt: _Attempt[_Answer]) -> Passed[_Answer]:
    return Passed(answer=attempt.answer, proxy_id=attempt.taken.exit.id if attempt.taken is not None else None)


def _no_exit(url: str, found: NoExit) -> Refused:
    return Refused(url=url, reason=Refusal.NO_PROXY, detail=found.why, until=found.until)
