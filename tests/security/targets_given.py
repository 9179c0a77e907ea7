"""Fuzz targets: what people and programs give us: times, windows, templates, searches, files, messages, tokens."""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import jwt
import orjson
from starlette.datastructures import Headers

from lamplighter.errors import BadInput
from lamplighter.model import window_json
from lamplighter.model.access import Caller, Role
from lamplighter.model.notification import ChannelKind
from lamplighter.operations.sources import source_file_formats
from lamplighter.operations.sources.source_file_formats import FileFormat
from lamplighter.rules.alerts import notification_target, notification_template
from lamplighter.rules.formats import csv_cell, durations, envelope, queue_message
from lamplighter.rules.hosts import user_agent
from lamplighter.rules.pages import text_diff
from lamplighter.rules.proxies import proxy_address
from lamplighter.rules.records import search_query
from lamplighter.rules.schedule import interval_text, window_text
from lamplighter.settings import load
from lamplighter.web.access.client_address import client_address, parse_proxies
from lamplighter.web.access.credentials import UnprovenCaller, prove
from lamplighter.web.access.host_names import is_own_name
from lamplighter.web.access.sessions import Sessions, keys_of
from lamplighter.web.paths import local_path
from tests.security.target import Target, header_of, text_of
from tests.web.access.clients import SECRET

T = TypeVar("T")
_SETTINGS = load({}, auth_jwt_secret=SECRET)
_SESSIONS = Sessions(keys_of(_SETTINGS), _SETTINGS)
_DESK = SimpleNamespace(keys=keys_of(_SETTINGS), sessions=_SESSIONS, view=SimpleNamespace(settings=_SETTINGS))
_OUR_AGENT = "LamplighterBot/1.0 (+https://lamplighter.example/bot)"


def _caller(authorization: str) -> Caller | None:
    """Whom an Authorization header proves; it takes no database unless it is an API token."""
    scope = {"type": "http", "headers": [(b"authorization", authorization.encode("latin-1"))]}
    try:
        prove(scope, cast(Any, _DESK)).send(None)
    except StopIteration as proven:
        caller: Caller = proven.value.caller
        return caller
    except UnprovenCaller:
        return None
    raise AssertionError("a JWT is not looked up anywhere")


def _outcome(parse: Callable[..., T], *given: Any) -> tuple[T | None, str]:
    """What was understood, or the words in which it was refused."""
    try:
        return parse(*given), ""
    except BadInput as refusal:
        return None, str(refusal)


def play_bearer(data: bytes) -> None:
    """Nobody is known by a token that we did not sign."""
    text = header_of(data)
    if not text.startswith("lamp"):
        assert _caller(f"Bearer {text}") is None
        assert _caller(text) is None
        assert _SESSIONS.read(text) is None
        assert not _SESSIONS.is_form_token(text, "a session")


def play_claims(data: bytes) -> None:
    """Under our own signature: somebody with a name and a role for as long as it says, or nobody."""
    signed = jwt.api_jws.encode(data, SECRET, algorithm="HS256")
    caller = _caller(f"Bearer {signed}")
    if caller is not None:
        claims = orjson.loads(data)
        assert "exp" in claims
        assert caller.role in Role
        assert caller.name.isprintable()


def play_window(data: bytes) -> None:
    """Windows are refused in words, or say the same when they are written and read again."""
    try:
        windows = window_text.parse(text_of(data))
    except BadInput:
        windows = ()
    if windows:
        assert window_text.parse(window_text.describe(windows)) == windows
        assert window_json.from_json(window_json.to_json(windows)) == windows
    try:
        given = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    window_json.loaded(given)


def play_interval(data: bytes) -> None:
    """An interval is at least a second, and its words are read back."""
    text = text_of(data)
    duration = durations.parsed(text)
    assert duration is None or duration > timedelta(0)
    try:
        span = interval_text.parse(text)
    except BadInput:
        return
    assert span >= timedelta(seconds=1)
    assert abs(interval_text.parse(interval_text.describe(span)) - span) < timedelta(seconds=1)


def play_template(data: bytes) -> None:
    """A template fills in names and does nothing else; what comes out is bounded."""
    template = text_of(data)
    try:
        rendered = notification_template.render(template, {"source": "{{ url }}" * 10, "url": "x" * 10**5})
    except BadInput:
        return
    assert len(rendered) <= notification_template.LONGEST_TEXT


def play_target(data: bytes) -> None:
    """A message goes to a web address or to one mailbox, and a refusal does not repeat it."""
    text = text_of(data)
    for kind in ChannelKind:
        target, refusal = _outcome(notification_target.parse, kind, text)
        assert len(text.strip()) < 40 or text.strip() not in refusal
        if target is not None:
            assert not set("\r\n\0") & set(target.address)
            assert target.address.startswith("http") or not set(" ,<>") & set(target.address)


def play_proxy(data: bytes) -> None:
    """A proxy is a host; its password is in no refusal and in no repr."""
    for text in (text_of(data), f"http://user:s3cr3t-w0rd@{text_of(data)}"):
        address, refusal = _outcome(proxy_address.parse, text)
        assert "s3cr3t-w0rd" not in f"{address!r} {refusal}"
        if address is not None:
            assert address.host
            assert not set("/@\\ \r\n") & set(address.host)


