"""Answers for tests to put into archives."""

from datetime import datetime

from lamplighter.model.capture import Capture
from tests.moments import NOON

URL = "http://site.example/page"


def capture(body: bytes, *, url: str = URL, at: datetime = NOON) -> Capture:
    """An HTML page as a plain server sends it."""
    headers = (("Content-Type", "text/html"), ("Content-Length", str(len(body))))
    return Capture(url=url, fetched_at=at, status=200, headers=headers, body=body)
