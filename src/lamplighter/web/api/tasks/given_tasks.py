"""Request models of the task API, and its units of priority and time."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from lamplighter.errors import BadInput
from lamplighter.operations.pages.tasks import LEAST_FREQUENCY, MOST_AT_ONCE
from lamplighter.rules.pages import frontier
from lamplighter.rules.schedule import interval_text
from lamplighter.web.api.tasks.shapes_tasks import inside
from lamplighter.web.values import BIGGEST, Given, Line, Moment

DomainId = Annotated[int, Field(ge=1, le=BIGGEST)]
#: wide bounds: the task API reports a priority out of range with its own error code
Priority = Annotated[int, Field(ge=-BIGGEST, le=BIGGEST)]
Interval = Annotated[Line, Field(min_length=1, max_length=100)]
Retries = Annotated[int, Field(ge=0, le=10)]


class Frequency(Given):
    """The priority and crawl frequency of tasks."""

    domain_id: DomainId
    priority: Priority = 5
    #: None takes the domain's frequency
    crawl_frequency: Interval | None = None
    is_recurring: bool = True
    #: the task for which these are submitted
    parent_task_id: Annotated[int, Field(ge=1, le=BIGGEST)] | None = None
    #: gets a POST when a task is completed or failed, signed with the secret
    webhook_url: Annotated[Line, Field(min_length=1, max_length=2000)] | None = None
    webhook_secret: Annotated[Line, Field(min_length=16, max_length=500)] | None = Field(None, repr=False)


class NewTask(Frequency):
    """A page to crawl."""

    url: Annotated[Line, Field(min_length=1, max_length=10_000)]
    scheduled_at: Moment | None = None
    max_retries: Retries = 3


class NewBatch(Frequency):
    """Many pages to crawl."""

    urls: Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(min_length=1, max_length=MOST_AT_ONCE)]


class Restart(Given):
    """Options for restarting a task."""

    reset_retry_count: bool = True
    priority: Priority | None = None
    scheduled_at: Moment | None = None


class RestartParsing(Given):
    """Options for parsing again."""

    reset_retry_count: bool = True


class RestartFailed(Given):
    """The failed tasks to restart."""

    domain_id: DomainId | None = None
    failed_after: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1000


class NewPriority(Given):
    """The new priority of a task."""

    priority: Priority


class ChangedTask(Given):
    """Fields of a task to change; omitted fields stay. null as crawl_frequency takes the domain's."""

    priority: Priority | None = None
    crawl_frequency: Interval | None = None
    is_recurring: bool | None = None
    max_retries: Retries | None = None


def rank_bounds(highest: int | None, lowest: int | None) -> dict[str, Any]:
    """The ranks of tasks from the priority `highest` (1 at the most) down to `lowest` (10), both included."""
    return {
        "min_rank": None if highest is None else frontier.rank(priority=inside(highest) + 4, depth=0),
        "max_rank": None if lowest in (None, 10) else frontier.rank(priority=inside(lowest) - 5, depth=999),
    }


def frequency_from(text: str) -> timedelta:
    """Parses a crawl frequency."""
    frequency = interval_text.parse(text)
    if frequency < LEAST_FREQUENCY:
        raise BadInput(f"crawl_frequency {text!r} is too short; use '1 minute' or more", field="crawl_frequency")
    return frequency
