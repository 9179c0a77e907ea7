"""People log in, stay for a while, and leave."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Literal
from urllib.parse import urlencode

import jwt
import pytest
from fastapi import FastAPI, Response

from lamplighter.app import Service
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import passwords, users
from lamplighter.settings import load
from lamplighter.store.access import audit_log, sessions
from lamplighter.store.engine.database import Connection
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.sessions import Sessions, keys_of
from lamplighter.web.paths import local_path
from tests.web.access.clients import OWN, PASSWORD, SECRET, Visitor, claims, form_token
from tests.web.access.conftest import AddUser
from tests.web.asgi_client import Ask

ME = "/api/v1/me"


def desk_of(ask: Ask) -> AuthState:
    auth: AuthState = ask.app.state.auth
    return auth


async def epoch_of(service: Service, name: str) -> int:
    """The number under which the sessions of a user are opened now."""
    async with service.db.read() as db:
        return (await users.find(db, name)).session_epoch


async def audited(service: Service) -> list[tuple[str, str]]:
    async with service.db.read() as db:
        entries = await audit_log.listed(db, audit_log.AuditFilter(), limit=50, offset=0)
    return [(entry.action, entry.subject) for entry in reversed(entries) if entry.action.startswith("login")]


async def test_a_login_opens_a_session_and_leads_where_one_wanted_to_go(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("anna", Role.VIEWER)

    reply = await visitor.log_in("Anna ", wanted="/bot?a=1")

    assert (reply.status, reply.headers["location"]) == (303, "/bot?a=1")
    assert (await visitor.get(ME)).json == {"name": "user:anna", "role": "viewer"}
    assert await audited(service) == [("login.succeed", "user:anna")]


async def test_the_cookie_is_for_us_alone(visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna")

    cookie = (await visitor.log_in("anna")).headers["set-cookie"]

    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Max-Age=43200" in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize(("url", "is_secure"), [("https://lamp.example.org", True), ("http://lamp.example.org", False)])
def test_the_cookie_goes_over_tls_only_where_there_is_tls(url: str, is_secure: bool) -> None:
    settings = load({}, public_url=url)
    sessions, response = Sessions(keys_of(settings), settings), Response()

    sessions.put(response, "a")

    assert ("Secure" in response.headers["set-cookie"]) is is_secure


async def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("anna")

    replies = [await visitor.log_in("anna", "a wrong password"), await visitor.log_in("hunter2 typed here", PASSWORD)]

    assert [reply.status for reply in replies] == [401, 401]
    assert all("Wrong name or password." in reply.text for reply in replies)
    assert "lamplighter_session" not in visitor.cookies
    assert await audited(service) == [("login.fail", "user:anna"), ("login.fail", "an unknown user")]


async def test_nobody_logs_in_under_a_name_that_is_disabled(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("anna")
    now = service.clock.now()
    await service.db.write(lambda db: users.change(db, "anna", enabled=False, stamp=Stamp("test", now)))

    assert (await visitor.log_in("anna")).status == 401


class NoneFree(asyncio.Semaphore):
    """Lets in none before it is released, and says when the first one waits."""

    def __init__(self) -> None:
        super().__init__(0)
        self.is_wanted = asyncio.Event()

    async def acquire(self) -> Literal[True]:
        self.is_wanted.set()
        return await super().acquire()


async def test_a_password_that_is_changed_while_it_is_checked_opens_nothing(
    visitor: Visitor, add_user: AddUser, service: Service, web: FastAPI
) -> None:
    await add_user("anna")
    now = service.clock.now()
    new = passwords.hash_of("another one of wick and oil")

    # With none of them free, the login waits between the look at what is stored and the comparison.
    web.state.auth.hashing = hashing = NoneFree()
    waiting = asyncio.create_task(visitor.log_in("anna"))
    await hashing.is_wanted.wait()
    await service.db.write(lambda db: users.change(db, "anna", password_hash=new, stamp=Stamp("test", now)))
    hashing.release()

    assert (await waiting).status == 401
    assert "lamplighter_session" not in visitor.cookies


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"enabled": False}, id="disabled"),
        pytest.param({"password_hash": "$argon2id$another"}, id="another password"),
    ],
)
async def test_a_session_ends_with_what_it_rests_on(
    visitor: Visitor, add_user: AddUser, service: Service, change: dict[str, object]
) -> None:
    await add_user("anna")
    await visitor.log_in("anna")
    now = service.clock.now()

    await service.db.write(lambda db: users.change(db, "anna", stamp=Stamp("test", now), **change))

    assert (await visitor.get(ME)).status == 401


async def test_a_session_is_nothing_to_the_next_user_of_its_name(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("root", Role.ADMIN)
    await add_user("anna", Role.VIEWER)
    await visitor.log_in("anna")
    now = service.clock.now()

    await service.db.write(lambda db: users.remove(db, "anna", stamp=Stamp("test", now)))
    await add_user("anna", Role.ADMIN)

    assert (await visitor.get(ME)).status == 401


async def test_a_session_has_the_role_that_its_user_has_now(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("anna", Role.OPERATOR)
    await visitor.log_in("anna")
    now = service.clock.now()

    await service.db.write(lambda db: users.change(db, "anna", role=Role.VIEWER, stamp=Stamp("test", now)))

    assert (await visitor.get(ME)).json["role"] == "viewer"


async def test_logging_out_ends_the_session_wherever_its_cookie_is(
    ask: Ask, visitor: Visitor, add_user: AddUser
) -> None:
    await add_user("anna")
    elsewhere = Visitor(ask)
    await elsewhere.log_in("anna")
    await visitor.log_in("anna")
    stolen = visitor.cookies["lamplighter_session"]
    token = form_token(await visitor.get("/"))

    reply = await visitor.submit("/logout", {"csrf_token": token})

    assert (reply.status, reply.headers["location"]) == (303, "/login")
    assert "lamplighter_session" not in visitor.cookies
    assert (await ask(ME, cookie=f"lamplighter_session={stolen}")).status == 401
    assert (await elsewhere.get(ME)).status == 200


async def test_ended_sessions_are_forgotten_when_their_cookies_have_expired(service: Service) -> None:
    now = service.clock.now()

    async def kept(db: Connection) -> list[bool]:
        await sessions.end(db, "old", until=now - timedelta(seconds=1), now=now - timedelta(hours=12))
        await sessions.end(db, "new", until=now + timedelta(hours=1), now=now)
        return [await sessions.is_ended(db, number) for number in ("old", "new")]

    assert await service.db.write(kept) == [False, True]


async def test_logging_out_everywhere_ends_all_sessions(ask: Ask, visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna")
    elsewhere = Visitor(ask)
    await visitor.log_in("anna")
    await elsewhere.log_in("anna")

    await visitor.submit("/logout", {"csrf_token": form_token(await visitor.get("/")), "everywhere": "1"})

    assert (await elsewhere.get(ME)).status == 401


async def test_a_session_is_over_after_its_hours(ask: Ask, add_user: AddUser, service: Service) -> None:
    await add_user("anna")
    sessions, now, epoch = desk_of(ask).sessions, service.clock.now(), await epoch_of(service, "anna")

    old = sessions.issue("anna", epoch=epoch, now=now - timedelta(hours=12, minutes=1))
    young = sessions.issue("anna", epoch=epoch, now=now - timedelta(hours=11))
    other = sessions.issue("anna", epoch=epoch + 1, now=now)

    statuses = [(await ask(ME, cookie=f"lamplighter_session={cookie}")).status for cookie in (old, young, other)]
    assert statuses == [401, 200, 401]


async def test_a_session_is_no_bearer_and_a_bearer_no_session(
    ask: Ask, add_user: AddUser, service: Service, bearer: Callable[..., Ask]
) -> None:
    await add_user("program", Role.ADMIN)
    epoch = await epoch_of(service, "program")
    cookie = desk_of(ask).sessions.issue("program", epoch=epoch, now=service.clock.now())
    token = jwt.encode(claims(epoch=epoch, sid="a", aud="lamplighter session"), SECRET, algorithm="HS256")

    assert (await ask(ME, authorization=f"Bearer {cookie}")).status == 401
    assert (await ask(ME, cookie=f"lamplighter_session={token}")).status == 401
    assert (await ask(ME, cookie=f"lamplighter_session={cookie}x")).status == 401
    assert (await ask(ME, cookie=f"lamplighter_session={cookie}")).status == 200


async def test_a_wrong_bearer_is_not_saved_by_a_good_session(ask: Ask, add_user: AddUser, service: Service) -> None:
    await add_user("anna")
    epoch = await epoch_of(service, "anna")
    cookie = desk_of(ask).sessions.issue("anna", epoch=epoch, now=service.clock.now())

    assert (await ask(ME, cookie=f"lamplighter_session={cookie}", authorization="Bearer wrong")).status == 401


async def test_failed_logins_of_an_address_are_limited_whatever_the_name(
    visitor: Visitor, add_user: AddUser, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: password == PASSWORD and stored is not None)
    await add_user("anna")

    statuses = [(await visitor.log_in(f"name-{number}", "wrong")).status for number in range(102)]
    shut_out = await visitor.log_in("anna")

    assert statuses == [401] * 100 + [429] * 2
    assert shut_out.status == 429
    assert 0 < int(shut_out.headers["retry-after"]) <= 30
    assert [action for action, _ in await audited(service)].count("login.limit") == 1


async def test_ten_failures_of_one_name_leave_others_at_the_same_address_alone(
    ask: Ask, visitor: Visitor, add_user: AddUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: password == PASSWORD and stored is not None)
    await add_user("anna")
    await add_user("ben")

    statuses = [(await visitor.log_in("anna", "wrong")).status for _ in range(12)]

    assert statuses == [401] * 10 + [429] * 2
    assert (await Visitor(ask).log_in("ben")).status == 303


async def test_a_browser_in_which_somebody_logged_in_is_not_shut_out_by_others_of_its_address(
    ask: Ask, visitor: Visitor, add_user: AddUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: password == PASSWORD and stored is not None)
    await add_user("anna")
    await visitor.log_in("anna")
    stranger = Visitor(ask)

    shut_out = [(await stranger.log_in("anna", "wrong")).status for _ in range(11)]

    assert shut_out == [401] * 10 + [429]
    assert (await stranger.log_in("anna")).status == 429
    assert (await visitor.log_in("anna")).status == 303
    guesses = [(await visitor.log_in("anna", "wrong")).status for _ in range(11)]
    assert guesses == [401] * 10 + [429]


async def test_a_forwarding_header_from_an_unknown_proxy_is_warned_of_once(
    ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        await ask("/login", x_forwarded_for="192.0.2.7")

    told = capsys.readouterr()
    lines = [line for line in (told.out + told.err).splitlines() if "access.untrusted_proxy" in line]
    assert len(lines) == 1
    assert "LAMPLIGHTER_TRUSTED_PROXIES" in lines[0]


async def test_failed_logins_with_a_name_are_limited_whatever_the_address(
    ask: Ask, visitor: Visitor, add_user: AddUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: password == PASSWORD and stored is not None)
    await add_user("anna")
    await add_user("ben")

    statuses = [(await visitor.log_in("anna", "wrong", client=f"192.0.2.{number}")).status for number in range(11)]

    assert statuses == [401] * 10 + [429]
    assert (await visitor.log_in("anna", client="192.0.2.99")).status == 429
    assert (await visitor.log_in("ben", client="192.0.2.99")).status == 303


async def test_strangers_who_try_a_name_do_not_shut_its_user_out_from_where_they_usually_are(
    visitor: Visitor, add_user: AddUser, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: password == PASSWORD and stored is not None)
    await add_user("anna")
    await add_user("ben")
    await visitor.log_in("anna", client="2001:db8:0:1::7")
    await visitor.log_in("ben", client="192.0.2.3")

    tries = [(await visitor.log_in("anna", "wrong", client="192.0.2.1")).status for _ in range(10)]

    assert tries == [401] * 10
    assert (await visitor.log_in("anna", client="192.0.2.2")).status == 429
    assert (await visitor.log_in("anna", client="192.0.2.3")).status == 429
    assert (await visitor.log_in("anna", client="2001:db8:0:1::8")).status == 303
    guesses = [(await visitor.log_in("anna", "wrong", client="2001:db8:0:1::9")).status for _ in range(11)]
    assert guesses == [401] * 10 + [429]
    assert [action for action, _ in await audited(service)].count("login.limit") == 2


async def test_logins_that_succeed_are_not_counted(
    visitor: Visitor, add_user: AddUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: True)
    await add_user("anna")

    assert {(await visitor.log_in("anna")).status for _ in range(15)} == {303}


async def test_many_tries_at_once_are_counted_before_any_has_failed(
    ask: Ask, add_user: AddUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: False)
    await add_user("anna")
    visitors = [Visitor(ask) for _ in range(30)]

    replies = await asyncio.gather(*(each.log_in("anna", "wrong") for each in visitors))

    assert sorted(reply.status for reply in replies) == [401] * 10 + [429] * 20


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"sec_fetch_site": "cross-site", "origin": "http://evil.example"}, id="from another site"),
        pytest.param({"origin": "null"}, id="from a page that hides"),
    ],
)
async def test_another_site_cannot_log_somebody_in(
    visitor: Visitor, add_user: AddUser, headers: dict[str, str]
) -> None:
    await add_user("mallory")

    reply = await visitor.log_in("mallory", **headers)

    assert reply.status == 403
    assert "lamplighter_session" not in visitor.cookies


async def test_a_login_form_is_good_in_the_browser_that_got_it_only(
    ask: Ask, visitor: Visitor, add_user: AddUser
) -> None:
    await add_user("anna")
    stolen = form_token(await Visitor(ask).get("/login"))
    await visitor.get("/login")
    fields = {"csrf_token": stolen, "name": "anna", "password": PASSWORD}

    assert (await visitor.submit("/login", fields)).status == 403
    assert (await visitor.submit("/login", fields | {"csrf_token": ""})).status == 403


async def test_a_login_that_is_no_form_is_refused(ask: Ask) -> None:
    reply = await ask("/login", method="POST", body=b"\xff\x00" * 50, content_type="multipart/form-data", **OWN)

    assert reply.status in (400, 403)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("/admin/sources?page=2", "/admin/sources?page=2"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/\r\nSet-Cookie: a=b", "/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
        (None, "/"),
        ("/" + "a" * 3000, "/"),
    ],
)
def test_a_login_leads_to_a_page_of_ours(wanted: str | None, expected: str) -> None:
    assert local_path(wanted) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"&".join(b"f%d=%s" % (n, b"%41" * 300_000) for n in range(10)), id="large fields"),
        pytest.param(b"a=1&" * 1_000_000, id="many fields"),
    ],
)
async def test_j10_a_stranger_cannot_keep_the_service_busy_with_a_large_login(ask: Ask, body: bytes) -> None:
    started = time.process_time()

    reply = await ask("/login", method="POST", body=body, content_type="application/x-www-form-urlencoded", **OWN)

    assert reply.status == 400
    assert time.process_time() - started < 0.5


async def test_a_password_of_the_longest_in_any_letters_is_taken(
    visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    await add_user("anna")
    stored, now = passwords.hash_of("🕯" * passwords.MOST), service.clock.now()
    await service.db.write(lambda db: users.change(db, "anna", password_hash=stored, stamp=Stamp("test", now)))

    assert (await visitor.log_in("anna", "🕯" * passwords.MOST, wanted="/records?q=" + "a" * 1900)).status == 303


async def test_what_is_put_into_the_login_page_is_never_markup(visitor: Visitor) -> None:
    reply = await visitor.get("/login?" + urlencode({"next": '/"><script>alert(1)</script>'}))

    assert "<script" not in reply.text
