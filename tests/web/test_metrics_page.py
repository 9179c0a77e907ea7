"""What does `/metrics` tell, and in which format?"""

import re

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from lamplighter import metrics
from tests.repository import ROOT
from tests.web.asgi_client import Ask

REFERENCE = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")


def _families(text: str) -> set[str]:
    """The metrics that are told of, by the names that queries use."""
    return {
        f"{name}_total" if kind == "counter" and not name.endswith("_total") else name
        for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    }


async def test_every_metric_that_is_documented_is_shown_and_every_one_shown_is_documented(ask: Ask) -> None:
    reply = await ask("/metrics")

    documented = set(re.findall(r"^\| `(\w+)` \|", REFERENCE, re.MULTILINE))
    assert reply.status == 200
    assert _families(reply.text) == documented
    assert {
        sample.name for family in read_text(reply.text) for sample in family.samples if sample.name.endswith("_created")
    } == set()


async def test_the_text_format_is_the_usual_one(ask: Ask) -> None:
    reply = await ask("/metrics")

    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


@pytest.mark.parametrize(
    "accept",
    [
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5",
        'application/openmetrics-text; version=nonsense; escaping="\r\n',
    ],
)
async def test_openmetrics_is_told_to_those_who_ask_for_it(ask: Ask, accept: str) -> None:
    reply = await ask("/metrics", accept=accept)

    assert reply.status == 200
    assert reply.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert any(family.name == "crawler_fetches" for family in read_openmetrics(reply.text))


async def test_a_name_of_a_source_cannot_break_out_of_its_label(ask: Ask) -> None:
    name = 'a "b"\\c\nmetric_of_mine 1'
    metrics.ARTICLES_EXTRACTED.labels(metrics.named(name)).inc(0)

    told = list(read_text((await ask("/metrics")).text))

    names = {sample.labels.get("source_name") for family in told for sample in family.samples}
    assert name in names
    assert "metric_of_mine" not in {family.name for family in told}
