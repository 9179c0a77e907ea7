"""Answers in the envelope of the task API."""

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Done(BaseModel, Generic[T]):
    """A success, with what it is about."""

    success: Literal[True]
    data: T
    message: str


class Pagination(BaseModel):
    """Where in a list a page of it is."""

    page: int
    per_page: int
    total: int
    total_pages: int


class DoneList(Done[list[T]], Generic[T]):
    """A page of a list."""

    pagination: Pagination


def done(data: Any, message: str, *, pagination: dict[str, int] | None = None) -> dict[str, Any]:
    """Success; lists say where in them we are."""
    answer: dict[str, Any] = {"success": True, "data": data, "message": message}
    if pagination is not None:
        answer["pagination"] = pagination
    return answer
