"""Fuzz targets: the answers of sites as they come in, their heads and coded bodies; and what people teach on a page."""

import gzip
import zlib
from dataclasses import fields
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import brotli
import pycurl

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.crawl.reading import lessons
from lamplighter.crawl.reading.reader_messages import LessonWork, PageWork, ShownWork
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.extract.teaching.lesson import MEANINGS, Example, TextExample
from lamplighter.fetch import client
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.body_limits import BodyLimits, BodyReader, BrokenCoding, zstd
from lamplighter.fetch.transfer import OpenSockets, Stage, Transfer, WireRequest
from lamplighter.fetch.wire_watch import ActGuard
from lamplighter.model.recipe import EMPTY
from lamplighter.model.visit import Validators
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.rules.urls.scope import LinkScope
from tests.security.target import Target, text_of
from tests.security.targets_pages import PAGE, is_sound

_HERE = urls.parse("https://a.example/jobs/")
_CODINGS = ("gzip", "deflate", "br", "zstd")
_LIMITS = BodyLimits(max_bytes=3000)
_GUARD = AddressGuard(AllowList.parse(""))
_CLIENT = client.Client(
    guard=_GUARD,
    clock=DatabaseClock(),
    user_agent="LamplighterBot/1.0",
    resolver=cast(Any, SimpleNamespace()),
    wire=cast(Any, SimpleNamespace()),
)


def play_coding(data: bytes) -> None:
    """A coded body is within its limit, the same however it is cut into pieces, or refused as broken."""
    coding, size = _CODINGS[data[0] % 4] if data else "gzip", data[1] + 1 if len(data) > 1 else 1
    whole, cut = (_unpacked(data[2:], coding, piece) for piece in (len(data) + 1, size))
    assert whole is None or cut is None or whole == cut
    for body in (whole, cut):
        assert body is None or len(body) <= _LIMITS.max_bytes


def _unpacked(data: bytes, coding: str, piece: int) -> bytes | None:
    reader = BodyReader(_LIMITS.max_bytes, coding)
    try:
        for start in range(0, len(data), piece):
            if not reader.feed(data[start : start + piece]):
                break
        return reader.body()
    except BrokenCoding:
        return None


def play_head(data: bytes) -> None:
    """Any answer is a visit of which all words can be stored, or is given up; no header has more than its own line."""
    transfer = Transfer(pycurl.Curl(), guard=_GUARD, sockets=OpenSockets(ActGuard(), answers_within=20))
    wants = partial(client._reader, _HERE, _LIMITS)
    transfer.request = WireRequest(
        method="GET", url=_HERE.href, headers=(), hostname="a.example", port=443, wants=wants
    )
    transfer.stage = Stage.SENT
    lines = data.replace(b"\0", b"").splitlines(keepends=True)  # libcurl takes no NUL
    while lines and transfer.head is None and transfer.trouble is None:
        transfer._take_line(lines.pop(0))
    head = transfer.head
    if head is None or transfer.trouble is not None:
        return
    if transfer.stage is Stage.READING:
        transfer._take_body(b"".join(lines))
    assert not any("\n" in value for values in head.headers.values_of.values() for value in values)
    assert head.length is None or head.length >= 0
    try:
        visit = _CLIENT._visit(_HERE.href, head, transfer.body, _LIMITS, Validators(etag='"1"'), 0.0)
    except BrokenCoding:
        return
    for part in (visit, _CLIENT._peeked(_HERE.href, head, 0.0)):
        for each in fields(part):
            str(getattr(part, each.name)).encode()


def play_learn(data: bytes) -> None:
    """What is pointed at teaches a recipe that is read back, or is refused in words; what is shown does nothing."""
    pointed, _, html = data.partition(b"\n")
    work = PageWork(
        page_id=1,
        url=_HERE.href,
        source_url=_HERE.href,
        depth=0,
        body=html,
        content_type="text/html",
        robots_tag=None,
        usage=None,
        agent="lamplighterbot",
        kind=None,
        recipe=EMPTY,
        scope=LinkScope(hostnames=("a.example",), max_depth=1),
    )
    pairs = zip(pointed[::2], pointed[1:20:2], strict=False)
    examples = tuple(Example(MEANINGS[meaning % len(MEANINGS)], place) for meaning, place in pairs)
    press = pointed[-1] if len(pointed) % 2 else None
    texts = () if examples else (TextExample("title", text_of(html[:20])),)
    lesson = LessonWork(page=work, examples=examples, texts=texts, press=press, versions=(PAGE,))
    taught = lessons.teach(lesson, lambda _, reading: cast(Any, reading))
    if taught.digest is not None:
        is_sound(cast(Any, taught.digest))
    if taught.learned.recipe is not None:
        assert parse_recipe(recipe_to_json(taught.learned.recipe)) == taught.learned.recipe
    shown = lessons.shown(ShownWork(body=html, content_type="text/html", head="", foot="")).lower()
    assert "<script" not in shown
    assert "<iframe" not in shown


_BODY = PAGE * 3
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
TARGETS = (
    Target(
        "coding",
        play_coding,
        (
            b"\x00\x07" + gzip.compress(_BODY, mtime=0),
            b"\x01\x01" + zlib.compress(_BODY),
            b"\x01\x30" + zlib.compress(_BODY)[2:-4],
            b"\x02\x07" + brotli.compress(_BODY),
            b"\x03\x07" + zstd.compress(_BODY),
            b"\x00\x07" + gzip.compress(bytes(100_000), mtime=0),
        ),
    ),
    Target(
        "head",
        play_head,
        (
            _HEAD + b'ETag: "1"\r\nCache-Control: max-age=60\r\nX-Robots-Tag: noindex\r\n\r\n<p>a page',
            _HEAD + b"Content-Length: 3\r\nLast-Modified: Mon, 02 Mar 2026 08:00:00 GMT\r\nVary: *\r\n\r\nabc",
            _HEAD.replace(b"\r", b"") + b"Content-Encoding: deflate\n\n\x78\x9c",
            b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 301 Moved\r\nLocation: //b.example/\xff\r\n\r\n",
            b'HTTP/1.0 304\r\nETag: W/"\xe9"\r\nContent-Usage: train-ai=n\r\n\r\n',
            b"HTTP/1.1 429 No\r\nRetry-After: 99999999999999999999\r\n\r\n",
        ),
    ),
    Target(
        "learn",
        play_learn,
        (b"\x00\x09\n" + PAGE, b"\x00\x0b\x0b\x0e\x0c\x09\n" + PAGE, b"\x09\n" + PAGE, b"\nNurse<a>Nurse</a>"),
    ),
)
