"""What sites saw of a day: kept in a file, because in the memory of this process it would look like the service's."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.origin import Hit, Origin


class Records:
    """The requests of many origins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def take_from(self, *origins: Origin) -> None:
        """Moves whatever is over from their logs to the file."""
        for origin in origins:
            over = [hit for hit in origin.log if hit.finished is not None]
            if over:
                origin.log[:] = [hit for hit in origin.log if hit.finished is None]
                self._write(over)

    def _write(self, hits: Sequence[Hit]) -> None:
        with self._path.open("a") as file:
            file.writelines(f"{json.dumps(asdict(hit))}\n" for hit in hits)

    def hits(self) -> Iterator[Hit]:
        """Those that were taken, of all origins."""
        with self._path.open() as file:
            for line in file:
                yield Hit(**json.loads(line))
