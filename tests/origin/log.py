"""The access log: who asked what, and when. Politeness is judged by this and by nothing of ours."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise

from tests.origin.answers import Answer, Request


@dataclass(slots=True, kw_only=True)
class Hit:
    """One request; `finished` and `status` stay None while it is being answered."""

    #: 0 for the first request that arrived
    number: int
    method: str
    #: path and query
    path: str
    headers: dict[str, str]
    #: when the head had been read, by the log's clock
    arrived: float
    #: requests being answered at that moment, this one included
    in_flight: int
    #: the same clock just before a proper answer was sent, so that nobody can have had it earlier; None if none was
    answered: float | None = None
    finished: float | None = None
    status: int | None = None
    #: headers of the answer under lower-case names, cookies one to a line
    sent: dict[str, str] = field(default_factory=dict)
    #: the address that it came from
    peer: str = ""


class AccessLog:
    """The hits in order of arrival."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        #: seconds since whenever
        self.clock = clock
        self.hits: list[Hit] = []
        self._in_flight = 0

    @contextmanager
    def recording(self, request: Request, arrived: float, *, peer: str) -> Iterator[Hit]:
        """Records a request for as long as it is being answered."""
        self._in_flight += 1
        hit = Hit(
            number=len(self.hits),
            method=request.method,
            path=request.target,
            headers=dict(request.headers),
            arrived=arrived,
            in_flight=self._in_flight,
            peer=peer,
        )
        self.hits.append(hit)
        try:
            yield hit
        finally:
            self._in_flight -= 1
            hit.finished = self.clock()

    def answers(self, hit: Hit, answer: Answer) -> None:
        """Notes what is about to be sent."""
        hit.sent = {name.lower(): value for name, value in answer.headers.items()}
        if answer.cookies:
            hit.sent["set-cookie"] = "\n".join(answer.cookies)
        hit.answered = self.clock()

    def gaps(self) -> list[float]:
        """Seconds between one arrival and the next."""
        return [after.arrived - before.arrived for before, after in pairwise(self.hits)]

    def dump(self) -> str:
        """The log as JSON, for programs that are not in this process."""
        return json.dumps([asdict(hit) for hit in self.hits], indent=1)
