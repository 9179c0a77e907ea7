"""How many Python calls of ours a request takes, from the gate to the visit: what every page pays, on any machine."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import lamplighter
from lamplighter.fetch.door import Door
from lamplighter.fetch.held_host import HeldHost
from lamplighter.model.visit import Fetched
from tests.fetch.client_stack import a_request, opened
from tests.origin import Origin

#: a tenth more than a request over a kept connection takes
MOST_CALLS = 145
#: of so many requests the one with the fewest counts: others wait for something, and each wait takes a few calls
_REQUESTS = 30
_OURS = str(Path(lamplighter.__file__).parent)
#: what dataclasses and named tuples are made by
_MADE = "<string>"


async def _calls(door: Door, held: HeldHost, url: str) -> Counter[str]:
    """What was called in this thread for one request."""
    found = Counter[str]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and (code.co_filename.startswith(_OURS) or code.co_filename == _MADE):
            found[f"{Path(code.co_filename).name}: {code.co_qualname}"] += 1

    sys.setprofile(note)
    try:
        result = await door.fetcher.fetch(held, a_request(url))
    finally:
        sys.setprofile(None)
    assert isinstance(result.visit, Fetched)
    return found


async def test_a_request_takes_few_calls(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "<p>Jobs</p>")
    async with opened(tmp_path, origin) as door:
        await door.set_policy(origin, min_delay_ms=0)
        async with door.door.turns.visiting(origin.address, patience=10) as held:
            found = [await _calls(door.door, held, f"{origin.url}/jobs") for _ in range(_REQUESTS)]

    fewest = min(found, key=Counter.total)
    assert fewest.total() <= MOST_CALLS, fewest.most_common()
