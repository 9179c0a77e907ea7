"""Proxy trials: several proxies with several hosts."""

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, Field

from lamplighter.operations.proxies import proxy_trials
from lamplighter.web.api.tasks.shapes_proxies import ProxyNumber, TrialLine
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Line
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/proxy-trials", tag="proxies")
#: the caller waits for the response, so the limit is lower than in the dashboard
_MOST_CELLS = 50

HostName = Annotated[Line, Field(min_length=1, max_length=300)]


class TrialMatrixIn(Given):
    """The proxies and hosts to try."""

    proxy_ids: list[ProxyNumber] = Field(min_length=1, max_length=_MOST_CELLS)
    hosts: list[HostName] = Field(min_length=1, max_length=_MOST_CELLS)


class MatrixOut(BaseModel):
    """The trial results."""

    trials: list[TrialLine]
    total: int
    ok: int


@ROUTES.post("", errors=(404, 409), response_model=MatrixOut)
async def try_all(submitted: TrialMatrixIn, view: View, request: Request) -> Any:
    """Each proxy fetches a page of each host, in the host's turn; up to 50 trials, returned when all end."""
    now = view.clock.now()
    cells = await view.db.write(
        lambda db: proxy_trials.plan(
            db, proxy_ids=submitted.proxy_ids, names=submitted.hosts, most=_MOST_CELLS, now=now
        )
    )

    async def is_wanted() -> bool:
        return not await request.is_disconnected()

    outcomes = await view.sites.proxy_trials.run(cells, is_wanted=is_wanted)
    return {"trials": outcomes, "total": len(outcomes), "ok": sum(each.tried.ok for each in outcomes)}
