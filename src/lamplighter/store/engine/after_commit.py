"""Steps that run after a transaction's commit: counters, log lines, and signals that there is work.

A transaction may be repeated or fail. A step that ran inside it would count what never happened.
"""

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Step = Callable[[], None]


class Signal(StrEnum):
    """Work that a committed transaction may leave for this process."""

    #: the outbox has an event
    EVENTS = "events"
    #: a crawl job may be due
    JOBS = "jobs"
    #: a submitted page may be due, or a run may have lost its last page
    TASKS = "tasks"
    #: a host has pages to fetch
    HOSTS = "hosts"
    #: a page body is ready to be parsed
    DOWNLOADS = "downloads"
    #: a notification may be due
    NOTIFICATIONS = "notifications"
    #: a run has ended
    FINISHED = "finished"


class _Noted:
    """Steps and signals to run after the commit."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.signals: set[Signal] = set()


#: of the current transaction; None outside a transaction
_noted: ContextVar[_Noted | None] = ContextVar("noted for after the commit", default=None)


def after_commit(step: Step) -> None:
    """Runs `step` after the transaction's commit; at once without a transaction."""
    noted = _noted.get()
    if noted is None:
        step()
    else:
        noted.steps.append(step)


def signal(*signals: Signal) -> None:
    """Sends signals to the database's subscribers after the current transaction's commit.

    Nothing is lost without subscribers: the work itself is in the database.
    """
    noted = _noted.get()
    if noted is not None:
        noted.signals.update(signals)


class TransactionWork(Generic[T]):
    """The work of a transaction, and the steps to run after it."""

    def __init__(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._noted = _Noted()

    async def __call__(self, db: Any) -> T:
        """Does the work; when it is repeated, only the last run counts."""
        self._noted = _Noted()
        token = _noted.set(self._noted)
        try:
            return await self._work(db)
        finally:
            _noted.reset(token)

    def tell(self) -> list[Signal]:
        """Runs the steps of a committed transaction; returns the signals to send."""
        for step in self._noted.steps:
            step()
        return sorted(self._noted.signals)
