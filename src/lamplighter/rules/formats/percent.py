"""Shares in per cent."""


def percent(part: int, rest: int) -> float | None:
    """The share of `part` in `part` + `rest`, in per cent with two decimals; None when both are 0."""
    whole = part + rest
    return round(100 * part / whole, 2) if whole else None
