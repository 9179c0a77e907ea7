"""Patterns for one of very many words: an alternation tries them one by one, a tree goes straight to the right one."""

import re
from collections.abc import Iterable
from typing import TypeAlias

_END = ""
_Tree: TypeAlias = "dict[str, _Tree]"


def one_of(words: Iterable[str]) -> str:
    """The source of a pattern that matches any of these words, the longest that fits.

    The first character rules out most texts, and words share the work of their common prefixes.
    """
    tree: _Tree = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})
        branch[_END] = {}
    return f"(?=[{''.join(map(re.escape, tree))}]){_source(tree)}"


def _source(tree: _Tree) -> str:
    branches = [re.escape(character) + _source(rest) for character, rest in tree.items() if character != _END]
    if not branches:
        return ""
    whole = f"(?:{'|'.join(branches)})" if len(branches) > 1 or _END in tree else branches[0]
    return f"{whole}?" if _END in tree else whole
