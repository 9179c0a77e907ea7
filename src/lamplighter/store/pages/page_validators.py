"""The columns of a page that hold its validators for conditional requests."""

from typing import Any

from lamplighter.model.visit import Validators

#: the prefix of validators that mean nothing: no header begins with a space
_NOTHING = " "


def of_row(row: Any) -> Validators:
    """The validators of a page."""
    etag, last_modified = row.etag, row.last_modified
    if not (etag or last_modified or "").startswith(_NOTHING):
        return Validators(etag=etag, last_modified=last_modified)
    return Validators(
        etag=etag and etag.removeprefix(_NOTHING),
        last_modified=last_modified and last_modified.removeprefix(_NOTHING),
        mean_nothing=True,
    )


def values(validators: Validators) -> dict[str, str | None]:
    """The values of those columns."""
    mark = _NOTHING if validators.mean_nothing else ""
    return {
        "etag": validators.etag and mark + validators.etag,
        "last_modified": validators.last_modified and mark + validators.last_modified,
    }
