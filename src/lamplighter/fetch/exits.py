"""Tries a proxy out: one request through it and no other, by the same gate and in the same turn as any."""

from datetime import timedelta

from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch.client import Client
from lamplighter.fetch.gate import Gate
from lamplighter.fetch.passages import Passages, Question
from lamplighter.fetch.turns import Turn, Turns
from lamplighter.fetch.wanted import Wanted
from lamplighter.model.exit import Exit
from lamplighter.model.visit import Failed, Fault, Refused, Visit
from lamplighter.ports import Clock
from lamplighter.rules import politeness, urls

_PATIENCE_SECONDS = 30


class Exits:
    """The proxies, one by one."""

    def __init__(self, *, gate: Gate, client: Client, passages: Passages, turns: Turns, clock: Clock) -> None:
        self._gate = gate
        self._client = client
        self._passages = passages
        self._turns = turns
        self._clock = clock

    async def trial(self, proxy_id: int, url: str) -> Visit:
        """Asks for a URL once through this very proxy, resting or switched off though it may be; NotFound without it.

        The request counts as any other: towards what the proxy may do in an hour, and for or against its standing.
        """
        address = urls.parse(url)
        try:
            async with self._turns.visiting(address.host_key, patience=_PATIENCE_SECONDS) as held:
                refused = await self._gate.ask(address.href, held)
                if isinstance(refused, Refused):
                    return refused

                async def send(turn: Turn, exit_: Exit | None) -> Visit:
                    wanted = Wanted(max_bytes=held.host.policy.max_page_bytes, only_text=False, cut=True)
                    return await self._client.get(
                        address.href, wanted=wanted, headers=held.headers, exit_=exit_, on_sent=turn.on_sent
                    )

                def learn(visit: Visit) -> None:
                    held.host = politeness.after_visit(held.host, visit, now=self._clock.now())

                question = Question(
                    url=address.href, send=send, check=lambda: self._gate.recheck(address.href, held), learn=learn
                )
                return await self._passages.by(proxy_id, held, question)
        except (NotPossible, LeaseLost) as busy:
            now = self._clock.now()
            return Failed(url=address.href, fault=Fault.TIMEOUT, detail=str(busy), at=now, took=timedelta(0))
