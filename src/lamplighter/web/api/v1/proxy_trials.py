"""Trials of proxies: several of them with several hosts."""

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.operations import proxy_trials
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks.shapes_trials import TRIAL_EXAMPLE, ProxyNumber, TrialLine, trial_line
from lamplighter.web.api.values import Line
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/proxy-trials", tag="proxies")
#: a program waits for the answer, so that fewer are tried than a person may have tried
_MOST_CELLS = 50

HostName = Annotated[Line, Field(min_length=1, max_length=300)]


class MatrixWish(BaseModel):
    """Which proxies are to be tried with which hosts."""

    model_config = ConfigDict(extra="forbid")

    proxy_ids: list[ProxyNumber] = Field(min_length=1, max_length=_MOST_CELLS)
    hosts: list[HostName] = Field(min_length=1, max_length=_MOST_CELLS)


class MatrixOut(BaseModel):
    """What came of each."""

    trials: list[TrialLine]
    total: int
    ok: int


@ROUTES.post("", errors=(404, 409), response_model=MatrixOut, example={"trials": [TRIAL_EXAMPLE], "total": 1, "ok": 1})
async def try_all(wish: MatrixWish, view: View, request: Request) -> Any:
    """Each proxy asks each host for a page, in the host's turn; up to 50 trials, answered when all are made."""
    now = view.clock.now()
    cells = await view.db.write(
        lambda db: proxy_trials.plan(db, proxy_ids=wish.proxy_ids, names=wish.hosts, most=_MOST_CELLS, now=now)
    )

    async def is_wanted() -> bool:
        return not await request.is_disconnected()

    outcomes = await view.proxy_trials.run(cells, is_wanted=is_wanted)
    trials = [trial_line(each) for each in outcomes]
    return {"trials": trials, "total": len(trials), "ok": sum(each.tried.ok for each in outcomes)}
