"""Public pages: about this crawler, status, style sheets and scripts."""

from collections.abc import Sequence
from datetime import timedelta
from weakref import WeakKeyDictionary

from fastapi import Request, Response

from lamplighter.errors import NotFound
from lamplighter.operations.sources import public_status
from lamplighter.operations.sources.public_status import SourceForAll
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.engine.cached_query import CachedQuery
from lamplighter.store.engine.database import Database
from lamplighter.web.rendering import page, theme_of
from lamplighter.web.routes import PUBLIC, Pages
from lamplighter.web.static_files import static_files
from lamplighter.web.view import View

ROUTES = Pages()
_MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FOR_GOOD = "public, max-age=31536000, immutable"
#: another version's digest: not cached
_NOT_AT_ALL = "no-store"
#: how old the public status page may be
_STATUS_SECONDS = 60
_status: WeakKeyDictionary[Database, CachedQuery[Sequence[SourceForAll]]] = WeakKeyDictionary()


@ROUTES.get("/bot", role=PUBLIC)
async def bot_page(request: Request, view: View) -> Response:
    """The page about this crawler, for site owners who found it in their log."""
    settings = view.settings
    agent = settings.resolved_user_agent
    same = ("contact_url", "contact_email", "max_concurrency", "max_pages", "max_page_kb", "robots_ttl_hours")
    return page(
        "bot.html",
        agent=agent,
        token=product_token(agent),
        min_delay_seconds=settings.min_delay_ms / 1000,
        least=timedelta(minutes=settings.min_interval_minutes),
        most=timedelta(days=settings.max_interval_days),
        keep_days=settings.archive_keep_days,
        keep_versions=settings.archive_keep_versions,
        theme=theme_of(request.cookies),
        **{name: getattr(settings, name) for name in same},
    )


@ROUTES.get("/status", role=PUBLIC)
async def status_page(view: View) -> Response:
    """The public status page: the watched sources and how fresh they are; 404 unless the settings turn it on."""
    if not view.settings.status_page:
        raise NotFound("this installation has no public status page")
    found = await _watched(view).get()
    return page(
        "status.html",
        headers={"Cache-Control": f"public, max-age={_STATUS_SECONDS}"},
        sources=found[: public_status.MOST],
        is_cut=len(found) > public_status.MOST,
        now=view.clock.now(),
    )


def _watched(view: View) -> CachedQuery[Sequence[SourceForAll]]:
    """The query of this database, which is asked once a minute however many look."""
    if view.db not in _status:
        inside = AllowList.parse(view.settings.allow_hosts)
        _status[view.db] = CachedQuery(
            view.db,
            lambda db: public_status.watched(db, inside=inside),
            seconds=_STATUS_SECONDS,
            clock=view.clock,
        )
    return _status[view.db]


@ROUTES.get("/static/{digest}/{name:path}", role=PUBLIC)
async def static_file(request: Request, digest: str, name: str) -> Response:
    """Serves a style sheet, a script or an image."""
    served = static_files()
    ending = name[name.rfind(".") :]
    if name not in served.plain or ending not in _MEDIA_TYPES:
        raise NotFound(f"there is no file {name[:100]!r}")
    headers = {"Cache-Control": _FOR_GOOD if digest == served.digest else _NOT_AT_ALL, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(served.packed[name], media_type=_MEDIA_TYPES[ending], headers=headers)
    return Response(served.plain[name], media_type=_MEDIA_TYPES[ending], headers=headers)
