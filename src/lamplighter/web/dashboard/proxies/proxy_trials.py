"""The proxy test page: tests proxies with hosts and shows the results live."""

import re
from typing import Any

from fastapi import Response

from lamplighter.errors import LamplighterError, NotFound
from lamplighter.operations.proxies import domain_proxies, proxies, proxy_trial_matrix, proxy_trials
from lamplighter.operations.proxies.proxy_trials import MOST_CELLS
from lamplighter.store.proxies import proxy_lists
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.proxies.proxies import PATH, numbers_of
from lamplighter.web.routes import Pages

# Before the pages of single proxies, which would match "trials".
ROUTES = Pages()
_PATH = PATH + "/trials"
#: the most proxies and hosts to choose from
_MOST_PROXIES = 100
_MOST_HOSTS = 30
_MOST_NAMES = 250
_BETWEEN = re.compile(r"[\s,]+")


@ROUTES.get(_PATH)
async def show(request: ThisRequest) -> Response:
    """The test page, or only its results for a script."""
    if request.target == "trials":
        return request.part("proxies/trial_results.html", **await _results(request))
    chosen = request.http.query_params
    given = {"proxy_ids": chosen.getlist("proxy"), "hosts": chosen.getlist("host"), "more_hosts": ""}
    return await _page(request, given=given)


@ROUTES.post(_PATH)
async def start(request: ThisRequest) -> Response:
    """Starts a test of the selected proxies with the selected hosts in the background."""
    form, view = await request.form(), request.view
    names = [*form.many("hosts"), *(name for name in _BETWEEN.split(form.text("more_hosts")) if name)]
    try:
        ids = numbers_of(form)
        cells = await view.db.write(lambda db: proxy_trials.plan(db, proxy_ids=ids, names=names, now=request.now))
        view.sites.proxy_rounds.start(cells, asked_by=request.caller.name)
    except LamplighterError as error:
        faults = {"proxy_ids": str(error)} if isinstance(error, NotFound) else dict(faults_of(error))
        given = {
            "proxy_ids": form.many("proxy_ids"),
            "hosts": form.many("hosts"),
            "more_hosts": form.text("more_hosts"),
        }
        return await _page(request, given=given, faults=faults)
    return request.done(
        f"Test started: {len(cells)} trial{'s' * (len(cells) != 1)}, each in its host's turn.", to=_PATH
    )


@ROUTES.post(_PATH + "/stop")
async def stop(request: ThisRequest) -> Response:
    """Stops the test."""
    request.view.sites.proxy_rounds.stop()
    return request.done("Stopped; requests in flight finish.", to=_PATH)


async def _page(request: PageRequest, **shown: Any) -> Response:
    async with request.view.db.read() as db:
        known, total = await proxies.listed(
            db, is_active=None, country_code=None, provider=None, limit=_MOST_PROXIES, offset=0, now=request.now
        )
        pools, _ = await domain_proxies.listed(db, limit=_MOST_HOSTS, offset=0, now=request.now)
        names = await proxy_lists.host_names(db, limit=_MOST_NAMES)
    return request.page(
        "proxies/trials.html",
        proxies=known,
        proxies_total=total,
        pools=pools,
        host_names=names,
        most_cells=MOST_CELLS,
        **shown | await _results(request),
    )


async def _results(request: PageRequest) -> dict[str, Any]:
    current = request.view.sites.proxy_rounds.look()
    return {"round": current, "matrix": await request.read(lambda db: proxy_trial_matrix.matrix(db, current))}
