"""Which words of a job's title name the role? "Senior" does so in "Senior Nurse", not in "Senior Citizens' Centre"."""

import re
from typing import NamedTuple

from lamplighter.normalise.vocabulary import words_in

_APART = re.compile(r"[,;:|()\[\]/–—•·]|\s-\s|(?<=\w)-\s|\s-(?=\w)")
_MOST_PHRASES = 6
#: words followed by what the role is about, not by the role
_ABOUT = frozenset(
    "of for in to at with on from und von für im am bei zur zum de des du d da do dos das della delle dei di del en "
    "el la para van voor in bij w na do dla på för til av af i dans au aux pour для по в з та et y e".split()
)


class Phrase(NamedTuple):
    """A part of a title between commas, dashes and brackets, up to the first preposition."""

    words: tuple[str, ...]
    #: what follows the preposition, if there is one
    about: tuple[str, ...]

    @property
    def first(self) -> str:
        """The first word, where most languages put an adjective."""
        return self.words[0]

    @property
    def head(self) -> str:
        """The noun that names the role in English and similar languages."""
        return self.words[-1]


def phrases_of(title: str) -> list[Phrase]:
    """The parts of a title, in lower case and without punctuation."""
    parts = (words_in(part) for part in _APART.split(title, maxsplit=_MOST_PHRASES))
    return [_phrase(words) for words in parts if words]


def _phrase(words: list[str]) -> Phrase:
    cut = next((place for place, word in enumerate(words) if place and word in _ABOUT), len(words))
    return Phrase(tuple(words[:cut]), tuple(words[cut + 1 :]))
