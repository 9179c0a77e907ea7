"""A service that `lamplighter serve` started, and free ports for it."""

import json
import os
import socket
import time
import urllib.error
import urllib.request
from typing import Any

PATIENCE_SECONDS = 120


def free_ports(count: int) -> int:
    """The first of several free ports in a row."""
    for first in range(21000 + os.getpid() % 900 * 10, 60000, 10):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for offset, sock in enumerate(sockets):
                sock.bind(("127.0.0.1", first + offset))
        except OSError:
            continue
        else:
            return first
        finally:
            for sock in sockets:
                sock.close()
    raise AssertionError("no free ports")


def health(port: int) -> dict[str, Any]:
    """What the service says of itself, as soon as it says anything."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < deadline, "the service did not come up"
            time.sleep(0.1)
