"""What Meilisearch makes of a query string, and how well a document matches it."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PART = re.compile(r'(?P<minus>-)?(?:"(?P<phrase>[^"]*)"?|(?P<bare>[^\s"]+))')
#: what it reads of a query
_MOST_WORDS = 10


@dataclass(frozen=True)
class Part:
    """A word or a phrase."""

    words: tuple[str, ...]
    is_phrase: bool
    is_prefix: bool = False


@dataclass(frozen=True)
class Query:
    """What is looked for."""

    wanted: tuple[Part, ...]
    unwanted: tuple[Part, ...]


def parsed(text: str) -> Query:
    """Words, "phrases", -exclusions; the last word, unless something follows it, may go on."""
    wanted: list[Part] = []
    unwanted: list[Part] = []
    for match in _PART.finditer(text):
        words = tuple(words_of(match["bare"] if match["phrase"] is None else match["phrase"]))
        if not words:
            continue
        is_phrase = match["phrase"] is not None
        parts = [Part(words, True)] if is_phrase else [Part((word,), False) for word in words]
        (unwanted if match["minus"] else wanted).extend(parts)
    wanted = wanted[:_MOST_WORDS]
    if wanted and not wanted[-1].is_phrase and not text.endswith(" "):
        wanted[-1] = Part(wanted[-1].words, False, is_prefix=True)
    return Query(tuple(wanted), tuple(unwanted))


def words_of(text: str) -> list[str]:
    """Lower case, without marks."""
    unmarked = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", unmarked.lower())


class Matcher:
    """Finds the parts of a query in documents."""

    def __init__(self, query: Query, attributes: Sequence[str], *, strategy: str, typos: bool) -> None:
        self._query = query
        self._attributes = attributes
        self._strategy = strategy
        self._typos = typos

    def match(self, document: Mapping[str, Any]) -> tuple[int, int, int] | None:
        """Parts found, best attribute, exact ones: what the ranking rules go by; None when it is not wanted."""
        texts = [words_of(str(document.get(name) or "")) for name in self._attributes]
        if any(self._place(part, texts) is not None for part in self._query.unwanted):
            return None
        found = [self._place(part, texts) for part in self._query.wanted]
        if self._strategy == "all":
            count = len(found) if None not in found else 0
        else:
            # "last" gives up words from the end.
            count = next((index for index, place in enumerate(found) if place is None), len(found))
        if found and not count:
            return None
        places = [place for place in found[:count] if place is not None]
        return count, min((place for place, _ in places), default=0), sum(exact for _, exact in places)

    def _place(self, part: Part, texts: Sequence[Sequence[str]]) -> tuple[int, bool] | None:
        """The first attribute that has it, and whether it stands there as it was typed."""
        for index, words in enumerate(texts):
            size = len(part.words)
            for start in range(len(words) - size + 1):
                if tuple(words[start : start + size]) == part.words:
                    return index, True
            if not part.is_phrase and any(self._is_like(part, word) for word in words):
                return index, False
        return None

    def _is_like(self, part: Part, word: str) -> bool:
        (typed,) = part.words
        if part.is_prefix and word.startswith(typed):
            return True
        allowed = 0 if not self._typos or len(typed) < 5 else 1 if len(typed) < 9 else 2
        return allowed > 0 and _distance(typed, word) <= allowed


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]
