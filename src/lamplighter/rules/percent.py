"""Shares as people read them."""


def percent(part: int, rest: int) -> float:
    """What `part` is of `part` and `rest` together, in per cent with two decimals; 0 when both are nothing."""
    whole = part + rest
    return round(100 * part / whole, 2) if whole else 0.0
