"""Marks the words of a search query in a text for HTML; everything else is escaped."""

import re
from html import escape

from lamplighter.model.record_search import TextQuery
from lamplighter.rules.records.search_query import fold

#: characters of a text that are searched, and shown around the first match
_READ = 20_000
_WIDTH = 240
_BEFORE = 60
_WORD = re.compile(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")


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
