"""Network namespaces: hosts of their own on one machine, with a router between them that can drop what it likes.

A thread that is inside a namespace opens its sockets there, and so do the threads and processes that it starts. All
addresses are of documentation ranges, and exist nowhere but in here.
"""

import ctypes
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

_NEW_NETWORK = 0x40000000
_IP = shutil.which("ip", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
_ROUTER = "router"


class Network:
    """Hosts by name, each behind the router; what two of them send each other can be dropped."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    @property
    def router(self) -> str:
        """From where everybody can always be reached."""
        return _ROUTER

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """This thread, and what it starts, is on that host."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            _enter(self._places[name])
            yield
        finally:
            _enter(before)
            os.close(before)

    def path(self, name: str) -> str:
        """By which another process enters it, see `enter`."""
        return f"/proc/{os.getpid()}/fd/{self._places[name]}"

    def address(self, name: str) -> str:
        """The host's own address."""
        return f"192.0.2.{4 * self._number(name) + 2}"

    def cut(self, one: str, other: str | None = None) -> None:
        """Drops what these two send each other, or all that one of them sends and is sent, without a word to either."""
        self._rules("add", one, other)

    def mend(self, one: str, other: str | None = None) -> None:
        """Ends that."""
        self._rules("del", one, other)

    def add_host(self, name: str, *, also: str | None = None) -> None:
        """One more host; `also` is a network that is all its own."""
        self._places[name] = _new_place()
        gateway, mine = f"192.0.2.{4 * self._number(name) + 1}", self.address(name)
        port, wire = f"to-{name}", "wire"
        with self.inside(_ROUTER):
            _ip("link", "add", port, "type", "veth", "peer", "name", wire, "netns", self.path(name))
            _ip("address", "add", f"{gateway}/30", "dev", port)
            _ip("link", "set", port, "up")
        with self.inside(name):
            _ip("link", "set", "lo", "up")
            _ip("address", "add", f"{mine}/30", "dev", wire)
            _ip("link", "set", wire, "up")
            _ip("route", "add", "default", "via", gateway)
            if also is not None:
                _ip("route", "add", "local", also, "dev", "lo")
        if also is not None:
            with self.inside(_ROUTER):
                _ip("route", "add", also, "via", mine)

    def _number(self, name: str) -> int:
        return list(self._places).index(name)

    def _rules(self, verb: str, one: str, other: str | None) -> None:
        here, there = self._range(one), "all" if other is None else self._range(other)
        with self.inside(_ROUTER):
            for origin, target in ((here, there), (there, here)):
                _ip("rule", verb, "pref", "10", "from", origin, "to", target, "blackhole")

    def _range(self, name: str) -> str:
        return name if "/" in name else self.address(name)

    def _open(self) -> None:
        self._places[_ROUTER] = _new_place()
        with self.inside(_ROUTER):
            _ip("link", "set", "lo", "up")
            Path("/proc/sys/net/ipv4/ip_forward").write_text("1")

    def _close(self) -> None:
        for place in self._places.values():
            os.close(place)


@contextmanager
def network() -> Iterator[Network]:
    """A network without hosts; skips the test where none can be made."""
    if _IP is None:
        pytest.skip("no ip here: install the Debian package iproute2")
    made = Network()
    with ExitStack() as stack:
        stack.callback(made._close)
        try:
            made._open()
        except OSError as error:
            pytest.skip(f"no network namespaces can be made here ({error}); it takes CAP_NET_ADMIN and CAP_SYS_ADMIN")
        yield made


def enter(path: str) -> None:
    """Brings this thread, and what it starts from now on, to the host of that path."""
    place = os.open(path, os.O_RDONLY)
    _enter(place)
    os.close(place)


def _enter(place: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.setns(place, _NEW_NETWORK))


def _new_place() -> int:
    """A namespace lives as long as somebody has it open."""
    found: list[int | OSError] = []
    thread = threading.Thread(target=partial(_make_place, found))
    thread.start()
    thread.join()
    (place,) = found
    if isinstance(place, OSError):
        raise place
    return place


def _make_place(found: list[int | OSError]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        _check(libc.unshare(_NEW_NETWORK))
        found.append(os.open("/proc/thread-self/ns/net", os.O_RDONLY))
    except OSError as error:
        found.append(error)


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _ip(*words: str) -> None:
    assert _IP is not None
    done = subprocess.run([_IP, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
