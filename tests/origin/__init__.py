"""The recording origin: a scripted site on loopback that can misbehave, and whose access log is the witness.

    async with Origin() as origin:
        origin.robots("User-agent: *\\nDisallow: /x")
        origin.page("/a", "<h1>hello</h1>", etag='"1"')
        origin.route("/b", busy(retry_after="120"), Answer(body=b"open again"))
        ...
        assert min(origin.gaps()) >= 1.0

`ThreadedOrigin` is the same for tests that do not run in an event loop, such as those of the command line.
"""

from tests.origin.answers import Answer, Request, Script, busy, redirect
from tests.origin.log import Hit
from tests.origin.misbehaviour import (
    bad_chunking,
    brotli_bomb,
    endless_body,
    gzip_bomb,
    hang,
    hang_after_headers,
    huge_header,
    many_headers,
    reset_mid_body,
    short_body,
    slow_body,
    slow_headers,
    surplus_body,
)
from tests.origin.server import Origin
from tests.origin.threaded import ThreadedOrigin

__all__ = [
    "Answer",
    "Hit",
    "Origin",
    "Request",
    "Script",
    "ThreadedOrigin",
    "bad_chunking",
    "brotli_bomb",
    "busy",
    "endless_body",
    "gzip_bomb",
    "hang",
    "hang_after_headers",
    "huge_header",
    "many_headers",
    "redirect",
    "reset_mid_body",
    "short_body",
    "slow_body",
    "slow_headers",
    "surplus_body",
]
