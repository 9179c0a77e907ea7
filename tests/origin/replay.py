"""An origin that answers as another did, from a WARC file of what that one said."""

from pathlib import Path

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from tests.origin.answers import Answer
from tests.origin.server import Origin

#: they spoke of the bytes on the wire, or are the server's own business
_NOT_REPEATED = ("content-length", "date", "connection", "x-archive-orig-")


def replay(origin: Origin, file: Path) -> int:
    """Routes of the origin for every response of the file, the latest of each path; how many there are."""
    answers: dict[str, Answer] = {}
    with file.open("rb") as opened:
        for record in ArchiveIterator(opened):
            if record.rec_type != "response":
                continue
            headers = {
                name: value for name, value in record.http_headers.headers if not name.lower().startswith(_NOT_REPEATED)
            }
            path = "/" + record.rec_headers["WARC-Target-URI"].split("/", 3)[3]
            body = record.content_stream().read()
            answers[path] = Answer(status=int(record.http_headers.get_statuscode()), headers=headers, body=body)
    for path, answer in answers.items():
        origin.route(path, answer)
    return len(answers)
