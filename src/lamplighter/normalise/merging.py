"""The same thing seen twice: which sighting tells it better?"""

from lamplighter.model.record import Record


def supersedes(
    record: Record, page_id: int, *, stored_hash: str, stored_quality: float, stored_page_id: int | None
) -> bool:
    """Whether a new sighting replaces what is stored.

    The page that told us a thing may always correct itself; another page only if it knows more. Otherwise the two lines
    of a listing would overwrite the full text of the detail page at every visit.
    """
    if record.content_hash == stored_hash:
        return False
    return page_id == stored_page_id or stored_page_id is None or record.quality > stored_quality


def is_retold(page_id: int, *, stored_page_id: int | None) -> bool:
    """Whether another page than the one that told us a thing tells it better: then we know more of it than before, but
    the thing itself need not have changed."""
    return stored_page_id is not None and stored_page_id != page_id