def play_search(data: bytes) -> None:
    """Anything can be looked for, in bounded many words."""
    text = text_of(data)
    query = search_query.parse(text)
    assert len(query.wanted) + len(query.unwanted) <= 20
    search_query.still_typed(text)
    folded = search_query.fold(text)
    assert search_query.fold(folded) == folded


def play_file(data: bytes) -> None:
    """A file of sources is refused as a whole or read row by row, each an object or a trouble."""
    text = text_of(data)
    for form in (source_file_formats.guess(text), *FileFormat):
        try:
            rows = list(source_file_formats.read(text, form))
        except BadInput:
            continue
        assert all(row.trouble or isinstance(row.values, dict) for row in rows)


def play_cell(data: bytes) -> None:
    """No cell begins a formula, and what was written comes back."""
    text = text_of(data)
    cell = csv_cell.safe(text)
    assert csv_cell.as_written(cell) == text
    assert not cell.startswith(("=", "@", "\t", "\r"))


def play_message(data: bytes) -> None:
    """A message of another program is an event, an order, or refused with its reason."""
    try:
        event = envelope.parse(data)
    except BadInput:
        pass
    else:
        assert envelope.parse(envelope.to_json(event)).id == event.id
    for reader in (queue_message.hosts_in, queue_message.pages_in):
        try:
            ids = reader(data)
        except queue_message.BadMessage:
            continue
        assert all(0 < each < 2**63 for each in ids)


def play_request(data: bytes) -> None:
    """Nobody is sent to another site, and nobody's word counts for an address."""
    text = header_of(data)
    path = local_path(text_of(data))
    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))
    is_own_name(text)
    scope = {"type": "http", "client": ("192.0.2.1", 1), "headers": [(b"x-forwarded-for", text.encode("latin-1"))]}
    assert client_address(scope, Headers(scope=scope), parse_proxies("")) == "192.0.2.1"


def play_agent(data: bytes) -> None:
    """Whatever a host is to see, it begins with our name and is one line."""
    try:
        agent = user_agent.checked(text_of(data), ours=_OUR_AGENT)
    except BadInput:
        return
    assert agent.startswith("LamplighterBot")
    assert agent.isprintable()


def play_diff(data: bytes) -> None:
    """Of two texts, what is taken away and what is added are those texts."""
    before, _, after = text_of(data).partition("\0")
    text_diff.folded(text_diff.by_lines(before, after))
    text_diff.by_words(before, after)


_TOKEN = jwt.encode({"sub": "a", "exp": 10**10}, "another secret of somebody else's own", algorithm="HS256").encode()

TARGETS = (
    Target("bearer", play_bearer, (_TOKEN, b"eyJhbGciOiJub25lIn0.eyJleHAiOjEwMDAwMDAwMDAwfQ.", b"a.b.c", b"Basic a")),
    Target(
        "claims",
        play_claims,
        (b'{"exp":10000000000,"sub":"a","role":"admin"}', b'{"exp":"x"}', b"[]", b'{"exp":1e400,"sub":1,"role":[]}'),
    ),
    Target(
        "window",
        play_window,
        (b"mon-fri 08:00-18:00 Europe/Berlin", b"block sat,sun; 22:00-06:00", b'[{"kind":"allow","days":["mon"]}]'),
    ),
    Target("interval", play_interval, (b"1 day 2 hours", b"90m", b"00:30", b"1.5 weeks", b"999999999 weeks")),
    Target("template", play_template, (b"{{ source }}: {{url}}", b"{{ ''.__class__ }}", b"{% a %}{{", b"}} {{")),
    Target("target", play_target, (b"https://hooks.example/a?b=c", b"ops@example.org", b"a@b.c\nBcc: d@e.f")),
    Target("proxy", play_proxy, (b"socks5://user:pass@proxy.example:1080", b"proxy.example:8080", b"user:pa@ss@host")),
    Target("search", play_search, (b'"full time" -nurse cook*', b'-"', "ﬁ İ ß".encode())),
    Target(
        "file",
        play_file,
        (
            b"name,url,tags\nA,https://a.example/,b",
            b"<opml><body><outline text='a' xmlUrl='https://a.example/f'/></body></opml>",
            b'{"url":"https://a.example"}\n[1]',
            b'[{"url":1},"https://a.example"]',
        ),
    ),
    Target("cell", play_cell, (b"=1+1", b"'=1", b"-5", b"\t@a", "＝1".encode())),
    Target(
        "message",
        play_message,
        (
            b'{"event_id":"5b4f9e0c-2d51-4f39-9c39-0d2d3a9e1a11","event_type":"SOURCE_CREATED","source_id":'
            b'"5b4f9e0c-2d51-4f39-9c39-0d2d3a9e1a11","timestamp":"2026-03-01T08:00:00Z","payload":{}}',
            b'{"version":1,"host_id":7}',
            b'{"version":1.0,"page_ids":[1,true]}',
        ),
    ),
    Target("request", play_request, (b"/sources?a=b", b"//evil.example", b"/\\evil.example", b"192.0.2.1, 127.0.0.1")),
    Target("agent", play_agent, (b"LamplighterBot/2 (+https://a.example)", b"Googlebot/2.1")),
    Target("diff", play_diff, (b"a b\nc\0a d\nc", b"\0a")),
)
