"""Parses a search query (words, "phrases", -exclusions and prefixes*; no input is an error), and marks its words."""

import re
import unicodedata
from collections.abc import Iterator
from html import escape

from lamplighter.model.record_search import Term, TextQuery

#: further terms are ignored
_MOST_TERMS = 20
_MOST_WORDS_OF_A_TERM = 20
_LONGEST_WORD = 100
#: a phrase up to its closing quote or the end, or a run of characters without spaces
_PIECE = re.compile(r'(?P<minus>-)?(?:"(?P<phrase>[^"]*)"?(?P<star>\*)?|(?P<bare>[^\s"]+))')
_MARKS_ON_LATIN = re.compile("([A-Za-z])[\u0300-\u036f]+")
#: characters of a text that are searched, and shown around the first match
_READ = 20_000
_WIDTH = 240
_BEFORE = 60
_WORD = re.compile(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")


def parse(text: str) -> TextQuery:
    """The terms in their order; pieces without a letter or a digit are left out."""
    wanted: list[Term] = []
    unwanted: list[Term] = []
    for is_excluded, term in _terms(text):
        if len(wanted) + len(unwanted) == _MOST_TERMS:
            break
        (unwanted if is_excluded else wanted).append(term)
    return TextQuery(wanted=tuple(wanted), unwanted=tuple(unwanted))


def still_typed(text: str) -> str:
    """The query with its last word as a prefix, for searching while the user types."""
    last = text.rsplit(maxsplit=1)[-1] if text.strip() else ""
    is_open = text.endswith(last) and last.isalnum() and text.count('"') % 2 == 0
    return f"{text}*" if is_open else text


def fold(text: str) -> str:
    """The text as it is compared: in lower case, without the marks on Latin letters, as the databases do it."""
    if text.isascii():
        return text.lower()
    unmarked = _MARKS_ON_LATIN.sub(r"\1", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", unmarked).lower()


def words_of(text: str) -> list[str]:
    """The words of a text: runs of letters, digits and the marks that belong to them."""
    return "".join(character if is_of_a_word(character) else " " for character in text).split()


def is_of_a_word(character: str) -> bool:
    """Whether a character is part of a word."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _terms(text: str) -> Iterator[tuple[bool, Term]]:
    for piece in _PIECE.finditer(text):
        said = piece["phrase"] if piece["bare"] is None else piece["bare"]
        # "full-time" and "node.js" are phrases, too: both databases see two words in them.
        words = tuple(fold(word)[:_LONGEST_WORD] for word in words_of(said))[:_MOST_WORDS_OF_A_TERM]
        if words:
            is_prefix = piece["star"] is not None or (piece["bare"] is not None and said.endswith("*"))
            yield piece["minus"] is not None, Term(words=words, is_prefix=is_prefix)


class Marker:
    """Marks the words of one query in any number of texts."""

    def __init__(self, query: TextQuery) -> None:
        self._words = {word for term in query.wanted for word in term.words}
        self._starts = tuple(term.words[-1] for term in query.wanted if term.is_prefix)

    def whole(self, text: str) -> str:
        """The whole text, marked."""
        return self._marked(text)

    def part(self, text: str) -> str:
        """The part of a text around the first match, marked; its beginning when there is no match."""
        text = text[:_READ]
        first = next((start for start, _ in self._finds(text)), 0)
        start = 0 if first <= _BEFORE else _word_start(text, first - _BEFORE)
        end = min(len(text), start + _WIDTH)
        if end < len(text):
            end = max(text.rfind(" ", start + 1, end), first)
            end = end if end > first else start + _WIDTH
        return ("… " if start else "") + self._marked(text[start:end]) + (" …" if end < len(text) else "")

    def _finds(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(text) if self._is_wanted(match[0])]

    def _is_wanted(self, word: str) -> bool:
        folded = fold(word)
        return folded in self._words or bool(self._starts and folded.startswith(self._starts))

    def _marked(self, text: str) -> str:
        parts: list[str] = []
        done = 0
        for start, end in self._finds(text):
            parts += [escape(text[done:start]), "<mark>", escape(text[start:end]), "</mark>"]
            done = end
        return "".join((*parts, escape(text[done:])))


def _word_start(text: str, at: int) -> int:
    """The next position at which a word begins."""
    space = text.find(" ", at)
    return at if space < 0 or space > at + _BEFORE else space + 1
