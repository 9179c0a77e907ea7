"""How much is done for a page: Python calls, SQL statements, rows, commits, bytes between processes.

Counts do not depend on what else the machine does. Counting calls makes a crawl several times slower, so it is done
apart from what is timed.
"""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import sqlalchemy as sa

from lamplighter.crawl.reading import reader_pool

LOOP, WRITER, OTHERS = "Python calls, event loop", "Python calls, database writer", "Python calls, other threads"
STATEMENTS, ROWS, COMMITS = "SQL statements", "rows written, by triggers too", "commits"
BYTES: Final = "bytes between processes"
NAMES: Final = (LOOP, WRITER, OTHERS, STATEMENTS, ROWS, COMMITS, BYTES)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """What happens while the block lasts, in this process."""
    found: Counter[str] = Counter()
    with _sql(found), _messages(found), _calls(found):
        yield found


@contextmanager
def _calls(found: Counter[str]) -> Iterator[None]:
    def note(_: FrameType, event: str, __: Any) -> None:
        if event == "call":
            thread = threading.current_thread()
            is_writer = thread.name.startswith("sqlite-writer")
            found[LOOP if thread is threading.main_thread() else WRITER if is_writer else OTHERS] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


@contextmanager
def _sql(found: Counter[str]) -> Iterator[None]:
    changed: dict[int, int] = {}

    def executed(*_: Any) -> None:
        found[STATEMENTS] += 1

    def committed(connection: sa.Connection) -> None:
        driver = connection.connection.dbapi_connection
        total = getattr(driver, "total_changes", 0)
        found[ROWS] += total - changed.get(id(driver), 0)
        found[COMMITS] += total > changed.get(id(driver), 0)
        changed[id(driver)] = total

    sa.event.listen(sa.Engine, "before_cursor_execute", executed)
    sa.event.listen(sa.Engine, "commit", committed)
    try:
        yield
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", executed)
        sa.event.remove(sa.Engine, "commit", committed)


@contextmanager
def _messages(found: Counter[str]) -> Iterator[None]:
    ask = reader_pool._Reader.ask

    async def counting(reader: Any, message: bytes) -> bytes:
        answer = await ask(reader, message)
        found[BYTES] += len(message) + len(answer)
        return answer

    reader_pool._Reader.ask = counting  # type: ignore[method-assign]
    try:
        yield
    finally:
        reader_pool._Reader.ask = ask  # type: ignore[method-assign]
