"""Word patterns that are compared with the output of `field_words.bare`."""

import re
import unicodedata


def word_pattern(source: str) -> re.Pattern[str]:
    """The pattern with its own words folded likewise, so that each may be written as its language writes it."""
    split = unicodedata.normalize("NFKD", source)
    return re.compile("".join(character for character in split if not unicodedata.combining(character)))
