"""When the same record is found on two pages: which version is kept?"""

from lamplighter.model.record import Record


def supersedes(
    record: Record, page_id: int, *, stored_hash: str, stored_quality: float, stored_page_id: int | None
) -> bool:
    """Whether a newly found record replaces the stored one.

    The page that a record came from may always correct it; another page only if it has more. Otherwise the two lines
    of a listing would overwrite the full text of the detail page at every visit.
    """
    if record.content_hash == stored_hash:
        return False
    return page_id == stored_page_id or stored_page_id is None or record.quality > stored_quality


def is_other_page(page_id: int, *, stored_page_id: int | None) -> bool:
    """Whether the better version comes from another page: then more is known, but the record need not have changed."""
    return stored_page_id is not None and stored_page_id != page_id
