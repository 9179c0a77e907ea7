"""Which segments of the archive are worth moving, so that what nothing needs gives its room back?

Room is given back by copying what is needed of a segment elsewhere. The emptier the segment, the less has to be copied
for it: so the emptiest go first, and only as long as there is too much that nothing needs.
"""

from collections.abc import Iterator, Mapping

#: of one segment, and of all together: where more is needless, something is moved
MOST_NEEDLESS = 0.5
MOST_NEEDLESS_OF_ALL = 0.2
#: What a segment may have besides captures, like the first record of a WARC file: it comes again with every move, so
#: small segments would be moved for ever because of it.
OPENING_BYTES = 1024


def worth_moving(sizes: Mapping[str, int], *, needed: Mapping[str, int]) -> Iterator[str]:
    """Segments (name -> bytes, and what of them is needed), the emptiest first."""
    needless = {name: max(0, size - needed[name] - OPENING_BYTES) for name, size in sizes.items()}
    needless_of_all, all_bytes = sum(needless.values()), sum(sizes.values())
    for name in sorted(needless, key=lambda name: (-needless[name] / (sizes[name] or 1), name)):
        is_mostly_needless = needless[name] > MOST_NEEDLESS * sizes[name]
        if not is_mostly_needless and needless_of_all <= MOST_NEEDLESS_OF_ALL * all_bytes:
            return
        yield name
        # What is needed of it is still there afterwards, elsewhere.
        needless_of_all -= needless[name]
        all_bytes -= needless[name]
