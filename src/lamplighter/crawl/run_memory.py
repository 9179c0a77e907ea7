"""What is remembered of open runs between commits: URLs already offered, and whether pages still bring anything new."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

from lamplighter.model.reading import Role
from lamplighter.rules import traps

#: URLs remembered over all open runs; beyond it the quietest run is forgotten, which costs look-ups, nothing else
MOST_URLS = 500_000
#: runs remembered: what ends in another process is not forgotten here by itself
MOST_RUNS = 4096
#: pages looked back upon when asking whether a run still finds anything new
_WINDOW = 50
#: contents remembered of one run
_CONTENTS = 10_000


class _Run:
    def __init__(self) -> None:
        self.urls: set[tuple[Role, str]] = set()
        self.contents: set[str] = set()
        self.novelty: deque[bool] = deque(maxlen=_WINDOW)


class RunMemory:
    """Memory of open runs; never the truth."""

    def __init__(self, most_urls: int = MOST_URLS) -> None:
        self._most = most_urls
        self._count = 0
        self._runs: OrderedDict[int, _Run] = OrderedDict()

    def not_offered(self, run_id: int, role: Role, urls: Sequence[str]) -> list[str]:
        """Those of the URLs that the run was not offered before, in that role: a link may turn out to be "next"."""
        run = self._runs.get(run_id)
        return [url for url in urls if (role, url) not in run.urls] if run is not None else list(urls)

    def offered(self, run_id: int, urls: Iterable[tuple[Role, str]]) -> None:
        """The run has decided about these URLs."""
        run = self._run(run_id)
        before = len(run.urls)
        run.urls.update(urls)
        self._count += len(run.urls) - before
        while self._count > self._most:
            self._drop_quietest()

    def read(self, run_id: int, content_hash: str, *, brought_records: bool) -> None:
        """A page of the run was read: was there anything on it that no other page of the run had?"""
        run = self._run(run_id)
        run.novelty.append(brought_records or content_hash not in run.contents)
        if len(run.contents) >= _CONTENTS:
            run.contents.clear()
        run.contents.add(content_hash)

    def is_going_in_circles(self, run_id: int) -> bool:
        """Whether the last pages brought so little that following further links is pointless."""
        run = self._runs.get(run_id)
        return run is not None and traps.novelty_exhausted(tuple(run.novelty), window=_WINDOW)

    def forget(self, run_id: int) -> None:
        """The run is over."""
        run = self._runs.pop(run_id, None)
        if run is not None:
            self._count -= len(run.urls)

    def _run(self, run_id: int) -> _Run:
        run = self._runs.setdefault(run_id, _Run())
        self._runs.move_to_end(run_id)
        if len(self._runs) > MOST_RUNS:
            self._drop_quietest()
        return run

    def _drop_quietest(self) -> None:
        _, dropped = self._runs.popitem(last=False)
        self._count -= len(dropped.urls)
