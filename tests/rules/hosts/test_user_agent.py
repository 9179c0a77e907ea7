import pytest

from lamplighter.errors import BadInput
from lamplighter.rules.hosts import user_agent

OURS = "LamplighterBot/1.0 (+https://lamplighter.example/bot)"


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param("LamplighterBot", id="the bare name"),
        pytest.param("LamplighterBot/2.0", id="another version"),
        pytest.param("LamplighterBot/1.0 ShopPartner/7 (+https://a.example)", id="more products behind it"),
        pytest.param("  LamplighterBot/1.0  ", id="spaces around it"),
    ],
)
def test_a_name_that_begins_with_our_product_may_be_used(agent: str) -> None:
    assert user_agent.checked(agent, ours=OURS) == agent.strip()


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param("ProductCrawler/1.0", id="somebody else's"),
        pytest.param("Mozilla/5.0 (compatible; LamplighterBot/1.0)", id="ours behind another"),
        pytest.param("LamplighterBot2/1.0", id="a name that only begins like ours"),
        pytest.param("lamplighterbot/1.0", id="another spelling"),
        pytest.param("LamplighterBot/1.0\r\nX-Forged: 1", id="a second header in it"),
        pytest.param("LamplighterBot/1.0 é", id="not ASCII"),
        pytest.param("", id="nothing"),
        pytest.param("LamplighterBot/" + "1" * 500, id="longer than a header should be"),
    ],
)
def test_a_name_that_hides_who_asks_is_refused_and_says_how_to_begin(agent: str) -> None:
    with pytest.raises(BadInput, match="LamplighterBot") as refused:
        user_agent.checked(agent, ours=OURS)

    assert refused.value.code == "invalid_user_agent"
