"""Real proxies on loopback, with passwords, that can die, refuse, stall and lie.

Each leaves by an address of its own (127.0.0.x), so that the origin's log shows which exit was used.

    async with HttpProxy(exit="127.0.0.11", password="p") as first, SocksProxy(exit="127.0.0.12") as second:
        first.mood = Mood.REFUSE
        ...
        assert [hit.peer for hit in origin.log] == ["127.0.0.12"]
"""

from tests.proxies.http_proxy import HttpProxy
from tests.proxies.mood import Mood
from tests.proxies.socks_proxy import SocksProxy

__all__ = ["HttpProxy", "Mood", "SocksProxy"]
