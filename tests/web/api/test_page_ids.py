"""Numbers written as UUIDs, and read back."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.errors import NotFound
from lamplighter.web.page_ids import number_of, shown


@given(st.integers(min_value=1, max_value=2**62 - 1))
def test_every_number_is_read_back_from_a_proper_uuid_of_version_8(number: int) -> None:
    uuid = shown(number)

    assert number_of(uuid) == number
    assert (uuid.version, uuid.variant) == (8, "specified in RFC 4122")


@pytest.mark.parametrize(
    "foreign",
    [
        pytest.param(uuid4(), id="another's"),
        pytest.param(UUID(int=0), id="nothing"),
        pytest.param(shown(7).__class__(int=shown(7).int ^ (1 << 100)), id="one bit off"),
        pytest.param(UUID(int=shown(1).int - 1), id="page 0"),
    ],
)
def test_an_id_that_we_never_gave_is_no_page(foreign: UUID) -> None:
    with pytest.raises(NotFound):
        number_of(foreign)
