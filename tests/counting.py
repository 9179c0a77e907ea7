"""What was counted since a test began: metrics are of the whole process, and other tests count there too."""

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


def _all() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }
