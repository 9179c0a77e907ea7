"""What the log of the process looks like, and what never stands in it."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from lamplighter import telemetry
from lamplighter.telemetry import LogFormat


def _logged(monkeypatch: pytest.MonkeyPatch, form: LogFormat, *, terminal: bool = False, **values: Any) -> str:
    standard_error = io.StringIO()
    standard_error.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", standard_error)
    telemetry.configure("info", form)
    telemetry.logger("test").info("thing.happened", **values)
    return standard_error.getvalue()


@pytest.mark.parametrize(
    ("form", "terminal", "is_json"),
    [
        pytest.param(LogFormat.AUTO, False, True, id="auto, piped"),
        pytest.param(LogFormat.AUTO, True, False, id="auto, on a terminal"),
        pytest.param(LogFormat.JSON, True, True, id="json, even on a terminal"),
        pytest.param(LogFormat.CONSOLE, False, False, id="console, even piped"),
    ],
)
def test_lines_are_for_people_or_for_programs(
    monkeypatch: pytest.MonkeyPatch, form: LogFormat, terminal: bool, is_json: bool
) -> None:
    line = _logged(monkeypatch, form, terminal=terminal, count=3)

    assert line.startswith("{") == is_json
    assert not is_json or json.loads(line)["event"] == "thing.happened"


def test_piped_lines_for_people_have_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in _logged(monkeypatch, LogFormat.CONSOLE)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"password": "cana-ry"}, id="by its key"),
        pytest.param({"Authorization": "Bearer cana-ry"}, id="by its key, in capitals"),
        pytest.param({"headers": {"set-cookie": "cana-ry"}}, id="deep inside"),
        pytest.param({"postgres_dsn": b"cana-ry"}, id="as bytes"),
        pytest.param({"api_key": ["cana-ry"]}, id="in a list"),
        pytest.param({"url": "socks5://me:cana-ry@127.0.0.1:1080/x"}, id="in an address"),
        pytest.param({"detail": "cannot reach http://me:cana-ry@p.example and http://x:cana-ry@q.example"}, id="twice"),
        pytest.param({"detail": "http://me:with@sign-cana-ry@p.example"}, id="with an @ of its own"),
        pytest.param({"detail": "http://me:pa/cana-ry@p.example:1 failed"}, id="with a slash in it"),
        pytest.param({"detail": "http://me:pa#?cana-ry@p.example:1 failed"}, id="with # and ? in it"),
        pytest.param({"tried": [("http://cana-ry@p.example",)]}, id="in a list of lists"),
        pytest.param({"error": ValueError("postgresql://me:cana-ry@db/x")}, id="in an error"),
    ],
)
def test_a_secret_is_masked_wherever_it_stands(monkeypatch: pytest.MonkeyPatch, values: dict[str, Any]) -> None:
    line = _logged(monkeypatch, LogFormat.JSON, **values)

    assert "cana-ry" not in line
    assert telemetry.MASK in line


def test_a_secret_in_a_traceback_is_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    line = _logged(monkeypatch, LogFormat.JSON, exc_info=ValueError("http://me:cana-ry@p.example"))

    assert "cana-ry" not in line
    assert "http://***@p.example" in line


def test_what_is_no_secret_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"tokens": 3, "mail": "owner@lamplighter.example", "url": "http://a.example:80/@me?x=1"}

    line = json.loads(_logged(monkeypatch, LogFormat.JSON, **values))

    assert {name: line[name] for name in values} == values


def test_a_line_below_the_level_does_not_even_load_the_log_library() -> None:
    code = (
        "import sys; from lamplighter import telemetry; telemetry.configure('warning'); log = telemetry.logger('test');"
        "log.debug('a', b=1); log.info('c'); print('structlog' in sys.modules);"
        "log.warning('d'); print('structlog' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]
    assert [json.loads(line)["event"] for line in done.stderr.splitlines()] == ["d"]
