"""The rating of a product out of five, and how many people rated it."""

import re
from collections.abc import Mapping
from typing import Any

_MOST_REVIEWS = 10**9
_NUMBER = r"[0-9]{1,9}(?:[.,][0-9]{1,6})?"
_OUT_OF = re.compile(rf"({_NUMBER})\s*(?:(?:/|of|out of|von|sur|de|su|van|av|af|z|из)\s*({_NUMBER}))?(?:\s*[^\W\d_]+)?")
_COUNT = re.compile(r"[0-9]{1,3}(?:[., \u00a0\u202f'’][0-9]{3})+|[0-9]+")
#: the best possible rating where a page does not say it
_BEST = (5.0, 10.0, 100.0)


def read_rating(value: Any) -> float | None:
    """The rating out of five; None when the value has none."""
    if isinstance(value, Mapping):
        return _out_of_five(_number(value.get("value")), _number(value.get("best")))
    if not isinstance(value, str):
        return _out_of_five(_number(value), None)
    found = _OUT_OF.fullmatch(value.strip()[:50])
    return _out_of_five(_number(found[1]), _number(found[2])) if found else None


def read_review_count(value: Any) -> int | None:
    """How many reviews or ratings there are; None when the value has no number."""
    if isinstance(value, str):
        found = _COUNT.search(value[:50])
        value = int(re.sub(r"\D", "", found[0])) if found else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_REVIEWS
    return value if is_count else None


def _out_of_five(rating: float | None, best: float | None) -> float | None:
    if rating is None or rating < 0:
        return None
    best = best or next((usual for usual in _BEST if rating <= usual), None)
    if best is None or best <= 0 or rating > best:
        return None
    return round(rating * 5 / best, 2)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        plain = value.strip().replace(",", ".")
        return float(plain) if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", plain) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -1e9 < value < 1e9 else None
