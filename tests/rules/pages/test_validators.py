"""Which validators are worth sending?"""

import pytest

from lamplighter.model.visit import NO_VALIDATORS, Validators
from lamplighter.rules.pages.validators import judged

TAG, OTHER, WEAK = Validators(etag='"1"'), Validators(etag='"2"'), Validators(etag='W/"1"')
DATE = Validators(last_modified="Mon, 16 Nov 2026 08:00:00 GMT")
USELESS = Validators(etag='"1"', mean_nothing=True)


@pytest.mark.parametrize(
    ("got", "before", "is_same_body", "is_used"),
    [
        pytest.param(TAG, NO_VALIDATORS, False, True, id="the first that came"),
        pytest.param(TAG, TAG, True, True, id="the same with the same body"),
        pytest.param(OTHER, TAG, False, True, id="others with another body"),
        pytest.param(OTHER, TAG, True, True, id="others with the same body"),
        pytest.param(TAG, TAG, False, False, id="the same with another body"),
        pytest.param(DATE, DATE, False, False, id="the same date with another body"),
        pytest.param(WEAK, WEAK, False, True, id="a weak tag may stand for several bodies"),
        pytest.param(TAG, USELESS, True, False, id="still the same after they meant nothing"),
        pytest.param(OTHER, USELESS, False, True, id="others after those that meant nothing"),
        pytest.param(Validators(etag='"1"', last_modified="now"), TAG, False, False, id="the tag counts for more"),
    ],
)
def test_b12_validators_that_came_with_two_bodies_are_not_used(
    got: Validators, before: Validators, is_same_body: bool, is_used: bool
) -> None:
    assert bool(judged(got, before=before, is_same_body=is_same_body)) is is_used
