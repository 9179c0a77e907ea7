"""What responses share: fields of an operation's result, parts of lists, and the envelope of the task API."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, Field, create_model

from lamplighter.rules.hosts.waiting import Wait

T = TypeVar("T")


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)


#: both are converted from a timedelta
Milliseconds = Annotated[int, BeforeValidator(_milliseconds)]
Seconds = Annotated[float, BeforeValidator(timedelta.total_seconds)]


def taken_from(*path: str, **more: Any) -> Any:
    """A field whose value has another name, or is nested, in the operation's result."""
    return Field(validation_alias=AliasPath(*path), **more)


def part_of(key: str, row: type[BaseModel], **more: Any) -> type[BaseModel]:
    """The model of a part of a list under a key, with its total; `more` are further types."""
    shape: dict[str, Any] = {key: list[row], "total": int, "limit": int, "offset": int} | more  # type: ignore[valid-type]
    return create_model(f"{row.__name__}List", __module__=row.__module__, __doc__="A part of the list.", **shape)


def listed(key: str, rows: Sequence[Any], *, total: int, limit: int, offset: int) -> dict[str, Any]:
    """A part of a list, and its total."""
    return {key: rows, "total": total, "limit": limit, "offset": offset}


class DoneOut(BaseModel, Generic[T]):
    """A success response of the task API."""

    success: Literal[True]
    data: T
    message: str


class Pagination(BaseModel):
    """The position in a list."""

    page: int
    per_page: int
    total: int
    total_pages: int


class DoneList(DoneOut[list[T]], Generic[T]):
    """A page of a list."""

    pagination: Pagination


def done(data: Any, message: str, *, pagination: dict[str, int] | None = None) -> dict[str, Any]:
    """A success, with a list's pagination."""
    answer: dict[str, Any] = {"success": True, "data": data, "message": message}
    if pagination is not None:
        answer["pagination"] = pagination
    return answer


def pagination(*, page: int, per_page: int, total: int) -> dict[str, int]:
    """The position in a list, for the task API."""
    return {"page": page, "per_page": per_page, "total": total, "total_pages": -(-total // per_page)}


class WaitingOut(BaseModel):
    """What something waits for, and until when; null when it ends only if an operator acts."""

    reason: str = Field(examples=["its host jobs.example gets no requests: 5 of the last 7 paths failed"])
    until: datetime | None


def waiting_out(wait: Wait | None) -> dict[str, Any] | None:
    """A wait as a response; None when there is none."""
    return {"reason": wait.why, "until": wait.until} if wait is not None else None
