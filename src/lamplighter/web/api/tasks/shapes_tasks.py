"""How the task API answers about tasks, and its words for where they stand."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from lamplighter.errors import BadInput
from lamplighter.model.page import Stage

T = TypeVar("T")


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    QUEUED = "queued"
    CRAWLING = "crawling"
    DOWNLOADED = "downloaded"
    QUEUED_PARSE = "queued_parse"
    PARSING = "parsing"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


#: what a reader holds and has not begun is not told apart from what it reads: both words mean either
STAGES: Mapping[TaskStatus, tuple[Stage, ...]] = {
    TaskStatus.PENDING: (Stage.WAITING, Stage.PENDING),
    TaskStatus.QUEUED: (Stage.QUEUED,),
    TaskStatus.CRAWLING: (Stage.CRAWLING,),
    TaskStatus.DOWNLOADED: (Stage.DOWNLOADED,),
    TaskStatus.QUEUED_PARSE: (Stage.PARSING,),
    TaskStatus.PARSING: (Stage.PARSING,),
    TaskStatus.COMPLETED: (Stage.COMPLETED,),
    TaskStatus.FAILED: (Stage.FAILED,),
    TaskStatus.PAUSED: (Stage.PAUSED,),
    TaskStatus.CANCELLED: (Stage.CANCELLED,),
}


def status_of(stage: str) -> TaskStatus:
    """Where a page stands, in this API's word."""
    return TaskStatus.PENDING if stage == Stage.WAITING else TaskStatus(stage)


def inside(priority: int) -> int:
    """The priority as we count, 0 to 100 and higher sooner."""
    if not 1 <= priority <= 10:
        message = f"priority {priority} is out of range; use 1 (highest) to 10 (lowest)"
        raise BadInput(message, code="invalid_priority", field="priority")
    return (11 - priority) * 10


def outside(priority: int) -> int:
    """The priority as this API counts, 1 to 10 and lower sooner."""
    return min(max(11 - (priority + 5) // 10, 1), 10)


class Done(BaseModel, Generic[T]):
    """Something that was done, or is shown."""

    success: Literal[True]
    data: T
    message: str


class Where(BaseModel):
    """Which part of a list this is."""

    page: int
    per_page: int
    #: exact up to 100,000
    total: int
    total_pages: int
    #: only there when it is false
    total_is_exact: bool = True


class TaskLine(BaseModel):
    """A task in a list."""

    id: int
    domain_name: str
    url: str
    status: TaskStatus
    #: 1 is the highest, 10 the lowest
    priority: int
    scheduled_at: datetime
    completed_at: datetime | None
    response_time_ms: int | None


class TaskList(BaseModel):
    """A part of all tasks."""

    success: Literal[True]
    data: list[TaskLine]
    message: str
    pagination: Where


class WholeTask(TaskLine):
    """A task with all that is known of it."""

    domain_id: int
    url_hash: str
    started_at: datetime | None
    retry_count: int
    max_retries: int
    error_message: str | None
    crawl_frequency: str | None
    next_crawl_at: datetime | None
    recrawl_count: int
    is_recurring: bool
    html_path: str | None
    http_status_code: int | None
    proxy_id: int | None
    proxy_url: str | None
    created_at: datetime
    updated_at: datetime
    created_by: str


class AddedTask(BaseModel):
    """A task that was just submitted."""

    task_id: int
    url: str
    url_hash: str
    status: TaskStatus
    priority: int
    scheduled_at: datetime
    created_at: datetime


class Refusal(BaseModel):
    """A URL that cannot be used."""

    url: str
    reason: str


class AddedBatch(BaseModel):
    """What became of a batch."""

    total_submitted: int
    total_duplicates: int
    total_failed: int
    #: of those submitted, in the order in which they were given
    task_ids: list[int]
    #: the first hundred that failed
    details: list[Refusal]


class Restarted(BaseModel):
    """A task that is to be carried out again."""

    task_id: int
    status: TaskStatus
    scheduled_at: datetime
    retry_count: int
    priority: int


class Reread(BaseModel):
    """A page that is to be read again."""

    task_id: int
    status: TaskStatus
    html_path: str


class RestartedMany(BaseModel):
    """Tasks that are to be carried out again."""

    total_restarted: int
    task_ids: list[int]


class Paused(BaseModel):
    """A task that is left alone."""

    task_id: int
    status: TaskStatus
    previous_status: TaskStatus


class Resumed(BaseModel):
    """A task that goes on."""

    task_id: int
    status: TaskStatus
    scheduled_at: datetime


class Prioritised(BaseModel):
    """A task whose importance changed."""

    task_id: int
    priority: int
    previous_priority: int


class Cancelled(BaseModel):
    """A task that is given up."""

    task_id: int
    status: TaskStatus


class TaskStats(BaseModel):
    """How tasks fare."""

    total_tasks: int
    by_status: dict[TaskStatus, int]
    #: of the visits of that time, in per cent
    success_rate: float
    avg_response_time_ms: float | None
    total_recrawls: int
    time_range: str
