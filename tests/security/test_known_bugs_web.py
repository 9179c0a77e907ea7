"""Bugs of other crawlers in what clients request from them; `tests/security/known_bugs.py` says what each was."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lamplighter import __version__
from lamplighter.app import Service
from lamplighter.errors import BadInput, BadRecipe
from lamplighter.extract.recipes.by_recipe import apply_json
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.access import Role, Stamp
from lamplighter.model.record import RecordKind
from lamplighter.operations.access import secrets
from lamplighter.operations.backup import backups
from lamplighter.web.dashboard import page_request
from lamplighter.web.static_files import static_files
from tests.security.url_fields import PLACES
from tests.web.access.clients import Visitor
from tests.web.access.conftest import AddUser
from tests.web.access.routes import routes
from tests.web.asgi_client import Ask

Bearer = Callable[..., Ask]
#: every page that the menu leads to
PAGES = [each.path for place in page_request.PLACES for each in (place, *place.below)]
SCRIPT = "<script>alert(1)</script>"
ATTRIBUTE = '" onmouseover="alert(1)'


async def _refused_everywhere(ask: Ask, *urls: str) -> None:
    source_id = (await ask.post("/api/v1/sources", {"name": "a", "url": "https://a.example/"})).json["id"]
    for number, place in enumerate(PLACES):
        path = place.path.format(source=source_id)
        assert (await ask.post(path, place.body(f"http://{number}.example"))).status == 201, path
        for url in urls:
            reply = await ask.post(path, place.body(url))

            assert reply.status in (400, 422), (path, url, reply.text)
    rows = [{"name": "b", "url": url} for url in urls]
    imported = await ask.post("/api/v1/sources/import", {"sources": rows})
    assert (imported.json["invalid"], imported.json["created"]) == (len(urls), 0)


async def test_cve_2024_51483_a_prefix_does_not_hide_a_file(bearer: Bearer) -> None:
    await _refused_everywhere(bearer("admin"), "source:file:///etc/passwd", "view-source:file:///etc/passwd")


async def test_cve_2024_51998_a_file_with_fewer_slashes_is_no_url(bearer: Bearer) -> None:
    await _refused_everywhere(bearer("admin"), "file:/etc/passwd", "file:../../etc/passwd", "file:etc/passwd")


async def test_cve_2024_56509_a_file_in_any_spelling_is_no_url(bearer: Bearer) -> None:
    spellings = ("FILE:///etc/passwd", "  file:///etc/passwd", "fi\tle:///etc/passwd", "file://localhost/etc/passwd")

    await _refused_everywhere(bearer("admin"), *spellings, "url:file:///etc/passwd", "file:%2F%2F/etc/passwd")


async def test_cve_2025_62780_what_the_api_stores_is_shown_as_text(bearer: Bearer) -> None:
    admin = bearer("admin")
    hostile = {"name": SCRIPT, "tags": ["<b>tag"], "url": f"https://a.example/{SCRIPT}?{ATTRIBUTE}"}
    made = (await admin.post("/api/v1/sources", hostile)).json
    script = await admin.post("/api/v1/sources", {"name": "a", "url": "javascript:alert(1)"})
    await admin.post("/api/v1/takedowns", {"domain_or_url": "b.example", "reason": SCRIPT})
    await admin.post("/api/v1/tokens", {"name": SCRIPT, "role": "viewer"})

    shown = [await admin.get(path) for path in (*PAGES, f"/sources/{made['id']}", f"/sources/{made['id']}/edit")]

    assert script.status == 422
    assert {reply.status for reply in shown} == {200}
    assert any("&lt;script&gt;" in reply.text for reply in shown)
    assert [reply.text for reply in shown if _runs(reply.text)] == []


def _runs(html: str) -> bool:
    """Whether something in a page would run that we did not put there."""
    foreign = re.findall(r"<script(?![^>]* src=\"/static/)", html)
    return bool(foreign) or "<b>tag" in html or re.search(r'" onmouseover="|href="\s*javascript:', html) is not None


TRAVERSALS = [
    "../server.py",
    "..%2fserver.py",
    "%2e%2e/server.py",
    "..\\server.py",
    "....//server.py",
    "/etc/passwd",
    "css/../../server.py",
    "lamplighter.css/../../server.py",
    "\0lamplighter.css",
    "vendor/",
    ".",
]


async def test_cve_2026_25527_a_static_path_does_not_leave_its_folder(ask: Ask) -> None:
    digest = static_files().digest

    replies = [await ask(f"/static/{digest}/{name}") for name in TRAVERSALS]
    replies += [await ask("/static/../server.py"), await ask("/static/%2e%2e/server.py")]

    assert {reply.status for reply in replies} <= {401, 404}
    assert [reply.text for reply in replies if "import" in reply.text or "root:" in reply.text] == []


async def test_cve_2026_27645_an_id_is_not_repeated_as_markup(bearer: Bearer) -> None:
    viewer = bearer("viewer")

    for path in ("sources", "records", "jobs", "frontier", "executions", "discovered-links"):
        reply = await viewer(f"/api/v1/{path}/{SCRIPT}", accept="text/html")

        assert reply.status in (400, 404, 422), path
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.headers["x-content-type-options"] == "nosniff"
    page = await viewer(f"/sources/{SCRIPT}", accept="text/html")
    assert not _runs(page.text)


async def test_cve_2026_29038_a_filter_is_not_repeated_as_markup(bearer: Bearer) -> None:
    viewer = bearer("viewer")

    feed = await viewer.get("/api/v1/records/feed.rss", tag=f"]]>{SCRIPT}", q=ATTRIBUTE)
    page = await viewer.get("/records", tag=f"]]>{SCRIPT}", q=ATTRIBUTE)

    assert feed.headers["content-type"] == "application/rss+xml; charset=utf-8"
    assert "<script" not in feed.text
    assert not _runs(page.text)


XPATH = ["unparsed-text('file:///etc/passwd')", "doc('file:///etc/passwd')//text()", "//a/@href", "php:function('x')"]


@pytest.mark.parametrize("selector", XPATH)
async def test_cve_2026_29039_no_selector_reads_a_file(bearer: Bearer, selector: str) -> None:
    recipe = {"items": "ul li", "fields": {"title": selector}}

    reply = await bearer("operator").post(
        "/api/v1/sources", {"name": "a", "url": "https://a.example/", "recipe": recipe}
    )

    assert (reply.status, reply.json["code"]) == (422, "invalid_recipe")


@pytest.mark.parametrize("path", ["env", "$ENV", "env.PATH", "$ENV.PATH", "__class__", "title.__class__.__init__", "*"])
def test_cve_2026_33981_no_path_reads_the_environment(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "s3cr3t-w0rd")
    recipe = parse_recipe({"items": "data", "fields": {"title": path, "organisation": "org"}})

    found = apply_json({"data": [{"org": "a"}]}, recipe, kind=RecordKind.JOB, base="https://a.example/")

    assert [set(record.fields) for record in found.records] == [{"organisation"}]


@pytest.mark.parametrize("program", ["env|.PATH", ".[]|@base64", 'input("a")', "$ENV.PATH|halt"])
def test_a_program_is_no_path(program: str) -> None:
    with pytest.raises(BadRecipe):
        parse_recipe({"items": "data", "api": {"paging": {"kind": "cursor", "param": "p", "cursor_path": program}}})


def _files(folder: Path) -> set[Path]:
    """All that lies there, but for what the database keeps beside itself."""
    return {path for path in folder.rglob("*") if not path.name.startswith("lamplighter.db")}


async def test_cve_2026_29065_a_backup_writes_and_tells_nothing_but_itself(
    bearer: Bearer, service: Service, tmp_path: Path
) -> None:
    sealed = secrets.seal(service.vault, "s3cr3t-w0rd")
    await service.db.write(
        lambda db: secrets.put(db, "key", sealed, hosts=["api.example.org"], stamp=Stamp("test", service.clock.now()))
    )
    made = await backups.make(service.db, service.storing.backup_maker.backup_folder, now=service.clock.now())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../escaped.db", b"SQLite format 3\0")
    (made.path.parent / "lamplighter-20260301T080000Z.db").write_bytes(packed.getvalue())
    before = _files(tmp_path)

    names = ["../lamplighter.db", "..%2flamplighter.db", "../keys", made.name + ".json", "/etc/passwd", "x\0.db"]
    replies = [
        await bearer("admin")(f"/api/v1/backups/{name}", method=method)
        for name in names
        for method in ("GET", "DELETE")
    ]

    assert b"s3cr3t-w0rd" not in made.path.read_bytes()
    assert {reply.status for reply in replies} <= {404, 405, 422}
    assert _files(tmp_path) == before
    with pytest.raises(BadInput, match="no backup"):
        await backups.check(service.db, made.path.parent / "lamplighter-20260301T080000Z.db")
    assert not list(tmp_path.parent.glob("escaped*"))


OPEN = ["/health", "/api/health", "/login", "/bot", "/docs", "/openapi.json", "/static"]


async def test_ghsa_vwgh_the_name_of_an_open_route_opens_no_other(ask: Ask) -> None:
    closed = [
        *(path + more for path in OPEN for more in ("/extract", "x", ";a", "%2fextract", "/../sources", "//sources")),
        *(f"/sources{path}" for path in OPEN),
        *(f"/api/v1/sources{path}" for path in OPEN),
        *(f"/api/v1/sources?path={path}" for path in OPEN),
        *(f"http://127.0.0.1/{path}" for path in OPEN),  # two slashes
    ]

    let_in = [path for path in closed if (await ask(path)).status not in (401, 404)]

    assert let_in == []


async def test_ghsa_3v57_no_form_is_taken_from_another_site(visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna", Role.ADMIN)
    await visitor.log_in("anna")
    changing = [re.sub(r"\{[^}]*\}", "1", route.path) for route in routes() if "POST" in route.methods]
    changing.remove("/login")

    taken = []
    for path in changing:
        ours = await visitor.submit(path, {"a": "b"})
        theirs = await visitor.submit(path, {"a": "b"}, sec_fetch_site="cross-site", origin="https://evil.example")
        taken += [(path, reply.status) for reply in (ours, theirs) if reply.status != 403]

    assert len(changing) > 150
    assert taken == []


async def test_ghsa_4j9m_no_value_becomes_css(bearer: Bearer) -> None:
    admin, css = bearer("admin"), "red} *{background-image:url(https://evil.example/x)} .x{color:"
    made = await admin.post("/api/v1/sources", {"name": css, "url": "https://a.example/", "tags": ["red", css[:25]]})
    await admin.put("/api/v1/tags/red", {"color": css, "colour": css})

    pages = [await admin.get(path) for path in ("/", f"/sources/{made.json['id']}", "/settings/tags")]

    assert made.status == 201
    assert [reply.status for reply in pages] == [200] * 3
    assert [reply.text for reply in pages if "<style" in reply.text or " style=" in reply.text] == []
    assert all("style-src 'self'" in reply.headers["content-security-policy"] for reply in pages)


CHOICES = {"kind": "../../../tmp/pwned", "expects": "../../x", "priority": "../x", "schedule_mode": "../../x"}


@pytest.mark.parametrize("name", CHOICES)
async def test_ghsa_mh42_an_import_takes_no_value_that_a_form_refuses(
    bearer: Bearer, service: Service, tmp_path: Path, name: str
) -> None:
    row = {"name": "a", "url": "https://a.example/", name: CHOICES[name]}
    before = _files(tmp_path)

    form = await bearer("operator").post("/api/v1/sources", row)
    listed = await bearer("operator").post("/api/v1/sources/import", {"sources": [row]})
    table = f"{','.join(row)}\n{','.join(row.values())}\n"
    written = await bearer("operator").post("/api/v1/sources/import", {"content": table, "format": "csv"})

    assert form.status == 422
    assert [(reply.status, reply.json["invalid"], reply.json["created"]) for reply in (listed, written)] == [
        (200, 1, 0),
        (200, 1, 0),
    ]
    assert _files(tmp_path) == before


async def test_4306_no_page_or_header_tells_a_stranger_the_version(ask: Ask) -> None:
    # /health, /api/health and /openapi.json say it on purpose: monitors and clients go by it.
    paths = ["/", "/login", "/nowhere", "/api/v1/sources", "/metrics", static_files().path("lamplighter.css")]

    replies = [await ask(path, accept="text/html") for path in paths]

    assert [reply.text for reply in replies if __version__ in reply.text] == []
    assert [reply.headers for reply in replies if "server" in reply.headers or __version__ in str(reply.headers)] == []
