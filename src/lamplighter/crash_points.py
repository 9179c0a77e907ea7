"""Named points at which a test may kill the process, to prove that it survives kill -9.

`LAMPLIGHTER_CRASH_AT=<point>` ends the process with SIGKILL the first time it reaches that point, `<point>:3` the third
time. Unset, reaching a point costs one comparison.
"""

import os
import signal

from lamplighter.errors import BadSetting

#: every point, in the order of the flow
POINTS: dict[str, str] = {
    "create.midway": "the tables of an empty database are made, not yet committed",
    "migrate.midway": "a migration of an older schema has run, not yet committed",
    "deliver.before_effect": "an event was read, its effect is not yet committed",
    "deliver.after_effect": "the event's effect and receipt are committed, it is not yet acknowledged",
    "open.before_commit": "a run is written, not yet committed",
    "open.after_commit": "a run is open, no worker has started on it",
    "host.after_claim": "a host is leased, no request was sent",
    "robots.after_fetch": "robots.txt was fetched, not yet stored",
    "fetch.before_request": "a page's turn has come, the request is not yet sent",
    "fetch.after_response": "a page was fetched, nothing of it is stored",
    "fetch.after_archive": "the body is archived, the page is still pending",
    "fetch.after_commit": "a page is stored that was not read yet",
    "parse.after_claim": "a downloaded page is claimed for parsing",
    "parse.after_extract": "a page was parsed, nothing of it is stored",
    "store.before_commit": "pages, their records and new pages are written, not yet committed",
    "store.after_commit": "pages, their records and new pages are committed, no worker was woken",
    "finish.before_commit": "the outcome and the next run are written, not yet committed",
    "finish.after_commit": "the run is finished",
    "index.after_send": "records were sent to the search server, that is not yet recorded",
    "notify.after_send": "a notification was sent, that is not yet recorded",
    "janitor.midway": "an overdue run was ended, not yet committed",
    "archive.after_forgetting": "old versions are deleted from the database, their bytes are still there",
    "archive.after_copy": "bodies were copied to a new place, the rows still name the old one",
    "archive.after_move": "bodies were moved, the old place is still there",
    "archive.after_removal": "some segments that nothing needs are removed, the others not yet",
    "prune.after_step": "some old rows are deleted, the others not yet",
    "import.after_chunk": "some rows of a file are committed, the others not yet",
    "backup.midway": "a backup is being written",
    "backup.before_name": "a backup is written, it does not have its name yet",
    "backup.after_name": "a backup is complete, older ones are not yet deleted",
    "restore.before_commit": "a backup is about to take the place of the database",
    "restore.after_commit": "a backup has taken the place of the database, nobody was told",
}

_armed: str | None = None
_left = 0


def arm(wanted: str | None) -> None:
    """Chooses the point (`name` or `name:nth`) at which this process will die; None disarms."""
    global _armed, _left
    if not wanted:
        _armed = None
        return
    name, _, nth = wanted.partition(":")
    if name not in POINTS:
        raise BadSetting(
            f"LAMPLIGHTER_CRASH_AT={wanted!r} is not a crash point; `lamplighter debug crash-points` lists them"
        )
    _armed, _left = name, int(nth or 1)


def reached(point: str) -> None:
    """Dies here if this is the armed point."""
    global _left
    if point != _armed:
        return
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
