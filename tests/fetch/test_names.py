"""Addresses of names: from the machine's own resolver, and remembered for a moment."""

import asyncio
import socket
from collections.abc import Sequence

import pytest

from lamplighter.fetch import names
from tests.fetch.client_stack import Names as NameServer


async def test_the_system_knows_this_machine() -> None:
    resolver = names.SystemResolver()

    found = await resolver.addresses("localhost")
    await resolver.close()

    assert "127.0.0.1" in found or "::1" in found


async def test_callers_that_ask_at_once_or_soon_after_share_a_question() -> None:
    server = NameServer({"shop.example": ["127.0.0.1"]})
    known = names.Names(server)

    both = await asyncio.gather(known.addresses("shop.example"), known.addresses("shop.example"))
    later = await known.addresses("shop.example")

    assert [*both, later] == [["127.0.0.1"]] * 3
    assert server.asked == ["shop.example"]


async def test_what_was_known_for_long_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "KEPT_SECONDS", 0.0)
    server = NameServer({"shop.example": ["127.0.0.1"]})
    known = names.Names(server)

    for _ in range(2):
        await known.addresses("shop.example")

    assert len(server.asked) == 2


async def test_a_failure_is_not_remembered() -> None:
    addresses: dict[str, Sequence[str]] = {"other.example": ["127.0.0.1"]}
    known = names.Names(NameServer(addresses))

    with pytest.raises(socket.gaierror):
        await known.addresses("new.example")
    addresses["new.example"] = ["127.0.0.1"]

    assert await known.addresses("new.example") == ["127.0.0.1"]
