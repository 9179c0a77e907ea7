"""Which archive segments to compact, so that unneeded captures free their space?

Space is freed by copying what is needed of a segment elsewhere. The emptier the segment, the less has to be copied
for it: so the emptiest go first, and only as long as there is too much unneeded data.
"""

from collections.abc import Iterator, Mapping

#: share of unneeded bytes, of one segment and of all together, above which segments are moved
MOST_NEEDLESS = 0.5
MOST_NEEDLESS_OF_ALL = 0.2
#: What a segment may hold besides captures, like the first record of a WARC file: every move writes it again, so
#: small segments would be moved for ever because of it.
OPENING_BYTES = 1024


def worth_moving(sizes: Mapping[str, int], *, needed: Mapping[str, int]) -> Iterator[str]:
    """Segments (name -> bytes, and needed bytes) to move, the emptiest first."""
    needless = {name: max(0, size - needed[name] - OPENING_BYTES) for name, size in sizes.items()}
    needless_of_all, all_bytes = sum(needless.values()), sum(sizes.values())
    for name in sorted(needless, key=lambda name: (-needless[name] / (sizes[name] or 1), name)):
        is_mostly_needless = needless[name] > MOST_NEEDLESS * sizes[name]
        if not is_mostly_needless and needless_of_all <= MOST_NEEDLESS_OF_ALL * all_bytes:
            return
        yield name
        # The needed part is still there afterwards, elsewhere.
        needless_of_all -= needless[name]
        all_bytes -= needless[name]
