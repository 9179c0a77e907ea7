"""To which item does a property belong? In microdata and RDFa: to the nearest ancestor that starts one."""

from collections.abc import Collection

from turbohtml import Element

from lamplighter.extract.elements import parent_of, self_and_above


class Scopes:
    """The elements that start an item, found from any element inside them in few steps."""

    __slots__ = ("_nearest", "_starts")

    def __init__(self, starts: Collection[Element]) -> None:
        self._starts = starts
        #: element -> the start around it: cached so that the next walk upwards is short
        self._nearest: dict[Element, Element | None] = {}

    def around(self, node: Element) -> Element | None:
        """The element that starts the item around this one (not this one itself); None when there is none."""
        climbed: list[Element] = []
        found: Element | None = None
        for above in self_and_above(parent_of(node)):
            if above in self._starts:
                found = above
                break
            if above in self._nearest:
                found = self._nearest[above]
                break
            climbed.append(above)
        self._nearest.update(dict.fromkeys(climbed, found))
        return found
