"""Which words of a closed vocabulary does a text use? Whole words of many languages, matched without slow patterns.

A table has, for each code, its words: separated by commas, in any case, with a star for a prefix (`praktikant*`),
several words where only a phrase is evidence (`climate change`). Chinese, Japanese and Korean words, which have no
separators, are searched anywhere in the text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple
from unicodedata import normalize

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
#: letters in lower case, digits as they are, everything else a space
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128)) + bytes(128)
#: prefixes are looked up by this many of their first letters
_KEY = 4
_first_letters = itemgetter(slice(_KEY))


class FoldedText(NamedTuple):
    """A text, prepared for lookups."""

    #: its words in lower case, a space before and behind each
    spaced: str
    words: frozenset[str]
    #: the first letters of its words
    keys: frozenset[str]
    has_unspaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Codes and their words; make it with `vocabulary`."""

    #: the codes in the order of their table
    codes: tuple[str, ...]
    #: the words and the first letters by which everything below is looked up
    firsts: frozenset[str]
    keys: frozenset[str]
    #: single words -> their codes: the word alone is enough evidence
    single: Mapping[str, tuple[str, ...]]
    #: first word -> (the phrase as in a spaced text, its code)
    phrases: Mapping[str, tuple[tuple[str, str], ...]]
    #: first letters -> (a prefix, its code)
    starts: Mapping[str, tuple[tuple[str, str], ...]]
    unspaced: tuple[tuple[str, str], ...]

    def hits(self, words: FoldedText) -> dict[str, int]:
        """How many different words of each code the text uses, in the order of the codes."""
        candidates: list[tuple[str, str]] = []
        found: dict[str, int] = {}
        for word in self.firsts & words.words:
            for code in self.single.get(word, ()):
                found[code] = found.get(code, 0) + 1
            candidates += self.phrases.get(word, ())
        for key in self.keys & words.keys:
            candidates += self.starts[key]
        if words.has_unspaced:
            candidates += self.unspaced
        for entry, code in candidates:
            if entry in words.spaced:
                found[code] = found.get(code, 0) + 1
        return {code: found[code] for code in self.codes if code in found} if len(found) > 1 else found

    def first(self, words: FoldedText) -> str | None:
        """The first code of the table among those the text uses."""
        return next(iter(self.hits(words)), None)


def words_in(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    if text.isascii():
        # Most texts, and much faster than searching words.
        return text.encode().translate(_ASCII_WORDS).decode().split()
    # One form for letters with accents; the dot that a Turkish capital I leaves behind is not a letter.
    return _WORD.findall(normalize("NFC", text.casefold().replace("\u0307", "")))


def words_of(text: str) -> FoldedText:
    """The text, prepared for lookups in any vocabulary."""
    words = words_in(text)
    distinct = frozenset(words)
    return FoldedText(
        spaced=f" {' '.join(words)} ",
        words=distinct,
        keys=frozenset(map(_first_letters, distinct)),
        has_unspaced=not text.isascii() and _UNSPACED.search(text) is not None,
    )


def vocabulary(table: Mapping[str, str]) -> Vocabulary:
    """The vocabulary that a table of codes and their words describes."""
    single: dict[str, dict[str, None]] = {}
    phrases: dict[str, dict[tuple[str, str], None]] = {}
    starts: dict[str, dict[tuple[str, str], None]] = {}
    unspaced: dict[tuple[str, str], None] = {}
    for code, listed in table.items():
        for phrase in listed.split(","):
            words = words_in(phrase)
            if not words:
                continue
            entry, may_go_on = f" {' '.join(words)}", phrase.rstrip().endswith("*")
            if _UNSPACED.search(phrase):
                unspaced[entry.strip(), code] = None
            elif len(words) > 1:
                phrases.setdefault(words[0], {})[entry if may_go_on else f"{entry} ", code] = None
            elif not may_go_on:
                single.setdefault(words[0], {})[code] = None
            elif len(words[0]) < _KEY:
                raise ValueError(f"{phrase!r} is a prefix, so it needs {_KEY} letters to be looked up by")
            else:
                starts.setdefault(words[0][:_KEY], {})[entry, code] = None
    return Vocabulary(
        codes=tuple(table),
        firsts=frozenset(single).union(phrases),
        keys=frozenset(starts),
        single={word: tuple(codes) for word, codes in single.items()},
        phrases={word: tuple(entries) for word, entries in phrases.items()},
        starts={key: tuple(entries) for key, entries in starts.items()},
        unspaced=tuple(unspaced),
    )
