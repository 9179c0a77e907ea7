"""Response models of the task API, and its task statuses."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, Field

from lamplighter.errors import BadInput
from lamplighter.model.page import PageStage
from lamplighter.web.api.envelope import DoneList, Pagination, WaitingOut


class TaskStatus(StrEnum):
    """A task's status."""

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


STAGES: Mapping[TaskStatus, tuple[PageStage, ...]] = {
    TaskStatus.PENDING: (PageStage.WAITING, PageStage.PENDING),
    TaskStatus.QUEUED: (PageStage.QUEUED,),
    TaskStatus.CRAWLING: (PageStage.CRAWLING,),
    TaskStatus.DOWNLOADED: (PageStage.DOWNLOADED,),
    TaskStatus.QUEUED_PARSE: (PageStage.QUEUED_PARSE,),
    TaskStatus.PARSING: (PageStage.PARSING,),
    TaskStatus.COMPLETED: (PageStage.COMPLETED,),
    TaskStatus.FAILED: (PageStage.FAILED,),
    TaskStatus.PAUSED: (PageStage.PAUSED,),
    TaskStatus.CANCELLED: (PageStage.CANCELLED,),
}


def status_of(stage: str) -> TaskStatus:
    """The task status of a page's stage."""
    return TaskStatus.PENDING if stage == PageStage.WAITING else TaskStatus(stage)


def inside(priority: int) -> int:
    """Converts a priority to ours, 0 to 100, higher first."""
    if not 1 <= priority <= 10:
        message = f"priority {priority} is out of range; use 1 (highest) to 10 (lowest)"
        raise BadInput(message, code="invalid_priority", field="priority")
    return (11 - priority) * 10


def outside(priority: int) -> int:
    """Converts a priority to this API's, 1 to 10, lower first."""
    return min(max(11 - (priority + 5) // 10, 1), 10)


class ListPosition(Pagination):
    """The position in a list; its total is exact up to 100,000."""

    #: only sent when false
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
    #: what it waits for besides its turn and time, and until when; null when it does not
    waiting: WaitingOut | None


class TaskList(DoneList[TaskLine]):
    """One page of tasks."""

    pagination: ListPosition


class WholeTask(TaskLine):
    """A task with all its fields."""

    domain_id: int
    url_hash: str
    started_at: datetime | None
    retry_count: int
    max_retries: int
    error_message: str | None
    crawl_frequency: str | None = Field(examples=["1 day"])
    next_crawl_at: datetime | None
    recrawl_count: int
    is_recurring: bool
    html_path: str | None = Field(examples=["5f3c9f7d1b6e4a0c8d2e:1048576:7342"])
    http_status_code: int | None
    #: where its URL redirects to
    redirected_to: str | None
    proxy_id: int | None
    proxy_url: str | None
    parent_task_id: int | None
    batch_id: str | None
    created_at: datetime
    updated_at: datetime
    created_by: str = Field(examples=["token:shop"])


class AddedTask(BaseModel):
    """A submitted task."""

    task_id: int
    url: str
    url_hash: str
    status: TaskStatus
    priority: int
    scheduled_at: datetime
    created_at: datetime


class RefusedUrl(BaseModel):
    """A URL that was refused."""

    url: str
    reason: str = Field(examples=["Cannot use 'nonsense' as a URL: it cannot be parsed or has no host."])


class AddedBatch(BaseModel):
    """A batch's result."""

    #: restarts them together, and filters the list of tasks
    batch_id: str
    total_submitted: int
    total_duplicates: int
    total_failed: int
    #: of the submitted tasks, in the order of their URLs
    task_ids: list[int]
    #: the first hundred that failed
    details: list[RefusedUrl]


class _TaskState(BaseModel):
    task_id: int
    status: TaskStatus


class TaskRestarted(_TaskState):
    """A restarted task."""

    scheduled_at: datetime
    retry_count: int
    priority: int


class TaskReread(_TaskState):
    """A page to parse again."""

    html_path: str


class TasksRestarted(BaseModel):
    """Restarted tasks."""

    total_restarted: int
    task_ids: list[int]


class TaskPaused(_TaskState):
    """A paused task."""

    previous_status: TaskStatus


class TaskResumed(_TaskState):
    """A resumed task."""

    scheduled_at: datetime


class TaskPrioritised(BaseModel):
    """A task's new priority."""

    task_id: int
    priority: int
    previous_priority: int


class TaskCancelled(_TaskState):
    """A cancelled task."""


class TaskStats(BaseModel):
    """Task figures."""

    total_tasks: int
    by_status: dict[TaskStatus, int]
    #: of the visits in that time, in per cent
    success_rate: float | None
    avg_response_time_ms: float | None
    total_recrawls: int
    time_range: str = Field(examples=["24h"])
