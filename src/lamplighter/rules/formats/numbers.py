"""The value of a number as people write it: with a decimal comma or point, and marks between thousands."""

import re

#: a class of characters that stand between thousands
GAP = r"['\u2019\u066c \u00a0\u2009\u202f]"
_GAPS = re.compile(GAP)


def number_of(digits: str) -> float:
    """The value of digits with separators: the last mark is the decimal one unless three digits follow it."""
    plain = _GAPS.sub("", digits).replace("\u066b", ".")
    whole, mark, rest = plain.rpartition("." if plain.rfind(".") > plain.rfind(",") else ",")
    if not mark:
        return float(plain)
    is_thousands = len(rest) == 3 and whole.strip("0") != ""
    other = "," if mark == "." else "."
    if is_thousands and other not in whole:
        return float(plain.replace(mark, ""))
    return float(f"{whole.replace(other, '').replace(mark, '')}.{rest}")
