"""Headers of a recipe name their secrets and never hold them."""

import pytest

from lamplighter.errors import BadInput
from lamplighter.extract.recipes.api_headers import render_headers, secret_names, trouble_with
from lamplighter.model.recipe import EMPTY, Api, Recipe

API = Api(headers={"Authorization": "Bearer {secret:relief}", "X-Pair": "{secret:a}:{secret:b}", "Accept": "text/x"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Accept", "application/json"),
        ("Authorization", "Bearer {secret:relief_web-1}"),
        ("Cookie", "session={secret:s}"),
        ("X-Api-Key", "{secret:k}"),
        ("X-Requested-With", "XMLHttpRequest"),
    ],
)
def test_ordinary_headers_are_accepted(name: str, value: str) -> None:
    assert trouble_with(name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        pytest.param("Authorization", "Bearer abc123", "{secret:NAME}", id="a credential in the open"),
        pytest.param("X-Api-Key", "abc", "{secret:NAME}", id="a key in the open"),
        pytest.param("Cookie", "a=b", "{secret:NAME}", id="a cookie in the open"),
        pytest.param("X-Auth-Token", f"{{secret:a}} {'0' * 41}", "{secret:NAME}", id="a credential beside a secret"),
        pytest.param("X-Custom", "Bearer abcdefgh1234", "looks like a credential", id="under another name"),
        pytest.param("Authorization", "Bearer {secret:a b}", "{secret:NAME}", id="a secret without a name"),
        pytest.param("Host", "b.example", "crawler itself", id="host"),
        pytest.param("user-agent", "x", "crawler itself", id="user-agent"),
        pytest.param("Range", "bytes=0-1", "crawler itself", id="range"),
        pytest.param("If-None-Match", "x", "crawler itself", id="conditional"),
        pytest.param("Connection", "close", "crawler itself", id="hop by hop"),
        pytest.param("Proxy-Authorization", "{secret:p}", "crawler itself", id="to the proxy"),
        pytest.param("X-A", "a\r\nX-B: c", "on one line", id="another header inside"),
        pytest.param("X A", "a", "not a header name", id="no name"),
        pytest.param("X-A", "a" * 501, "500", id="too long"),
    ],
)
def test_other_headers_are_refused_with_the_remedy(name: str, value: str, reason: str) -> None:
    assert reason in (trouble_with(name, value) or "")


def test_the_names_of_all_secrets_are_known() -> None:
    assert secret_names(Recipe(api=API)) == {"relief", "a", "b"}
    assert secret_names(EMPTY) == set()


def test_secrets_are_put_in_their_places_once() -> None:
    headers = render_headers(API, {"relief": "{secret:a}", "a": "1", "b": "2"}.get)

    assert headers == {"Authorization": "Bearer {secret:a}", "X-Pair": "1:2", "Accept": "text/x"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [("", "not known"), ("a\nX-B: c", "cannot be sent"), ("a\0", "cannot be sent"), ("é", "cannot be sent")],
)
def test_a_secret_that_cannot_be_sent_is_named_but_not_shown(value: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as refusal:
        render_headers(API, {"relief": value, "a": "1", "b": "2"}.get)

    assert '"relief"' in str(refusal.value)
    assert not value or value not in str(refusal.value)


def test_a_missing_secret_is_named() -> None:
    with pytest.raises(BadInput, match='The secret "relief" is not known'):
        render_headers(API, {}.get)
