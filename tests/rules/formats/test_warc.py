"""WARC records: any tool reads them, and what is taken out leaves a file that can still be read."""

import gzip
import io
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from lamplighter.model.capture import Capture
from lamplighter.rules.formats import warc
from lamplighter.rules.formats.warc import EarlierRecord

WHEN = datetime(2026, 3, 14, 12, 0, 0, 123456, tzinfo=UTC)


def _capture(body: bytes = b"<p>page</p>", *headers: tuple[str, str]) -> Capture:
    return Capture(url="http://site.example/", fetched_at=WHEN, status=200, headers=headers, body=body)


def _types_in(content: bytes) -> list[str]:
    found = []
    for record in ArchiveIterator(io.BytesIO(content), check_digests="raise"):
        record.content_stream().read()
        found.append(record.rec_type)
    return found


def test_headers_about_bytes_on_the_wire_do_not_lie_about_the_body() -> None:
    sent = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("Content-Length", "7"), ("ETag", '"1"'))

    read = warc.read(warc.response(_capture(b"decompressed", *sent)))

    assert read is not None
    assert read.headers == (
        ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("X-Archive-Orig-Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-Content-Length", "7"),
        ("ETag", '"1"'),
        ("Content-Length", "12"),
    )


def test_writing_again_what_was_read_changes_nothing() -> None:
    once = warc.read(warc.response(_capture(b"body", ("Content-Encoding", "br"))))
    assert once is not None

    assert warc.read(warc.response(once)) == once


@given(body=st.binary(max_size=300), status=st.integers(200, 599))
def test_any_body_comes_back(body: bytes, status: int) -> None:
    read = warc.read(warc.response(Capture(url="http://a/", fetched_at=WHEN, status=status, headers=(), body=body)))

    assert read is not None
    assert (read.body, read.status, read.fetched_at) == (body, status, WHEN)


def test_a_file_of_all_that_we_write_is_read_to_its_end() -> None:
    first = _capture()
    content = warc.info("a.warc.gz", software="lamplighter") + warc.response(first)
    content += warc.revisit("http://site.example/again", WHEN, same_as=EarlierRecord.of(first))

    assert _types_in(content) == ["warcinfo", "response", "revisit"]


def test_a_revisit_refers_to_the_digest_of_the_record_it_repeats() -> None:
    first = _capture(b"the same body")
    content = warc.response(first) + warc.revisit("http://b.example/", WHEN, same_as=EarlierRecord.of(first))

    digests = [record.rec_headers["WARC-Payload-Digest"] for record in ArchiveIterator(io.BytesIO(content))]

    assert digests[0] == digests[1]


@pytest.mark.parametrize("size", [0, 1, 1000, 65_000, 200_000])
def test_a_blank_takes_the_place_of_a_record_to_the_byte(size: int) -> None:
    record = warc.response(_capture(bytes(range(256)) * (size // 256) + b"x" * (size % 256)))

    blank = warc.blank(len(record), place="here")

    assert len(blank) == len(record)
    assert _types_in(warc.response(_capture()) + blank + warc.response(_capture())) == [
        *("response", "metadata", "response")
    ]
    assert warc.read(blank) is None


@given(length=st.integers(300, 400_000))
@example(length=65_559)  # a hair beyond what one block of deflate holds
@example(length=131_103)
def test_there_is_a_blank_of_every_length(length: int) -> None:
    blank = warc.blank(length, place="here")

    assert len(blank) == length
    assert _types_in(blank) == ["metadata"]


def test_half_a_record_is_no_record() -> None:
    record = warc.response(_capture(b"body" * 1000))

    assert warc.read(record[: len(record) // 2]) is None
    assert warc.read(b"") is None


@pytest.mark.parametrize("header", [b"WARC-Date: 2026", b"WARC-Date"])
def test_a_member_that_lost_a_header_holds_nothing_that_can_be_read(header: bytes) -> None:
    member = gzip.decompress(warc.response(_capture()))

    assert warc.read(gzip.compress(member.replace(header, b"", 1))) is None
