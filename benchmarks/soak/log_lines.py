"""What did the service complain of?"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Final

#: what is said to whoever started it
_SAID: Final = ("Lamplighter is running", "Stopping after")


def counts(lines: Iterable[str]) -> Counter[str]:
    """`level event` -> lines of the service's log; what is none counts as an error."""
    found: Counter[str] = Counter()
    for line in lines:
        try:
            told = json.loads(line)
            found[f"{told['level']} {told['event']}"] += 1
        except (ValueError, KeyError, TypeError):
            if not line.startswith(_SAID):
                found[f"error {line[:60]}"] += 1
    return found
