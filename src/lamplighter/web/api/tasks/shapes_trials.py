"""Models of proxy trials: what to fetch, and the result."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from lamplighter.web.api.answer_fields import taken_from
from lamplighter.web.values import BIGGEST, Given, Line

ProxyNumber = Annotated[int, Field(ge=1, le=BIGGEST)]


class TrialIn(Given):
    """What to fetch through a proxy: a URL or a domain."""

    url: Line | None = Field(None, max_length=2000)
    domain_id: int | None = Field(None, ge=1, le=BIGGEST)

    @model_validator(mode="after")
    def _one_of_two(self) -> "TrialIn":
        if (self.url is None) == (self.domain_id is None):
            raise ValueError("give a url or a domain_id")
        return self


_Tenths = Annotated[float, BeforeValidator(lambda number: round(number, 1))]


class TrialLine(BaseModel):
    """The result of a proxy trial with a host."""

    proxy_id: int = taken_from("cell", "proxy_id")
    domain_id: int = taken_from("cell", "host_id")
    domain_name: str = taken_from("cell", "host")
    url: str = taken_from("cell", "url")
    ok: bool = taken_from("tried", "ok")
    #: null without a response
    status_code: int | None = taken_from("tried", "status")
    #: null when no request was sent
    response_time_ms: _Tenths | None = taken_from("tried", "took_ms")
    #: why the request failed, or where the response redirects
    detail: str | None = taken_from("tried", "detail")
    tested_at: datetime = taken_from("tried", "at")
