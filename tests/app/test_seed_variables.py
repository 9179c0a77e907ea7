"""Variables of the crawlers that Lamplighter replaces: each works, or the start-up says what became of it."""

from pathlib import Path

import pytest

from lamplighter.errors import BadSetting
from lamplighter.settings import load
from tests.cli.conftest import Lamplighter, environment, lamplighter, site

__all__ = ["environment", "lamplighter", "site"]

#: variable, value, and a word of what is said of it
SAID = (
    ("CRAWLER_SOURCES_API_URL", "http://localhost:8050/api/v1/sources", "sources import"),
    ("CRAWLER_RESPECT_ROBOTS_TXT", "false", "always respected"),
    ("CRAWLER_USE_RANDOM_USER_AGENT", "true", "LAMPLIGHTER_USER_AGENT"),
    ("CRAWLER_READABILITY_FALLBACK_ENABLED", "false", "recipe"),
    ("CRAWLER_MINIO_ENABLED", "true", "LAMPLIGHTER_ARCHIVE_URL"),
    ("CRAWLER_COLOUR", "red", "not known"),
)


@pytest.mark.parametrize(("variable", "value", "word"), SAID)
def test_a_variable_without_effect_is_named_with_what_replaces_it(variable: str, value: str, word: str) -> None:
    unused = load({variable: value}).unused_variables

    assert list(unused) == [variable]
    assert word in unused[variable]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CRAWLER_RESPECT_ROBOTS_TXT", "true"),
        ("CRAWLER_USE_RANDOM_USER_AGENT", "false"),
        ("CRAWLER_READABILITY_FALLBACK_ENABLED", "true"),
        ("CRAWLER_MINIO_ENABLED", "false"),
        ("CRAWLER_SOURCES_API_URL", ""),
        ("CRAWLER_PROXIES_ENABLED", "false"),
    ],
)
def test_nothing_is_said_of_what_is_so(variable: str, value: str) -> None:
    assert load({variable: value}).unused_variables == {}


def test_minio_is_used_when_the_archive_is_on_it() -> None:
    assert load({"CRAWLER_MINIO_ENABLED": "true"}, archive_url="s3://pages/ours").unused_variables == {}


def test_a_switch_that_is_neither_on_nor_off_is_refused() -> None:
    with pytest.raises(BadSetting, match="CRAWLER_RESPECT_ROBOTS_TXT='perhaps' must be true or false"):
        load({"CRAWLER_RESPECT_ROBOTS_TXT": "perhaps"})


def test_a_service_says_at_its_start_which_variables_have_no_effect(lamplighter: Lamplighter) -> None:
    # The secret ends the start after the settings were read.
    said = {variable: value for variable, value, _ in SAID}
    answer = lamplighter("serve", AUTH_JWT_SECRET="changeme", LAMPLIGHTER_LOG_FORMAT="json", **said)

    lines = [line for line in answer.err.splitlines() if "setting.unused" in line]
    assert len(lines) == len(SAID)
    assert all(variable in answer.err for variable in said)


@pytest.mark.parametrize(
    ("variable", "value", "word"),
    [
        ("AIDJOBS_ENV", "staging", "must be 'dev' or 'prod'"),
        ("AIDJOBS_DISABLE_SCHEDULER", "perhaps", "must be true or false"),
        ("FETCHER_MAX_REDIRECTS", "many", "must be a whole number"),
        ("FETCHER_MAX_REDIRECTS", "99", "must be at most 20"),
        ("AIDJOBS_CONTACT_EMAIL", "nobody", "e-mail address"),
        ("AIDJOBS_CRAWLER_UA", "Mozilla/5.0 (Windows NT 10.0)", "not your crawler"),
        ("AIDJOBS_CRAWLER_UA", "(+https://orchard.example)", "name of your crawler"),
        ("AIDJOBS_CRAWLER_UA", "Bot/1\r\nX-Evil: 1", "plain ASCII"),
        ("LAMPLIGHTER_CONTACT_URL", "our page", "https://"),
        ("LAMPLIGHTER_CONTACT_URL", "javascript:alert(1)", "https://"),
    ],
)
def test_an_error_names_the_variable_that_was_set(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, word: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(BadSetting) as refused:
        load()

    assert str(refused.value).startswith(f"{variable}=")
    assert word in str(refused.value)


@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({"AIDJOBS_ENV": "prod"}, "AIDJOBS_ENV=prod needs"),
        ({"AUTH_JWT_SECRET": "changeme"}, "AUTH_JWT_SECRET could be guessed"),
    ],
)
def test_a_weak_or_missing_secret_is_refused_by_the_name_that_was_used(
    lamplighter: Lamplighter, environment: dict[str, str], word: str
) -> None:
    answer = lamplighter("serve", **environment)

    assert answer.code == 2
    assert f"Error: {word}" in answer.err


@pytest.mark.parametrize(
    "variables",
    [
        {"AIDJOBS_CONTACT_EMAIL": "crawler@orchard.example"},
        {"LAMPLIGHTER_CONTACT_URL": "https://orchard.example/bot"},
        {"AIDJOBS_CRAWLER_UA": "AidJobsBot/1.0 (+contact@aidjobs.example)"},
    ],
)
def test_one_way_to_reach_us_is_enough_and_stands_in_the_user_agent(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    settings = load()

    assert settings.has_contact
    assert next(iter(variables.values())) in settings.resolved_user_agent


def test_a_user_agent_that_names_nobody_is_no_contact(tmp_path: Path) -> None:
    assert not load({}, data_dir=tmp_path, user_agent="OrchardBot/1.0").has_contact
