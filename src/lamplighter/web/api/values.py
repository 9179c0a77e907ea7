"""Kinds of values that requests carry, each with its bounds: what is out of them is refused before any work on it."""

import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, AwareDatetime, BeforeValidator

#: the largest number that a database column holds
BIGGEST = 2**63 - 1

#: what no text needs and some database refuses, line ends and tabs excepted
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END = re.compile(r"[\n\t\u2028\u2029]")


def _text(value: str) -> str:
    found = _CONTROL.search(value)
    if found:
        raise ValueError(f"holds the character U+{ord(found[0]):04X}, which is no text; leave it out")
    return value


def readable(value: str) -> str:
    """A text without the characters that are none, for what a person typed: they did not mean them."""
    return _CONTROL.sub("", value)


def one_line(value: str) -> str:
    """The text as it is; ValueError when it has characters that are none, or more than one line."""
    if _LINE_END.search(_text(value)):
        raise ValueError("holds a line end or a tab; put it on one line")
    return value


def _digits(value: str) -> str:
    """One spelling for each number: `1_0`, `+1` and `1.0` would be read as numbers too."""
    if not (value.isascii() and value.isdigit()):
        raise ValueError("is no number of ours; write it in digits")
    return value


def _utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is no time of ours; use a year from 2 to 9998") from None


#: text of any number of lines
Text = Annotated[str, AfterValidator(_text)]
#: text on one line: names, titles, addresses
Line = Annotated[str, AfterValidator(one_line)]
#: a moment with its offset from UTC; inside it is UTC
Moment = Annotated[AwareDatetime, AfterValidator(_utc)]
#: a row's number in a path
RowId = Annotated[int, BeforeValidator(_digits), Path(ge=1, le=BIGGEST)]
