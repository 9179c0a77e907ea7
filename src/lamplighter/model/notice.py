"""What happens that somebody may want to be told of."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class NoticeKind(StrEnum):
    """What rules of notification are about; the words stand in payloads and stay as they are."""

    RUN_FAILED = "run.failed"
    RUN_RECOVERED = "run.recovered"
    BREAKER_OPENED = "breaker.opened"
    SOURCE_BLOCKED = "source.blocked"
    SOURCE_DRIFTED = "source.drifted"
    RECORDS_NEW = "records.new"
    ALERT_FIRED = "alert.fired"
    ALERT_CLEARED = "alert.cleared"
    TASK_COMPLETED = "task.completed"
    TASK_FAILED = "task.failed"
    #: somebody tries a channel
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One such thing."""

    kind: NoticeKind
    at: datetime
    #: None when it is about the whole installation
    source_id: int | None
    data: dict[str, Any]
