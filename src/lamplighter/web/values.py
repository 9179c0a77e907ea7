"""Types of request values and paging parameters with their limits: invalid values are refused before any work."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

from lamplighter.rules.formats.typed_text import DEEPEST, one_line, text

#: the largest integer of a database column
BIGGEST = 2**63 - 1


def _digits(value: str) -> str:
    """Only plain digits: `1_0`, `+1` and `1.0` would be parsed as numbers too."""
    if not (value.isascii() and value.isdigit()):
        raise ValueError("is not a plain number; write it in digits")
    return value


def _utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range; use a year from 2 to 9998") from None


#: text of several lines
Text = Annotated[str, AfterValidator(text)]
#: text on one line: names, titles, URLs
Line = Annotated[str, AfterValidator(one_line)]
#: a time with its UTC offset, converted to UTC
Moment = Annotated[AwareDatetime, AfterValidator(_utc)]
#: a row's id in a path
RowId = Annotated[int, BeforeValidator(_digits), Path(ge=1, le=BIGGEST)]


class Given(BaseModel):
    """A body or query that refuses undeclared fields."""

    model_config = ConfigDict(extra="forbid")


#: the most rows of one response
MOST = 250

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=DEEPEST, description="How many to leave out first.")]
PageNumber = Annotated[int, Query(ge=1, le=DEEPEST, description="Which page, from 1.")]
PerPage = Annotated[int, Query(ge=1, le=100, description="How many on a page.")]
