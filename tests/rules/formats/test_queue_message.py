"""The messages by which workers wake each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.formats import queue_message
from lamplighter.rules.formats.queue_message import BadMessage, host_message, hosts_in, pages_in, pages_message

ids = st.integers(min_value=1, max_value=2**63 - 1)


@given(ids)
def test_a_host_is_read_as_it_was_written(host_id: int) -> None:
    assert hosts_in(host_message(host_id)) == [host_id]


@given(st.lists(ids, min_size=1, max_size=queue_message.MOST_PAGES))
def test_pages_are_read_as_they_were_written(page_ids: list[int]) -> None:
    assert pages_in(pages_message(page_ids)) == page_ids


def test_a_message_without_a_version_is_of_the_first() -> None:
    assert hosts_in(b'{"host_id": 7}') == [7]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"null", id="null"),
        pytest.param(b"{}", id="no id"),
        pytest.param(b'{"host_id": null}', id="null for an id"),
        pytest.param(b'{"host_id": true}', id="a truth for an id"),
        pytest.param(b'{"host_id": 1.0}', id="a fraction for an id"),
        pytest.param(b'{"host_id": 0}', id="zero"),
        pytest.param(b'{"host_id": 9223372036854775808}', id="more than the database can hold"),
        pytest.param(b'{"host_id": 1, "version": "1"}', id="a version that is text"),
        pytest.param(b'{"host_id": 1, "version": true}', id="a version that is a truth"),
        pytest.param(b'{"host_id": 1, "x": "' + b"x" * 70_000 + b'"}', id="far too much"),
    ],
)
def test_what_is_no_message_is_refused_with_a_reason(body: bytes) -> None:
    with pytest.raises(BadMessage, match=r"\w+"):
        hosts_in(body)


def test_a_reason_does_not_repeat_the_whole_message() -> None:
    with pytest.raises(BadMessage) as refused:
        hosts_in(b'{"host_id": "' + b"x" * 10_000 + b'"}')

    assert len(str(refused.value)) < 200
