"""What is gzipped comes out in pieces, and never more of it than asked for."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.sitemaps.gunzip import head, pieces


def test_all_parts_of_a_file_come_out() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two")

    assert b"".join(pieces(body, limit=100)) == b"one two"


@pytest.mark.parametrize("limit", [0, 1, 99_999])
def test_d8_no_more_comes_out_than_asked_for(limit: int) -> None:
    assert sum(map(len, pieces(gzip.compress(bytes(10_000_000)), limit=limit))) == limit


def test_what_is_cut_off_comes_out_as_far_as_it_goes() -> None:
    body = gzip.compress(b"".join(b"%d " % n for n in range(10_000)))

    assert head(body[:-20], size=10) == b"0 1 2 3 4 "


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=100))
def test_no_bytes_make_it_raise(junk: bytes) -> None:
    assert len(head(b"\x1f\x8b" + junk, size=50)) <= 50
