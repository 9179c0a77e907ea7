"""What is done once a transaction is durable, and only then: counting what it did.

A transaction may be repeated or fail; whoever counted inside it would count what never was.
"""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Step = Callable[[], None]

#: of the transaction that goes on; None outside of any
_steps: ContextVar[list[Step] | None] = ContextVar("steps after the commit", default=None)


def after_commit(step: Step) -> None:
    """Has `step` done when the transaction that goes on is durable; at once when there is none."""
    steps = _steps.get()
    if steps is None:
        step()
    else:
        steps.append(step)


class Remembered(Generic[T]):
    """The work of a transaction, and what is to be done after it."""

    def __init__(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._steps: list[Step] = []

    async def __call__(self, db: Any) -> T:
        """Does the work; of one that is repeated only the last time counts."""
        self._steps = []
        with _remembering(self._steps):
            return await self._work(db)

    def tell(self) -> None:
        """The transaction is durable."""
        for step in self._steps:
            step()


@contextmanager
def _remembering(steps: list[Step]) -> Iterator[None]:
    token = _steps.set(steps)
    try:
        yield
    finally:
        _steps.reset(token)
