"""With which secrets does the service start?"""

import pytest

from lamplighter.errors import BadSetting
from lamplighter.settings import load
from lamplighter.web.access.sessions import keys_of
from tests.web.access.clients import SECRET


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param(SECRET, id="words that nobody put together before"),
        pytest.param("3f9a0c7be1d2458896b07c5d1e4fa23b", id="16 random bytes in hex"),
        pytest.param("Zk3v_Qa8x-TfR2mW9pLs0dYhGc4nBjE7uIo5KtXq1Vw", id="32 random bytes in base64"),
    ],
)
def test_a_secret_that_nobody_guesses_will_do(secret: str) -> None:
    keys = keys_of(load({}, auth_jwt_secret=secret))

    assert keys.bearer == secret
    assert len({keys.session, keys.form, secret.encode()}) == 3
    assert secret not in repr(keys)


@pytest.mark.parametrize("env", ["prod", "dev", None])
@pytest.mark.parametrize(
    "secret",
    [
        pytest.param("short", id="short"),
        pytest.param("Zk3v_Qa8x-TfR2mW9pLs0dYhGc4nBjE", id="31 bytes"),
        pytest.param("x" * 64, id="one character"),
        pytest.param("abcabcabc" * 5, id="few characters"),
        pytest.param("correct-horse-ba" * 2, id="twice the same"),
        pytest.param("secretsecretsecretsecretsecretsecret", id="secret"),
        pytest.param("changeme-changeme-changeme-changeme", id="changeme"),
        pytest.param("my-super-secret-jwt-key-for-production", id="an example's"),
        pytest.param("please_change_this_secret_to_a_long_random_string", id="a request to change it"),
        pytest.param("abcdefghijklmnopqrstuvwxyz0123456789", id="the alphabet"),
    ],
)
def test_a_secret_that_could_be_guessed_is_refused_and_not_shown(secret: str, env: str | None) -> None:
    with pytest.raises(BadSetting, match="token_urlsafe") as refused:
        keys_of(load({}, env=env, auth_jwt_secret=secret))

    assert secret not in str(refused.value)


@pytest.mark.parametrize("secret", [None, ""])
def test_prod_needs_a_secret(secret: str | None) -> None:
    with pytest.raises(BadSetting, match="LAMPLIGHTER_AUTH_JWT_SECRET"):
        keys_of(load({}, env="prod", auth_jwt_secret=secret))


def test_without_a_secret_the_keys_are_new_each_time_and_no_jwt_is_believed() -> None:
    one, other = keys_of(load({})), keys_of(load({}))

    assert one.bearer is None
    assert one.session != other.session


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, True),
        ({"auth_jwt_secret": SECRET}, False),
        ({"env": "dev", "auth_jwt_secret": SECRET}, True),
        ({"env": "prod"}, False),
    ],
)
def test_a_secret_means_prod_unless_it_is_said(given: dict[str, str], expected: bool) -> None:
    assert load({}, **given).is_dev is expected
