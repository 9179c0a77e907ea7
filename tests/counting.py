"""What was counted since a test began: metrics are of the whole process, and other tests count there too."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from lamplighter.metrics import REGISTRY


class Counting:
    """Remembers every series, so that what is asked for later is only what came since."""

    def __init__(self) -> None:
        self._before = _all()

    def since(self, name: str, **labels: str) -> float:
        """By how much the series with these labels (and any others) have grown."""
        return sum(
            value - self._before.get(key, 0.0)
            for key, value in _all().items()
            if key[0] == name and set(labels.items()) <= set(key[1])
        )


def shown(name: str, **labels: str) -> float | None:
    """What a series shows now; None when it shows nothing."""
    return REGISTRY.get_sample_value(name, labels)


@contextmanager
def statements() -> Iterator[list[str]]:
    """Everything that is asked of databases meanwhile."""
    sent: list[str] = []

    def listen(_c: object, _cursor: object, statement: str, _p: object, _x: object, _many: bool) -> None:
        sent.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", listen)


def _all() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }
