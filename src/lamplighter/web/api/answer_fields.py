"""Response fields: where their values are in an operation's result, and in which unit."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AliasPath, BeforeValidator, Field


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)


#: both are converted from a timedelta
Milliseconds = Annotated[int, BeforeValidator(_milliseconds)]
Seconds = Annotated[float, BeforeValidator(timedelta.total_seconds)]


def taken_from(*path: str, **more: Any) -> Any:
    """A field whose value has another name, or is nested, in the operation's result."""
    return Field(validation_alias=AliasPath(*path), **more)
