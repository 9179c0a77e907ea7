"""Testing proxies: which of them is tried with which host, and what came of it, as it comes."""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError, NotFound
from lamplighter.operations import domain_proxies, proxies, proxy_rounds, proxy_trials
from lamplighter.operations.proxy_trials import MOST_CELLS
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import BIGGEST
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.proxies import PATH
from lamplighter.web.dashboard.visit import Visit, Visiting

# Before the pages of single proxies, which would take "trials" for one.
ROUTES = Routes("", tag="dashboard")
_PATH = PATH + "/trials"
#: proxies and hosts that are offered
_MOST_PROXIES = 100
_MOST_HOSTS = 30
_MOST_NAMES = 250
_BETWEEN = re.compile(r"[\s,]+")


@ROUTES.get(_PATH, include_in_schema=False)
async def show(visit: Visiting) -> Response:
    """Where proxies are tested; asked for by a script, what came of it so far."""
    if visit.target == "trials":
        return visit.part("proxies/trial_results.html", **await _results(visit))
    chosen = visit.request.query_params
    given = {"proxy_ids": chosen.getlist("proxy"), "hosts": chosen.getlist("host"), "more_hosts": ""}
    return await _page(visit, given=given)


@ROUTES.post(_PATH, include_in_schema=False)
async def start(visit: Visiting) -> Response:
    """Has the chosen proxies tried with the chosen hosts, in the background."""
    form, view = await visit.form(), visit.view
    names = [*form.many("hosts"), *(name for name in _BETWEEN.split(form.text("more_hosts")) if name)]
    try:
        ids = _numbers(form)
        cells = await view.db.write(lambda db: proxy_trials.plan(db, proxy_ids=ids, names=names, now=visit.now))
        view.proxy_rounds.start(cells, asked_by=visit.caller.name)
    except LamplighterError as error:
        faults = {"proxy_ids": str(error)} if isinstance(error, NotFound) else dict(faults_of(error))
        given = {
            "proxy_ids": form.many("proxy_ids"),
            "hosts": form.many("hosts"),
            "more_hosts": form.text("more_hosts"),
        }
        return await _page(visit, status=422, given=given, faults=faults)
    return visit.done(f"{len(cells)} trials, each in its host's turn.", to=_PATH)


@ROUTES.post(_PATH + "/stop", include_in_schema=False)
async def stop(visit: Visiting) -> Response:
    """Tries no further."""
    visit.view.proxy_rounds.stop()
    return visit.done("Stopped; what is under way is finished.", to=_PATH)


async def _page(
    visit: Visit, *, given: Mapping[str, Any], status: int = 200, faults: Mapping[str, str] | None = None
) -> Response:
    async with visit.view.db.read() as db:
        known, total = await proxies.listed(
            db, is_active=None, country_code=None, provider=None, limit=_MOST_PROXIES, offset=0, now=visit.now
        )
        pools, _ = await domain_proxies.listed(db, limit=_MOST_HOSTS, offset=0, now=visit.now)
        names = await domain_proxies.host_names(db, limit=_MOST_NAMES)
    return visit.page(
        "proxies/trials.html",
        status=status,
        proxies=known,
        proxies_total=total,
        pools=pools,
        host_names=names,
        most_cells=MOST_CELLS,
        given=given,
        faults=faults or {},
        **await _results(visit),
    )


async def _results(visit: Visit) -> dict[str, Any]:
    current = visit.view.proxy_rounds.look()
    async with visit.view.db.read() as db:
        return {"round": current, "matrix": await proxy_rounds.matrix(db, current)}


def _numbers(form: Form) -> list[int]:
    given = form.many("proxy_ids")
    if not all(each.isascii() and each.isdigit() and int(each) <= BIGGEST for each in given):
        raise BadInput("These are no numbers of proxies.", field="proxy_ids")
    return [int(each) for each in given]
