"""The way out for notifications that travel by HTTP: through the same client and guard as everything else.

Nobody's turn is waited for and no robots.txt asked: whoever gave us the address wants to be told.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from lamplighter.fetch.client import Client
from lamplighter.fetch.guard import AddressRefused, Guard
from lamplighter.model.notification import Told
from lamplighter.model.visit import Failed, Fault, Peeked, Refused
from lamplighter.rules import server_hints
from lamplighter.rules.addresses import is_literal

#: how long a receiver may take
SECONDS = 10.0
#: how long it may have us wait
LONGEST_PAUSE = timedelta(days=1)


class Webhooks:
    """Posts messages."""

    def __init__(self, client: Client, *, guard: Guard) -> None:
        self._client = client
        self._guard = guard

    def refusal_of(self, hostname: str, port: int) -> str | None:
        """Why nothing may be sent there, as far as the host alone shows it; a name is judged when it is asked for."""
        if not is_literal(hostname):
            return None
        try:
            with self._guard.asking(hostname):
                self._guard.check(hostname, port)
        except AddressRefused as refused:
            return str(refused)
        return None

    async def post(self, url: str, body: bytes, *, headers: Mapping[str, str], seconds: float = SECONDS) -> Told:
        """What came of telling a receiver something; only a status from 200 to 299 means that it was taken."""
        try:
            async with asyncio.timeout(seconds):
                answer = await self._client.post(url, body, headers=headers)
        except TimeoutError:
            return Told(is_delivered=False, detail=f"no answer within {seconds:g} seconds")
        if not isinstance(answer, Peeked):
            return Told(is_delivered=False, detail=_why(answer, url))
        is_taken = 200 <= answer.status < 300
        asked = None if is_taken else answer.headers.get("retry-after")
        return Told(
            is_delivered=is_taken,
            status=answer.status,
            detail=_said(answer.status),
            pause=server_hints.retry_after(asked, now=answer.at, cap=LONGEST_PAUSE),
        )


def _why(answer: Refused | Failed, url: str) -> str:
    """Why nothing came; whoever knows the whole address may write there, and the log is read by more people."""
    # What the HTTP library says of these two holds the address, perhaps cut so that it is not to be found any more.
    if isinstance(answer, Failed) and answer.fault is Fault.BROKEN_RESPONSE:
        return "the receiver's answer is no HTTP"
    if isinstance(answer, Failed) and answer.fault is Fault.TIMEOUT:
        return "the receiver did not answer in time"
    return answer.detail.replace(url, "the target")


def _said(status: int) -> str:
    if 300 <= status < 400:
        return f"HTTP {status}: the receiver points elsewhere, which is not followed; give the channel its new target"
    if status == 410:
        return "HTTP 410: the receiver is gone for good; give the channel another target"
    return f"HTTP {status}"
