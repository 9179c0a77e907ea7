"""Which field does a column header or a label name? Compared without case, accents, punctuation and brackets."""

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse

from lamplighter.extract.words.field_vocabulary import NEVER_WITHIN, VOCABULARY

#: a longer text is a sentence, not a label
LONGEST_LABEL = 60
_MOST_WORDS = 8
#: a phrase this long may be inside a longer label: "deadline" in "Deadline for applications"
_SHORTEST_WITHIN = 5
#: scripts without spaces between words say as much in fewer characters
_SHORTEST_WITHIN_UNSPACED = 2

#: round and square brackets, and the wide ones of Chinese and Japanese
_BRACKETS = re.compile(r"[(\[\uff08\u3010][^)\]\uff09\u3011]{0,60}[)\]\uff09\u3011]?")
#: letters that Unicode does not decompose into accented ones
_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "№": "no"}
_WITHOUT_STROKES = str.maketrans(_STROKES)
_STROKE = re.compile(f"[{''.join(_STROKES)}]")
_NOT_WORDS = re.compile(r"[\W_]+")
_ASCII_WORDS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u1100-\u11ff\uac00-\ud7af]")


def field_for(label: str) -> str | None:
    """The raw field that a header or label names; None when it is not a known label."""
    if not label or len(label) > LONGEST_LABEL:
        return None
    return _field_for(label)


@lru_cache(maxsize=4096)
def _field_for(label: str) -> str | None:
    words = bare(label)
    if not words or words.count(" ") >= _MOST_WORDS:
        return None
    return _PHRASES.get(words) or _PHRASES.get(_singular(words)) or _some_title(words) or _within(words)


def is_field_name(label: str) -> bool:
    """Is the text a known label and nothing more?"""
    if not label or len(label) > LONGEST_LABEL:
        return False
    words = bare(label)
    return words in _PHRASES or _singular(words) in _PHRASES


def bare(label: str) -> str:
    """The words alone: no case, accents, punctuation or brackets."""
    if label.isascii() and "(" not in label and "[" not in label:
        return _plain_words(label)
    return _plain_words(_BRACKETS.sub(" ", label)) or _plain_words(label)


def _plain_words(text: str) -> str:
    folded = text.casefold()
    if not folded.isascii():
        # Looking for such a letter takes a hundredth of a translation's time.
        plain = folded.translate(_WITHOUT_STROKES) if _STROKE.search(folded) else folded
        folded = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", plain)))
    if folded.isascii():
        # A table takes a third of a pattern's time.
        return " ".join(folded.translate(_ASCII_WORDS).split())
    return _NOT_WORDS.sub(" ", folded).strip()


def _singular(words: str) -> str:
    return " ".join(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words.split())


def _within(words: str) -> str | None:
    """The field of the longest known phrase that is a part of the label."""
    if _UNSPACED.search(words):
        found = [phrase for phrase in _UNSPACED_PHRASES if phrase in words]
        return _PHRASES[max(found, key=len)] if found else None
    parts = words.split()
    for length in range(len(parts) - 1, 0, -1):
        for start in range(len(parts) - length + 1):
            phrase = " ".join(parts[start : start + length])
            if len(phrase) < _SHORTEST_WITHIN or (field := _PHRASES.get(phrase)) is None or field in _ONLY_WHOLE:
                continue
            around = parts[:start] + parts[start + length :]
            return field if _NEVER_WITHIN.isdisjoint(around) else None
    return None


def _some_title(words: str) -> str | None:
    """ "Requisition title" and the like: whatever the thing is called, this is its title."""
    parts = words.split()
    named = len(parts) <= _LONGEST_TITLE_LABEL and (parts[-1] in _TITLE_LAST or parts[0] in _TITLE_FIRST)
    return "title" if named and _NEVER_WITHIN.isdisjoint(parts) else None


def _phrases() -> dict[str, str]:
    found: dict[str, str] = {}
    for field, text in VOCABULARY.items():
        for phrase in text.replace("\n", ",").split(","):
            if words := _plain_words(phrase):
                found.setdefault(words, field)
                found.setdefault(_singular(words), field)
    return found


#: too many labels contain these words without meaning the field: "Post code", "Product name", "About the author"
_ONLY_WHOLE = frozenset({"title", "author", "description", "tags", "section"})
_NEVER_WITHIN = frozenset(NEVER_WITHIN.split())
_TITLE_LAST = frozenset({"title", "titel", "tittel"})
_TITLE_FIRST = frozenset({"titre", "intitule", "titulo", "titolo", "tytul", "nazev", "название", "назва"})
_LONGEST_TITLE_LABEL = 4
_PHRASES = _phrases()
_UNSPACED_PHRASES = [
    phrase for phrase in _PHRASES if len(phrase) >= _SHORTEST_WITHIN_UNSPACED and _UNSPACED.search(phrase)
]


def word_pattern(source: str) -> re.Pattern[str]:
    """The pattern with its own words folded likewise, so that each may be written as its language writes it."""
    split = unicodedata.normalize("NFKD", source)
    return re.compile("".join(character for character in split if not unicodedata.combining(character)))
