"""Plots of what happened over time: on the pages where one would look, and as CSV."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Query, Response

from lamplighter.errors import NotFound
from lamplighter.model.plot import Period, Plot
from lamplighter.operations.hosts import host_status, hosts
from lamplighter.operations.records.record_export import csv_lines
from lamplighter.operations.runs import plots
from lamplighter.store.engine.database import Connection
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages

ROUTES = Pages()
#: the element that holds the plots of a page
ELEMENT = "plots"
_PERIODS = {period.word: period for period in Period}
_USUAL = Period.DAY
_RESPONSE_TIMES = "response-times"


class ShownPlot(NamedTuple):
    """A plot, and the address of its figures as CSV."""

    plot: Plot
    csv: str


class PeriodLink(NamedTuple):
    """A period that can be chosen, and this page with it."""

    period: Period
    path: str


async def shown(request: PageRequest, *names: str) -> dict[str, Any]:
    """What `parts/plots.html` shows on a page, for the period in its address."""
    period = _period(request)
    async with request.view.db.read() as db:
        drawn = [await plots.PLOTS[name](db, period, request.now) for name in names]
    addresses = [_csv(name, period=period.word) for name in names]
    return _part(request, period, [ShownPlot(*each) for each in zip(drawn, addresses, strict=True)])


async def shown_of_host(request: PageRequest, host_id: int, key: str) -> dict[str, Any]:
    """The same for the page of a host."""
    period = _period(request)
    drawn = await request.read(lambda db: plots.response_times_of(db, host_id, period, request.now))
    return _part(request, period, [ShownPlot(drawn, _csv(_RESPONSE_TIMES, period=period.word, host=key))])


@ROUTES.get("/plots/{name}.csv")
async def as_csv(
    name: str, request: ThisRequest, period: str = _USUAL.word, host: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """The figures of a plot as CSV."""
    if name not in plots.PLOTS:
        raise NotFound(f"there is no plot {name[:100]!r}; there are {', '.join(plots.PLOTS)}")
    if period not in _PERIODS:
        raise NotFound(f"there is no period {period[:100]!r}; there are {', '.join(_PERIODS)}")
    if host and name != _RESPONSE_TIMES:
        raise NotFound(f"the plot {name} is of all hosts; of one host there is {_RESPONSE_TIMES}")

    async def drawn(db: Connection) -> Plot:
        if not host:
            return await plots.PLOTS[name](db, _PERIODS[period], request.now)
        defaults = request.view.source_defaults.host
        found = await host_status.of_host(db, hosts.host_key(host), defaults=defaults, now=request.now)
        return await plots.response_times_of(db, found.host.id, _PERIODS[period], request.now)

    plot = await request.read(drawn)
    return csv_of(plot, f"{name}-{period}.csv")


def csv_of(plot: Plot, file: str) -> Response:
    """A plot as a CSV file."""
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}
    content = csv_lines([plots.columns(plot), *plots.rows(plot)])
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


def _period(request: PageRequest) -> Period:
    return _PERIODS.get(request.http.query_params.get("period", ""), _USUAL)


def _csv(name: str, **asked: str) -> str:
    return f"/plots/{name}.csv?{urlencode(asked)}"


def _part(request: PageRequest, period: Period, drawn: Sequence[ShownPlot]) -> dict[str, Any]:
    """Links keep what else the address asks for."""
    url = request.http.url
    others = [pair for pair in request.http.query_params.multi_items() if pair[0] != "period"]
    links = [PeriodLink(each, f"{url.path}?{urlencode([*others, ('period', each.word)])}") for each in Period]
    return {"plots": drawn, "periods": links, "period": period}
