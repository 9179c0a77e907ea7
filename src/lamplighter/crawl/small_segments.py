"""Which small segments of the archive are worth being gathered into one?

A store of objects cannot append, so whoever fetches little writes an object for nearly every page, and each of them
costs a line of every listing. What is gathered makes a whole segment and is not gathered again: a body moves once.
"""

from collections.abc import Iterable, Iterator, Mapping

from lamplighter.store.bodies import Share

#: with so many bodies or bytes a segment is a whole one; with less than half of both it is small
WHOLE_BODIES = 256
WHOLE_BYTES = 4 * 1024 * 1024


def groups(rested: Iterable[str], shares: Mapping[str, Share]) -> Iterator[list[str]]:
    """Small segments that make up a whole one together, group by group; what does not fill one waits for more."""
    group: list[str] = []
    bodies = stored_bytes = 0
    for name in sorted(rested):
        share = shares.get(name)
        if share is None or not _is_small(share):
            continue
        group.append(name)
        bodies, stored_bytes = bodies + share.bodies, stored_bytes + share.stored_bytes
        if bodies >= WHOLE_BODIES or stored_bytes >= WHOLE_BYTES:
            yield group
            group, bodies, stored_bytes = [], 0, 0


def _is_small(share: Share) -> bool:
    return 2 * share.bodies < WHOLE_BODIES and 2 * share.stored_bytes < WHOLE_BYTES
