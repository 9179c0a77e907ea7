"""Caches data of open runs between commits: URLs already offered, and whether pages still bring anything new."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.planning.planner import Planner
from lamplighter.model.reading import PageRole
from lamplighter.model.run_log import Keeping
from lamplighter.rules.urls import traps

#: URLs cached over all open runs; beyond it the least recent run is dropped, which only costs queries
MOST_URLS = 500_000
#: runs cached: a run that ends in another process is not dropped here by itself
MOST_RUNS = 4096
#: the latest pages that decide whether a run still finds anything new
_WINDOW = 50
#: content hashes cached of one run
_CONTENTS = 10_000


class _Run:
    def __init__(self) -> None:
        self.urls: set[tuple[PageRole, str]] = set()
        self.contents: set[str] = set()
        self.novelty: deque[bool] = deque(maxlen=_WINDOW)


class RunMemory:
    """A cache of open runs' data."""

    def __init__(self, most_urls: int = MOST_URLS) -> None:
        self._most = most_urls
        self._count = 0
        self._runs: OrderedDict[int, _Run] = OrderedDict()

    def not_offered(self, run_id: int, role: PageRole, urls: Sequence[str]) -> list[str]:
        """The URLs that the run was not offered before in that role: a link may turn out to be "next"."""
        run = self._runs.get(run_id)
        return [url for url in urls if (role, url) not in run.urls] if run is not None else list(urls)

    def offered(self, run_id: int, urls: Iterable[tuple[PageRole, str]]) -> None:
        """Notes URLs that the run was offered."""
        run = self._run(run_id)
        before = len(run.urls)
        run.urls.update(urls)
        self._count += len(run.urls) - before
        while self._count > self._most:
            self._drop_quietest()

    def read(self, run_id: int, content_hash: str, *, brought_records: bool) -> None:
        """Notes whether a page had anything that no other page of the run had."""
        run = self._run(run_id)
        run.novelty.append(brought_records or content_hash not in run.contents)
        if len(run.contents) >= _CONTENTS:
            run.contents.clear()
        run.contents.add(content_hash)

    def is_going_in_circles(self, run_id: int) -> bool:
        """Whether the last pages brought so little that no more links are followed."""
        run = self._runs.get(run_id)
        return run is not None and traps.novelty_exhausted(tuple(run.novelty), window=_WINDOW)

    def forget(self, run_id: int) -> None:
        """Drops a run."""
        run = self._runs.pop(run_id, None)
        if run is not None:
            self._count -= len(run.urls)

    def _run(self, run_id: int) -> _Run:
        run = self._runs.get(run_id)
        if run is None:
            run = self._runs[run_id] = _Run()
        self._runs.move_to_end(run_id)
        if len(self._runs) > MOST_RUNS:
            self._drop_quietest()
        return run

    def _drop_quietest(self) -> None:
        _, dropped = self._runs.popitem(last=False)
        self._count -= len(dropped.urls)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """What the page sink needs to store and finish runs."""

    planner: Planner
    notice_writer: NoticeWriter
    memory: RunMemory = field(default_factory=RunMemory)
    #: whether feeds that start pages announce are remembered
    finds_feeds: bool = False
    #: how much of its log a run keeps
    keeping: Keeping = field(default_factory=Keeping)
