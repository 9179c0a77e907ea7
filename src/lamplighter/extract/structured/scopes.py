"""To which item does a property belong? In microdata and RDFa: to the nearest element around it that starts one."""

from collections.abc import Collection

from selectolax.lexbor import LexborNode


class Scopes:
    """The elements that start an item, found from any element inside them in few steps."""

    __slots__ = ("_nearest", "_starts")

    def __init__(self, starts: Collection[int]) -> None:
        #: elements by their mem_id
        self._starts = starts
        #: element -> the start around it: what one walk upwards learnt the next one need not ask
        self._nearest: dict[int, int | None] = {}

    def around(self, node: LexborNode) -> int | None:
        """The element that starts the item around this one (not this one itself); None when there is none."""
        climbed: list[int] = []
        found: int | None = None
        parent = node.parent
        while parent is not None:
            place = parent.mem_id
            if place in self._starts:
                found = place
                break
            if place in self._nearest:
                found = self._nearest[place]
                break
            climbed.append(place)
            parent = parent.parent
        self._nearest.update(dict.fromkeys(climbed, found))
        return found
