"""How trials of proxies look: what was asked for, and what came of it."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lamplighter.operations.proxy_trials import Outcome
from lamplighter.web.api.values import BIGGEST, Line

ProxyNumber = Annotated[int, Field(ge=1, le=BIGGEST)]


class TrialWish(BaseModel):
    """What is to be asked for through a proxy: one of the two."""

    model_config = ConfigDict(extra="forbid")

    url: Line | None = Field(None, max_length=2000)
    domain_id: int | None = Field(None, ge=1, le=BIGGEST)

    @model_validator(mode="after")
    def _one_of_two(self) -> "TrialWish":
        if (self.url is None) == (self.domain_id is None):
            raise ValueError("give a url or a domain_id")
        return self


class TrialLine(BaseModel):
    """What came of trying a proxy with a host."""

    proxy_id: int
    domain_id: int
    domain_name: str
    url: str
    ok: bool
    #: null when there was no answer
    status_code: int | None
    #: null when nothing was asked
    response_time_ms: float | None
    #: why the host did not answer, or where the answer leads
    detail: str | None
    tested_at: datetime


def trial_line(outcome: Outcome) -> dict[str, Any]:
    """What came of a trial."""
    cell, tried = outcome.cell, outcome.tried
    return {
        "proxy_id": cell.proxy_id,
        "domain_id": cell.host_id,
        "domain_name": cell.host,
        "url": cell.url,
        "ok": tried.ok,
        "status_code": tried.status,
        "response_time_ms": None if tried.took_ms is None else round(tried.took_ms, 1),
        "detail": tried.detail,
        "tested_at": tried.at,
    }


TRIAL_EXAMPLE = {
    "proxy_id": 3,
    "domain_id": 7,
    "domain_name": "shop.example",
    "url": "https://shop.example/",
    "ok": True,
    "status_code": 200,
    "response_time_ms": 412.5,
    "detail": None,
    "tested_at": "2026-03-02T12:00:00Z",
}
