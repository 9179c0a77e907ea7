from lamplighter.rules.formats.percent import percent


def test_a_share_is_told_with_two_decimals_and_nothing_of_nothing_is_none() -> None:
    assert percent(2, 1) == 66.67
    assert percent(5, 0) == 100.0
    assert percent(0, 0) is None
