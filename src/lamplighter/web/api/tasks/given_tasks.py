"""What the task API is told about tasks, and how it counts importance and time."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from lamplighter.errors import BadInput
from lamplighter.operations.tasks import LEAST_FREQUENCY, MOST_AT_ONCE
from lamplighter.rules import frontier, interval_text
from lamplighter.web.api.tasks.shapes_tasks import inside
from lamplighter.web.api.values import BIGGEST, Line, Moment

DomainId = Annotated[int, Field(ge=1, le=BIGGEST)]
#: its bounds are those of the API, which has a code of its own for what is beyond
Priority = Annotated[int, Field(ge=-BIGGEST, le=BIGGEST)]
Interval = Annotated[Line, Field(min_length=1, max_length=100)]
Retries = Annotated[int, Field(ge=0, le=10)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Frequency(_Given):
    """How important tasks are, and how often they are carried out."""

    domain_id: DomainId
    priority: Priority = 5
    #: None takes the domain's
    crawl_frequency: Interval | None = None
    is_recurring: bool = True


class NewTask(Frequency):
    """A page to be crawled."""

    url: Annotated[Line, Field(min_length=1, max_length=10_000)]
    scheduled_at: Moment | None = None
    max_retries: Retries = 3


class NewBatch(Frequency):
    """Many pages to be crawled."""

    urls: Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(min_length=1, max_length=MOST_AT_ONCE)]


class Restart(_Given):
    """How a task is to be carried out again."""

    reset_retry_count: bool = True
    priority: Priority | None = None
    scheduled_at: Moment | None = None


class RestartParsing(_Given):
    """How a page is to be read again."""

    reset_retry_count: bool = True


class RestartFailed(_Given):
    """Which failed tasks are to be carried out again."""

    domain_id: DomainId | None = None
    failed_after: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1000


class NewPriority(_Given):
    """How important a task is from now on."""

    priority: Priority


def rank_bounds(highest: int | None, lowest: int | None) -> dict[str, Any]:
    """The ranks of tasks from the priority `highest` (1 at the most) down to `lowest` (10), both included."""
    return {
        "min_rank": None if highest is None else frontier.rank(priority=inside(highest) + 4, depth=0),
        "max_rank": None if lowest in (None, 10) else frontier.rank(priority=inside(lowest) - 5, depth=999),
    }


def frequency_from(text: str) -> timedelta:
    """The time between two visits of a page."""
    frequency = interval_text.parse(text)
    if frequency < LEAST_FREQUENCY:
        raise BadInput(f"crawl_frequency {text!r} is too short; use '1 minute' or more", field="crawl_frequency")
    return frequency
