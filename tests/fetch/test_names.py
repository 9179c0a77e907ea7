"""Addresses of names, from the machine's own resolver."""

from lamplighter.fetch.names import SystemResolver


async def test_the_system_knows_this_machine() -> None:
    resolver = SystemResolver()

    found = await resolver.addresses("localhost")
    await resolver.close()

    assert "127.0.0.1" in found or "::1" in found
