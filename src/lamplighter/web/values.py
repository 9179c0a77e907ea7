"""Types of request values and paging parameters with their limits: invalid values are refused before any work."""

import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

#: the largest integer of a database column
BIGGEST = 2**63 - 1

#: control characters, which some databases refuse; line breaks and tabs are allowed
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END = re.compile(r"[\n\t\u2028\u2029]")


def _text(value: str) -> str:
    found = _CONTROL.search(value)
    if found:
        raise ValueError(f"holds the character U+{ord(found[0]):04X}, which is no text; leave it out")
    return value


def readable(value: str) -> str:
    """A typed text without control characters, which the user did not mean."""
    return _CONTROL.sub("", value)


def one_line(value: str) -> str:
    """The text itself; ValueError for control characters or more than one line."""
    if _LINE_END.search(_text(value)):
        raise ValueError("holds a line end or a tab; put it on one line")
    return value


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
Text = Annotated[str, AfterValidator(_text)]
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
#: the largest offset; a filter is better for finding rows beyond it
DEEPEST = 10_000_000

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=DEEPEST, description="How many to leave out first.")]
PageNumber = Annotated[int, Query(ge=1, le=DEEPEST, description="Which page, from 1.")]
PerPage = Annotated[int, Query(ge=1, le=100, description="How many on a page.")]


def offset_from(text: str) -> int:
    """The offset in a page's URL; 0 if it is not a number."""
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
