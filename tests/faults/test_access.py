"""Rows J of the fault matrix: who may ask for what, and what hostile sites, callers and slips can reach."""

import csv
import io
import json
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import jwt
import pytest
import pytest_asyncio
import sqlalchemy as sa
from typer.testing import CliRunner

from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.cli import main
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import passwords, users
from lamplighter.operations.archive import warc_export
from lamplighter.store.pages.page_versions import VersionFilter
from lamplighter.store.schema import tables
from lamplighter.telemetry import LogFormat
from tests.faults.conftest import OPEN_NETWORK, Site
from tests.faults.crawl_outcome import crawled
from tests.faults.name_server import NameServer
from tests.faults.secret_leaks import files_of, paths_to_look_at, rows_of
from tests.origin import Answer, Origin, redirect
from tests.proxies.http_proxy import HttpProxy
from tests.service.in_process import all_rows, asked, going, quick_settings
from tests.service.installation import SECRET, Installation, running, until
from tests.service.sites import links_html, posting_html
from tests.web.access.clients import OWN, PASSWORD, Visitor, claims, form_token, jwt_part
from tests.web.access.routes import guarded
from tests.web.asgi_client import Ask, Reply, ask_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

ME = "/api/v1/me"
FOREIGN = {"sec_fetch_site": "cross-site", "origin": "http://evil.example"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(
    client_of_tests: None, migrated_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """A service that makes its rounds, where everybody proves who they are."""
    folder = tmp_path_factory.mktemp("access")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    chosen = quick_settings(
        folder,
        allow_hosts=OPEN_NETWORK,
        auth_jwt_secret=SECRET,
        admin_calls_per_hour=200,
        contact_url="https://lamplighter.example/bot",
    )
    async with going(chosen) as opened:
        yield opened


@pytest.fixture(autouse=True)
def plain_logs() -> None:
    """One short line for each of the thousands who are refused here."""
    telemetry.configure("warning", LogFormat.JSON)


@pytest.fixture(scope="module")
def ask(service: Service) -> Ask:
    """Asks it, as a stranger."""
    return ask_of(service)


def signed(*, key: str = SECRET, **changes: Any) -> str:
    """A JWT under our secret, of a caller that nobody else counts as."""
    return jwt.encode(claims(**({"sub": uuid4().hex} | changes)), key, algorithm="HS256")


def program(ask: Ask, role: str, **changes: Any) -> Ask:
    """A program with such a JWT."""
    return ask.with_headers(authorization=f"Bearer {signed(role=role, **changes)}")


async def visitor(service: Service, ask: Ask, name: str, role: Role) -> Visitor:
    """A person who has logged in."""
    now, hashed = service.clock.now(), passwords.hash_of(PASSWORD)
    await service.db.write(lambda db: users.add(db, name, role=role, password_hash=hashed, stamp=Stamp("test", now)))
    person = Visitor(ask)
    assert (await person.log_in(name)).status == 303
    return person


async def test_j1_every_route_is_closed_to_strangers_to_old_tokens_and_to_low_roles(ask: Ask) -> None:
    old = program(ask, "admin", exp=int(time.time()) - 3600)
    lower = {Role.OPERATOR: program(ask, "viewer"), Role.ADMIN: program(ask, "operator")}

    let_in = []
    for method, path, role in guarded():
        replies = {401: [await ask(path, method=method), await old(path, method=method)]}
        if role in lower:
            replies[403] = [await lower[role](path, method=method)]
        let_in += [
            (method, path, reply.status) for right in replies for reply in replies[right] if reply.status != right
        ]

    assert let_in == []
    assert (await ask("/no/such/path")).status == 401


def _forged() -> dict[str, str]:
    """Tokens of admins that are none."""
    head, body, signature = signed(role="admin").split(".")
    of_another = signed(role="viewer").rpartition(".")[2]
    with_other_heads = {
        f"signed by {alg}": f"{jwt_part({'alg': alg, 'typ': 'JWT'})}.{body}.{rest}"
        for alg in ("none", "None", "nOnE", "RS256", "ES256", "HS512", "")
        for rest in ("", signature)
    }
    return with_other_heads | {
        "without a signature": f"{head}.{body}.",
        "with the signature of another": f"{head}.{body}.{of_another}",
        "under another secret": signed(role="admin", key=SECRET[::-1]),
        "without an end": signed(role="admin", exp=None),
        "over": signed(role="admin", exp=int(time.time()) - 60),
        "meant for another service": signed(role="admin", aud="another"),
        "of a role that there is not": signed(role="root"),
        "with a key of its own": jwt.encode(
            claims(role="admin"), SECRET[::-1], algorithm="HS256", headers={"jwk": {"kty": "oct", "k": SECRET[::-1]}}
        ),
        "with a key from a file": jwt.encode(
            claims(role="admin"), SECRET[::-1], algorithm="HS256", headers={"kid": "../../dev/null"}
        ),
    }


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_j2_no_forged_token_is_believed_and_no_weak_secret_starts(ask: Ask, tmp_path: Path) -> None:
    replies = {how: await ask(ME, authorization=f"Bearer {token}") for how, token in _forged().items()}
    weak = ("", "changeme", "secret" * 8, "a" * 40, "0123456789" * 4)
    starts = {
        secret: CliRunner().invoke(
            main.app,
            ["serve"],
            env={
                "LAMPLIGHTER_DATA_DIR": str(tmp_path),
                "LAMPLIGHTER_ENV": "prod",
                "LAMPLIGHTER_AUTH_JWT_SECRET": secret,
            },
        )
        for secret in weak
    }

    assert {how: reply.status for how, reply in replies.items() if reply.status != 401} == {}
    assert (await ask(ME, authorization=f"Bearer {signed(role='admin')}")).status == 200
    assert {secret: done.exit_code for secret, done in starts.items()} == dict.fromkeys(weak, 2)
    assert all("LAMPLIGHTER_AUTH_JWT_SECRET" in done.stderr for done in starts.values())


async def test_j3_what_belongs_to_others_can_neither_be_changed_nor_taken(service: Service, ask: Ask) -> None:
    admin = program(ask, "admin")
    token = (await admin.post("/api/v1/tokens", {"name": "nightly", "role": "operator"})).json
    await admin.put("/api/v1/secrets/site", {"value": "not yours", "hosts": ["a.example"]})
    mallory = await visitor(service, ask, "mallory", Role.OPERATOR)
    victim = await visitor(service, ask, "victim", Role.ADMIN)
    own = form_token(await mallory.get("/"))
    new = "other plain words, and long enough"

    tried = [
        *[
            await mallory.submit(f"/settings/users/{name}/{verb}", {"csrf_token": own, **fields})
            for name in ("victim", "mallory")
            for verb, fields in (
                ("password", {"password": new, "again": new}),
                ("role", {"role": "admin"}),
                ("disable", {}),
                ("remove", {}),
            )
        ],
        *[
            await program(ask, "operator")(path, method=method, json=body)
            for method, path, body in (
                ("PATCH", "/api/v1/users/victim", {"password": new}),
                ("DELETE", "/api/v1/users/victim", None),
                ("POST", "/api/v1/users", {"name": "m2", "role": "admin", "password": new}),
                ("GET", "/api/v1/tokens", None),
                ("DELETE", f"/api/v1/tokens/{token['id']}", None),
                ("GET", "/api/v1/secrets", None),
                ("DELETE", "/api/v1/secrets/site", None),
                ("POST", "/api/v1/tokens", {"name": "mine", "role": "admin"}),
                ("GET", "/api/v1/backups", None),
            )
        ],
    ]
    still = [(await Visitor(ask).log_in(name)).status for name in ("victim", "mallory")]

    assert {reply.status for reply in tried} == {403}
    assert still == [303, 303]
    assert (await victim.get(ME)).json["role"] == "admin"
    assert (await mallory.get(ME)).json["role"] == "operator"
    assert (await ask(ME, authorization=f"Bearer {token['token']}")).status == 200


#: what people have made; what the rounds themselves note is another matter
MADE = (
    *(tables.sources, tables.users, tables.api_tokens, tables.takedowns, tables.tags, tables.proxies),
    *(tables.notification_channels, tables.notification_rules, tables.secrets, tables.audit_log),
)


async def _made(service: Service) -> list[list[tuple[Any, ...]]]:
    return [[tuple(row) for row in await all_rows(service, table)] for table in MADE]


async def test_j4_nothing_is_changed_by_looking_nor_from_another_site(service: Service, ask: Ask) -> None:
    anna = await visitor(service, ask, "anna", Role.ADMIN)
    own = form_token(await anna.get("/"))
    before = await _made(service)

    accepted = []
    for method, path, _ in guarded():
        if method == "GET":
            continue
        given = {"method": method, "content_type": "application/x-www-form-urlencoded", **anna.cookie_header()}
        replies = [
            await ask(path, **given, **OWN, body=b"a=1"),  # type: ignore[arg-type]
            await ask(path, **given, **FOREIGN, body=f"csrf_token={own}".encode()),  # type: ignore[arg-type]
        ]
        accepted += [(method, path, reply.status) for reply in replies if reply.status != 403]
    looked = [
        await anna.get(path, **FOREIGN)
        for path in paths_to_look_at({})
        if path not in ("/settings/storage/backups/1", "/api/v1/backups/1")
    ]

    assert accepted == []
    assert await _made(service) == before
    assert [reply.headers for reply in looked if "access-control-allow-origin" in reply.headers] == []
    assert {reply.status for reply in looked} <= {200, 303, 401, 403, 404, 422}


SCRIPT = "<script>alert(1)</script>"
BREAKOUT = "\"'><img src=x onerror=alert(1)>"


async def test_j5_what_a_site_says_of_itself_is_text_wherever_it_is_shown(
    service: Service, ask: Ask, site: Site
) -> None:
    origin = await site()
    evil = f"{SCRIPT}{BREAKOUT}"
    origin.route("/robots.txt", body=f"User-agent: *\nDisallow: /{SCRIPT}\n# {evil}")
    origin.page(
        "/", links_html("/job/1", "/broken", "javascript:alert(1)", head=f"<title>{evil}</title>"), etag='"<b>"'
    )
    posting = posting_html(1, title="A title").replace("Lantern Works", "An employer")
    in_data = json.dumps(evil)[1:-1].replace("</", "<\\/")  # as it is written inside a script
    posting = posting.replace("A title", in_data).replace("An employer", in_data)
    origin.page("/job/1", posting, headers={"ETag": '"<b>"', "X-Robots-Tag": "max-snippet:-1"})
    origin.route("/broken", Answer(status=500, headers={"X-Error": evil}, body=evil.encode()))
    origin.route("/feed", headers={"Content-Type": "application/rss+xml"}, body=_feed(evil))
    name = f"Board {evil}"

    seen = [await crawled(service, origin.url + path, name=name, max_depth=1) for path in ("/", "/feed")]
    admin = program(ask, "admin").with_headers(accept="text/html,application/json;q=0.9")
    known = await _known(service, admin, origin)
    replies = {path: await admin(path) for path in paths_to_look_at(known)}

    assert sum(len(each.records) for each in seen) >= 2
    pages = {path: reply for path, reply in replies.items() if "html" in reply.headers.get("content-type", "")}
    assert len(pages) > 40
    assert {path for path, reply in replies.items() if reply.status >= 500} == set()
    assert {path for path, reply in pages.items() if SCRIPT in reply.text or "<img src=x" in reply.text} == set()
    assert {path for path, reply in pages.items() if 'href="javascript:' in reply.text.lower()} == set()
    assert {path for path, reply in pages.items() if not _is_strict(reply)} == set()
    assert {reply.headers["x-content-type-options"] for reply in replies.values()} == {"nosniff"}
    assert any("&lt;script&gt;alert(1)" in reply.text for reply in pages.values())


def _feed(evil: str) -> str:
    text = evil.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return (
        f"<rss version='2.0'><channel><title>{text}</title>"
        f"<item><title>{text}</title><link>javascript:alert(1)</link><guid>1</guid>"
        f"<description>{text}</description><author>{text}</author></item></channel></rss>"
    )


def _is_strict(reply: Reply) -> bool:
    policy = reply.headers["content-security-policy"]
    # A page of a site is shown in a frame of its own origin, with the site's styles and no script of the site.
    policy = policy.replace("style-src 'unsafe-inline'", "") if policy.startswith("sandbox allow-scripts;") else policy
    return "unsafe" not in policy and ("script-src 'self'" in policy or "default-src 'none'" in policy)


async def _known(service: Service, ask: Ask, origin: Origin) -> dict[str, Any]:
    """The ids of what a crawl brought."""
    source = next(row for row in await all_rows(service, tables.sources) if origin.address in row.url)
    page = next(row for row in await all_rows(service, tables.pages) if row.url.endswith("/job/1"))
    job = (await ask(f"/api/v1/jobs/by-source/{source.public_id}")).json["job"]
    records = (await ask.get("/api/v1/records")).json["records"]
    runs = (await ask(f"/api/v1/sources/{source.public_id}/executions")).json["executions"]
    known = {"source_id": source.public_id, "host": origin.address, "page_id": page.id, "number": 1}
    known |= {"record_id": records[0]["id"], "job_id": job["id"], "run_id": runs[0]["id"]}
    return known | {"execution_id": runs[0]["id"]}


async def test_j6_no_address_of_the_inner_network_is_ever_asked_wherever_it_stands(
    service: Service, ask: Ask, site: Site, names: NameServer
) -> None:
    opened, inside = await site(), await site("127.0.0.1")
    inside.otherwise(Answer(body=b"the inner secret"))
    for name in ("metadata.example", "localhost", "rebinding.example"):
        names.say(name, inside.host)
    port, operator, admin = inside.port, program(ask, "operator"), program(ask, "admin")
    targets = [
        f"http://{host}:{port}/secret" for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "metadata.example")
    ]
    opened.robots(f"User-agent: *\nAllow: /\nSitemap: {targets[0]}")
    opened.page("/links", links_html(*targets))
    opened.route("/redirect", redirect(targets[0]))
    opened.route("/sitemap.xml", headers={"Content-Type": "application/xml"}, body=_sitemap(targets))

    replies = []
    for number, target in enumerate(
        [*targets, *(opened.url + path for path in ("/links", "/redirect", "/sitemap.xml"))]
    ):
        made = await operator.post("/api/v1/sources", {"name": f"inner {number}", "url": target})
        assert made.status == 201, made.text
        base = f"/api/v1/sources/{made.json['id']}"
        replies += [await operator.post(f"{base}/{verb}", {}) for verb in ("test", "simulate-extract")]
        await until(lambda base=base: _has_run(operator, base))  # type: ignore[misc]
    for target in targets:
        channel = {"name": target, "kind": "webhook", "target": target}
        replies.append(await admin.post("/api/v1/notifications/channels", channel))
        replies.append(await operator.post("/api/v1/frontier/submit", {"url": target}))
    proxy = await operator.post("/api/admin/proxies", {"proxy_url": f"http://127.0.0.1:{port}"})
    replies.append(await operator.post(f"/api/admin/proxies/{proxy.json['data']['id']}/test", {}))
    names.say("rebinding.example", opened.host)
    rebound = await crawled(service, f"http://rebinding.example:{opened.port}/links", max_depth=0)
    names.say("rebinding.example", inside.host)
    moved = await crawled(service, f"http://rebinding.example:{port}/secret", max_depth=0)

    assert inside.log == []
    assert rebound.run.outcome != moved.run.outcome
    assert "not a public address" in moved.message
    assert all("the inner secret" not in reply.text for reply in replies)
    assert {reply.status for reply in replies if reply.status >= 500} == set()
    assert asked(opened) != []


def _sitemap(urls: list[str]) -> str:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


async def _has_run(ask: Ask, source: str) -> bool:
    runs = (await ask(f"{source}/executions")).json["executions"]
    return any(run["completed_at"] for run in runs)


#: recipes that would read a file, the environment or the machine's patience
DANGEROUS: tuple[dict[str, Any], ...] = (
    {"items": "li", "fields": {"title": {"xpath": "unparsed-text('file:///etc/passwd')"}}},
    {"items": "//li[doc('file:///etc/passwd')]", "fields": {"title": "a"}},
    {"items": "li", "fields": {"title": {"selector": "a", "pattern": "(a+)+$"}}},
    {"items": "li", "fields": {"title": {"selector": "a", "pattern": r"(a*)\1"}}},
    {"items": "$..*[?(@.length>0)]" * 50, "fields": {"title": "a"}},
    {"items": "li", "fields": {"title": {"selector": "a", "transform": ["exec:id"]}}},
    {"items": "li" * 5000, "fields": {"title": "a"}},
)


async def test_j7_no_recipe_reads_a_file_the_environment_or_holds_the_machine_up(
    service: Service, ask: Ask, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME_OF_SECRETS", "canary-of-the-environment")
    origin, operator = await site(), program(ask, "operator")
    origin.page("/jobs", "<ul>" + "".join(f"<li><a href='/j/{n}'>{'a' * 300}!</a></li>" for n in range(50)) + "</ul>")
    origin.route("/api", headers={"Content-Type": "application/json"}, body='{"jobs": [{"name": "Lamplighter"}]}')
    templates = ("{{7*7}}", "{{ ''.__class__.__mro__ }}", "${HOME_OF_SECRETS}", "{env:HOME_OF_SECRETS}")

    began, said, shown = time.process_time(), [], []
    for number, recipe in enumerate(DANGEROUS):
        said.append(
            await operator.post(
                "/api/v1/sources", {"name": f"r{number}", "url": f"{origin.url}/jobs?{number}", "recipe": recipe}
            )
        )
    for number, text in enumerate(templates):  # texts are texts
        given = {"name": text, "url": f"{origin.url}/jobs?t={number}", "enabled": False}
        said.append(await operator.post("/api/v1/sources", given))
        assert said[-1].json["name"] == text
        shown.append(
            await operator.post("/api/v1/notifications/preview", {"kind": "records.new", "body_template": text})
        )

    headers = {"items": "jobs", "fields": {"title": "name"}, "api": {"headers": {"X-Told": templates[-1]}}}
    await crawled(service, origin.url + "/api", recipe=headers, max_depth=0)

    assert {number: reply.status for number, reply in enumerate(said[: len(DANGEROUS)]) if reply.status != 422} == {}
    assert {hit.headers["x-told"] for hit in origin.hits("/api")} == {templates[-1]}
    assert {reply.status for reply in said} <= {200, 201, 422}
    assert [reply.json.get("text") for reply in shown] == [None, None, *templates[2:]]
    assert [reply.json.get("code") for reply in shown] == ["invalid_template"] * 2 + [None] * 2
    assert not any("canary-of" in reply.text or "root:" in reply.text for reply in (*said, *shown))
    assert time.process_time() - began < 5


CLIMBING = (
    "../keys",
    "..\\keys",
    "%2e%2e%2fkeys",
    "..%2fkeys",
    "....//keys",
    "/etc/passwd",
    "keys\x00.db",
    "~/keys",
    "..",
)


async def test_j8_no_name_climbs_out_of_its_folder(service: Service, ask: Ask) -> None:
    folder = service.settings.data_dir
    (folder / "backups").mkdir(exist_ok=True)
    (folder / "backups" / "lamplighter-20260302T080000Z.db").symlink_to(folder / "keys")
    (folder / "keys").write_text("hush, a key")
    admin = program(ask, "admin")
    paths = [
        path.replace("1", name, 1) if path.count("1") == 1 else path.rpartition("/")[0] + "/" + name
        for path in (
            "/settings/storage/backups/1",
            "/api/v1/backups/1",
            "/static/digest/1",
            "/api/v1/tags/1",
            "/hosts/1",
        )
        for name in (*CLIMBING, "lamplighter-20260302T080000Z.db")
    ]

    replies = {path: await admin(path) for path in paths}
    removed = [await admin(f"/api/v1/backups/{name}", method="DELETE") for name in CLIMBING]
    sources = len(await all_rows(service, tables.sources))
    packed = b"PK\x03\x04" + b"../../evil.json" * 10
    imported = await admin("/api/v1/sources/import", method="POST", body=packed, content_type="application/zip")

    assert {path for path, reply in replies.items() if "hush" in reply.text or "root:" in reply.text} == set()
    assert {path for path, reply in replies.items() if reply.status >= 500} == set()
    assert {reply.status for reply in removed} <= {400, 404, 405, 422}
    assert len(await all_rows(service, tables.sources)) == sources, imported.text
    assert (folder / "keys").read_text() == "hush, a key"
    assert not list(folder.parent.glob("evil.json"))


CANARY = "canary7lantern"
#: nobody listens there
NOWHERE = "127.0.0.1:1"
JOBS = '{"jobs": [{"name": "Lamplighter", "link": "/jobs/1"}]}'
RECIPE = {
    "items": "jobs",
    "fields": {"title": "name", "url": "link"},
    "api": {"headers": {"Authorization": "Bearer {secret:site}"}},
}


def _everywhere() -> dict[str, Any]:
    """Settings with a secret wherever one can stand."""
    return {
        "events_url": f"redis://:{CANARY}-redis@{NOWHERE}/0",
        "queue_url": f"amqp://guest:{CANARY}-amqp@{NOWHERE}/",
        "index_url": f"meilisearch+http://{NOWHERE}",
        "index_key": f"{CANARY}-index",
        "smtp_url": f"smtp://post:{CANARY}-smtp@{NOWHERE}?from=lamp@example.org",
        "proxy_urls": f"socks5://pool:{CANARY}-pool@{NOWHERE}",
        "archive_format": "warc",
        "reconcile_minutes": 0.01,  # the stream being away, jobs are made by who compares
        "log_level": "debug",
        "run_log_level": "debug",
        "page_retries": 0,
        "request_retries": 0,
    }


async def _plant(ask: Installation, origin: Origin, endpoint: HttpProxy) -> tuple[str, dict[str, Any]]:
    """Puts a secret into everything that takes one; the ids of what came of it, and what may show a secret once."""

    async def done(method: str, path: str, body: Any) -> Any:
        reply = await ask.ask(method, path, body, role="admin")
        assert reply.status < 300, (path, reply.status, reply.body)
        return reply.json

    token = await done("POST", "/api/v1/tokens", {"name": "ci", "role": "viewer"})
    await done("PUT", "/api/v1/secrets/site", {"value": f"{CANARY}-header", "hosts": [origin.address]})
    domain = await done("POST", "/api/admin/domains", {"domain_name": origin.address})
    proxies = [
        await done("POST", "/api/admin/proxies", {"proxy_url": url})
        for url in (
            f"http://user:{CANARY}-proxy@127.0.0.1:{endpoint.port}",
            f"socks5://user:{CANARY}-dead@{NOWHERE}",
        )
    ]
    domain_id, proxy_ids = domain["data"]["id"], [each["data"]["id"] for each in proxies]
    await done("POST", f"/api/admin/domains/{domain_id}/proxies", {"proxy_ids": proxy_ids})
    hook = f"{origin.url}/hook/{CANARY}-target?key={CANARY}-query"
    channel = {"name": "ops", "kind": "webhook", "target": hook, "secret": f"{CANARY}-hmac"}
    channel_id = (await done("POST", "/api/v1/notifications/channels", channel))["id"]
    at_once = {"channel_id": channel_id, "kind": "records.new", "digest_minutes": 0, "with_baseline": True}
    rule = await done("POST", "/api/v1/notifications/rules", at_once)
    source = {"name": "Board", "url": f"{origin.url}/jobs", "kind": "job", "recipe": RECIPE}
    source_id = (await done("POST", "/api/v1/sources", source))["id"]
    known = {
        "source_id": source_id,
        "host": origin.address,
        "domain_id": domain_id,
        "proxy_id": proxy_ids[0],
        "channel_id": channel_id,
        "rule_id": rule["id"],
    }
    return token["token"], known


async def _ids(ask: Installation) -> dict[str, Any]:
    """The ids of what the crawl brought."""
    job = (await ask.get("/api/v1/jobs"))["jobs"][0]["id"]
    run = (await ask.get(f"/api/v1/jobs/{job}/executions"))["executions"][0]["id"]
    record = (await ask.get("/api/v1/records"))["records"][0]["id"]
    told = (await ask.get("/api/v1/notifications/log"))["notifications"][0]["id"]
    return {"job_id": job, "run_id": run, "execution_id": run, "record_id": record, "notification_id": told}


async def _warc(service: Service) -> bytes:
    pieces = warc_export.export(service.db, service.storing.archive, VersionFilter(), name="all.warc")
    return b"".join([piece.content async for piece in pieces])


async def _misuse(ask: Installation) -> bytes:
    """What is answered to secrets in the wrong place."""
    replies = [
        await ask.ask("POST", path, body, role="admin")
        for path, body in (
            ("/api/admin/proxies", {"proxy_url": f"gopher://user:{CANARY}-scheme@127.0.0.1:99"}),
            ("/api/admin/proxies", {"proxy_url": f"http://user:{CANARY}-port@127.0.0.1:999999"}),
            ("/api/v1/notifications/channels", {"name": "x", "kind": "webhook", "target": f"ftp://{CANARY}-ftp@x/"}),
            ("/api/v1/notifications/channels", {"name": "y", "kind": "slack", "target": "", "secret": f"{CANARY}-y"}),
            ("/api/v1/users", {"name": "a", "role": "none", "password": f"{CANARY}-password"}),
        )
    ]
    assert [reply.status for reply in replies if not 400 <= reply.status < 500] == []
    return b"\n".join(reply.body for reply in replies)


async def test_j9_a_secret_appears_nowhere(
    site: Site, tmp_path: Path, postgres_db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = await site()
    origin.route("/jobs", headers={"Content-Type": "application/json"}, body=JOBS)
    origin.otherwise(Answer())  # the hook
    telemetry.configure("debug")
    seen: dict[str, bytes] = {}
    endpoint = HttpProxy(username="user", password=f"{CANARY}-proxy")
    dsn = sa.make_url(postgres_db).set(password=f"{CANARY}-dsn").render_as_string(hide_password=False)
    async with endpoint, running(tmp_path, dsn, **_everywhere()) as installation:
        token, known = await _plant(installation, origin, endpoint)

        async def is_read() -> bool:
            is_told = any(hit.path.startswith("/hook/") for hit in origin.log)
            return is_told and bool((await installation.get("/api/v1/records"))["total"])

        await until(is_read)
        known |= await _ids(installation)
        for path in paths_to_look_at(known):
            reply = await installation.ask("GET", path, role="admin")
            assert reply.status < 500, (path, reply.body)
            seen[path] = reply.body
        seen["misuse"] = await _misuse(installation)
        seen["database"] = await rows_of(installation.service)
        seen["warc"] = await _warc(installation.service)
    seen["files"] = files_of(tmp_path)
    seen["log"] = capsys.readouterr().err.encode()

    sent = {hit.headers.get("authorization") for hit in origin.hits("/jobs")}
    assert sent == {f"Bearer {CANARY}-header"}, "the secrets are really in use"
    assert {name for name, text in seen.items() if CANARY.encode() in text or token.encode() in text} == set()
    assert {name for name, text in seen.items() if SECRET.encode() in text} == set()


SQL = ("'; DROP TABLE sources; --", "' OR '1'='1", '" OR 1=1', "1) UNION SELECT password_hash FROM users--")
FORMULAS = ("=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(A1)")
#: lists, the names by which they are filtered, and what is answered to something that no filter takes
LISTS = {
    "/api/v1/sources": ("search", "tag"),
    "/api/v1/records": ("q",),
    "/api/v1/jobs": ("search",),
    "/api/v1/audit": ("subject",),
    "/api/v1/frontier": ("host",),
}


async def test_j10_guessing_flooding_and_injecting_get_nobody_anywhere(
    service: Service, ask: Ask, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    telemetry.configure("debug")
    monkeypatch.setattr(passwords, "is_right", lambda password, stored: False)  # what takes long is of no interest here
    operator, stranger = program(ask, "operator"), Visitor(ask)

    guesses = [(await stranger.log_in("anna", f"guess {number}", client="192.0.2.7")).status for number in range(14)]
    flooding = program(ask, "operator", sub="flood")
    flood = [(await flooding("/api/admin/stats")).status for _ in range(202)]
    made_by_flood = await flooding.post("/api/admin/domains", {"domain_name": "flood.example"})
    vast = {path: (await operator.get(path, limit=10**9)).status for path in LISTS}
    huge = await operator("/api/v1/sources", method="POST", content_length=str(10**10), content_type="application/json")
    sources = await all_rows(service, tables.sources)
    injected = [
        await operator.get(path, **{name: value}) for path, names_ in LISTS.items() for name in names_ for value in SQL
    ]
    sorted_by = {(await operator.get("/api/v1/sources", sort=value)).status for value in (*SQL, "password_hash")}
    lines = [
        await operator.post("/api/v1/sources", {"name": f"a{end}level=error forged=1", "url": "https://a.example/"})
        for end in ("\n", "\r\n", "\x00", "\u2028")
    ]
    for number, name in enumerate(FORMULAS):
        made = await operator.post(
            "/api/v1/sources", {"name": name, "url": f"https://b.example/{number}", "enabled": False}
        )
        assert made.status == 201, made.text
    table = (await operator.get("/api/v1/sources/export", format="csv")).text
    cells = [cell for row in csv.reader(io.StringIO(table, newline="")) for cell in row]

    assert (set(guesses[:5]), guesses[-1]) == ({401}, 429)
    assert (flood[0], flood[-1], made_by_flood.status) == (200, 429, 429)
    assert "flood.example" not in {host.key for host in await all_rows(service, tables.hosts)}
    assert set(vast.values()) == {422}
    assert huge.status == 413
    assert {reply.status for reply in injected} <= {200, 422}
    assert "password_hash" not in "".join(reply.text for reply in injected if reply.status == 200)
    assert (await all_rows(service, tables.sources))[: len(sources)] == sources
    assert sorted_by == {422}
    assert {reply.status for reply in lines} == {422}
    assert "\nlevel=error forged=1" not in "".join(capsys.readouterr())
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
