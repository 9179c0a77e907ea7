"""When living workers found that they had got too little of the machine to keep what they had leased."""

import json
import time
from datetime import datetime

_SIGNS = ('"fetch.lease_lost"', '"fetch.fenced"')


def starved_at(said: str) -> list[float]:
    """The moments, on the clock of access logs, from what workers said in JSON."""
    ahead = time.monotonic() - time.time()
    lines = [line for line in said.splitlines() if any(sign in line for sign in _SIGNS)]
    return [datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp() + ahead for line in lines]
