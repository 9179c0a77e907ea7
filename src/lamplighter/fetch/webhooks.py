"""Sends notifications by HTTP, through the same client and address guard as everything else.

There is no host turn and no robots.txt check: the operator who gave us the address wants the messages.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.client import Client
from lamplighter.model.notification import DeliveryResult
from lamplighter.model.visit import Failed, Fault, Refused, ResponseHead
from lamplighter.rules.hosts import server_hints
from lamplighter.rules.urls.addresses import is_literal

#: timeout of a receiver
SECONDS = 10.0
#: the longest Retry-After that is obeyed
LONGEST_PAUSE = timedelta(days=1)


class Webhooks:
    """Posts messages to webhooks."""

    def __init__(self, client: Client, *, guard: AddressGuard) -> None:
        self._client = client
        self._guard = guard

    def refusal_of(self, hostname: str, port: int) -> str | None:
        """Why nothing may be sent there, as far as the host alone shows it; a name is checked when it is resolved."""
        if not is_literal(hostname):
            return None
        try:
            self._guard.check(hostname, port, hostname=hostname)
        except AddressRefused as refused:
            return str(refused)
        return None

    async def post(
        self, url: str, body: bytes, *, headers: Mapping[str, str], seconds: float = SECONDS
    ) -> DeliveryResult:
        """The result of a POST to a receiver; only a status from 200 to 299 means that it was accepted."""
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.post(url, body, headers=headers)
        except TimeoutError:
            return DeliveryResult(is_delivered=False, detail=f"no response within {seconds:g} seconds")
        if not isinstance(response, ResponseHead):
            return DeliveryResult(is_delivered=False, detail=_why(response, url))
        is_taken = 200 <= response.status < 300
        wanted = None if is_taken else response.headers.get("retry-after")
        return DeliveryResult(
            is_delivered=is_taken,
            status=response.status,
            detail=_status_text(response.status),
            pause=server_hints.retry_after(wanted, now=response.at, cap=LONGEST_PAUSE),
        )


def _why(response: Refused | Failed, url: str) -> str:
    """Why it was not delivered; without the URL, which is a secret and must not be in logs."""
    # The HTTP library's texts of these two may contain the URL, perhaps cut so that it cannot be masked any more.
    if isinstance(response, Failed) and response.fault is Fault.BROKEN_RESPONSE:
        return "the receiver's response is not HTTP"
    if isinstance(response, Failed) and response.fault is Fault.TIMEOUT:
        return "the receiver did not respond in time"
    return response.detail.replace(url, "the target")


def _status_text(status: int) -> str:
    if 300 <= status < 400:
        return f"HTTP {status}: the receiver redirects, which is not followed; give the channel its new target"
    if status == 410:
        return "HTTP 410: the receiver is gone for good; give the channel another target"
    return f"HTTP {status}"
