"""Lists of things in the JSON that a page's scripts start from."""

import json
import time
from html import escape
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.state.embedded_state import state_records
from lamplighter.model.record import Method, RawRecord, RecordKind

URL = "https://a.example/jobs"
JOBS = [
    {
        "id": 100 + n,
        "title": f"Engineer for bridge {n}",
        "url": f"/jobs/{n}",
        "company": {"name": "Acme"},
        "city": "Bonn",
    }
    for n in range(5)
]
STATE = {"props": {"pageProps": {"jobs": JOBS}}}
LITERAL = "[" + ",".join(f"{{title: 'Engineer {n}', url: '/jobs/{n}', city: 'Bonn',}}" for n in range(9)) + "]"


def records(html: str, wanted: RecordKind | None = None) -> list[RawRecord]:
    return state_records(parse_page(html, URL), wanted)


def in_json(state: Any, wanted: RecordKind | None = None, rest: str = "") -> list[RawRecord]:
    return records(f'<script type="application/json">{json.dumps(state)}</script>{rest}', wanted)


def titles(found: list[RawRecord]) -> list[Any]:
    return [record.fields["title"].value for record in found]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f'<script id=__NEXT_DATA__ type="application/json">{json.dumps(STATE)}</script>', id="Next.js"),
        pytest.param(f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)};</script>", id="assignment"),
        pytest.param(f"<script>window['__PRELOADED_STATE__']={json.dumps(STATE)}</script>", id="quoted name"),
        pytest.param(f"<script>var a={{}};var jobs = {json.dumps(JOBS)}; f(jobs)</script>", id="variable"),
        pytest.param(f"<script>const jobs = {LITERAL};</script>", id="JavaScript literal"),
        pytest.param(f"<script>a=JSON.parse({json.dumps(json.dumps(STATE))})</script>", id="JSON.parse"),
        pytest.param(
            f'<script type="application/json">{json.dumps({"status": 200, "body": json.dumps(STATE)})}</script>',
            id="JSON in JSON",
        ),
        pytest.param(f'<div id=app data-page="{escape(json.dumps(STATE))}"></div>', id="Inertia"),
        pytest.param(
            f"<script>self.__next_f.push([1,{json.dumps('1:' + json.dumps(['$', STATE]) + chr(10))}])</script>",
            id="Next.js chunks",
        ),
    ],
)
def test_the_list_is_found_however_the_page_hands_it_over(html: str) -> None:
    found = records(html)

    assert len(found) >= 5
    assert {record.kind for record in found} == {RecordKind.JOB}
    assert found[0].fields["url"] == ("https://a.example/jobs/0", Method.STATE, 0.75)
    assert found[0].fields["location"].value == "Bonn"


def test_references_of_apollo_are_followed() -> None:
    jobs = {
        f"Job:{n}": {
            "__typename": "Job",
            "title": f"Nurse on ward {n}",
            "url": f"/jobs/{n}",
            "company": {"__ref": "C:1"},
        }
        for n in range(4)
    }
    query = {"ROOT_QUERY": {"jobs({})": [{"__ref": name} for name in jobs]}}

    found = in_json({**query, **jobs, "C:1": {"__typename": "Company", "name": "Acme"}})

    assert len(found) == 4
    assert {record.fields["organisation"].value for record in found} == {"Acme"}


@pytest.mark.parametrize("wrap", ["node", "_source", "attributes", "fields"])
def test_wrapped_things_are_unwrapped(wrap: str) -> None:
    assert len(in_json({"edges": [{"id": n, wrap: job} for n, job in enumerate(JOBS)]})) == 5


def test_a_slug_is_an_address_only_if_the_page_links_to_it() -> None:
    jobs = [{"title": f"Engineer for bridge {n}", "slug": f"bridge-{n}", "city": "Bonn"} for n in range(5)]
    links = "".join(f"<a href=/de/stellen/bridge-{n}>x</a>" for n in range(4))

    assert in_json({"jobs": jobs}) == []
    assert [record.fields["url"].value for record in in_json({"jobs": jobs}, rest=links)] == [
        f"https://a.example/de/stellen/bridge-{n}" for n in range(4)
    ]


def things(count: int = 6, **extra: Any) -> list[dict[str, Any]]:
    return [{"title": f"A fairly long title of a thing {n}", "url": f"/things/{n}", **extra} for n in range(count)]


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"menu": things()}, id="menu"),
        pytest.param({"layout": {"footer": {"columns": things()}}}, id="footer"),
        pytest.param({"relatedPosts": things(date="2026-01-01")}, id="related things"),
        pytest.param({"entries": [{"title": f"Link {n}", "url": f"/{n}"} for n in range(6)]}, id="short titles"),
        pytest.param({"entries": things(children=[], icon="x")}, id="entries with icons and children"),
        pytest.param({"locales": things()}, id="languages"),
        pytest.param({"entries": things(2)}, id="two are no list"),
        pytest.param(
            {"entries": [{"title": "The same title again", "url": f"/{n}"} for n in range(6)]}, id="one title"
        ),
        pytest.param(
            {"entries": [{"title": f"Same page, thing {n}", "url": "/x"} for n in range(6)]}, id="one address"
        ),
        pytest.param(
            {"images": [{"title": f"A picture of hall {n}", "url": f"/{n}.jpg"} for n in range(6)]}, id="images"
        ),
        pytest.param({"entries": [{"title": f"No address at all {n}", "id": n} for n in range(6)]}, id="no addresses"),
    ],
)
def test_other_lists_are_no_records(state: Any) -> None:
    assert in_json(state) == []


def test_the_richest_list_wins() -> None:
    state = {"links": things(30), "teasers": things(4), "results": JOBS}

    assert titles(in_json(state)) == [job["title"] for job in JOBS]


def test_the_list_of_the_wanted_kind_wins() -> None:
    state = {"jobs": JOBS, "news": things(10, date="2026-01-01", summary="x", author="Ann")}

    assert titles(in_json(state, RecordKind.JOB)) == [job["title"] for job in JOBS]
    assert len(in_json(state, RecordKind.ARTICLE)) == 10


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ({"x": things(price=5)}, RecordKind.PRODUCT),
        ({"x": things(author="Ann", date="2026-01-01")}, RecordKind.ARTICLE),
        ({"x": things(deadline="2026-01-01")}, RecordKind.JOB),
        ({"articles": things()}, RecordKind.ARTICLE),
        ({"x": things()}, RecordKind.OTHER),
    ],
)
def test_the_things_tell_their_kind(state: Any, kind: RecordKind) -> None:
    assert {record.kind for record in in_json(state)} == {kind}


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("a={name:" * 100_000, id="nested literals"),
        pytest.param('a={"name":' * 100_000, id="nested JSON"),
        pytest.param("name=[" * 200_000, id="many starts"),
        pytest.param('title=JSON.parse("' * 100_000, id="many texts"),
        pytest.param(
            f"var a={json.dumps([{'title': f'a title {n}', 'url': f'/{n}'} for n in range(40_000)])}", id="long"
        ),
        pytest.param('__NUXT__=(function(a){return {title:"' + "x{}(" * 100_000, id="broken function"),
        pytest.param("name" + "x" * 2_900_000, id="one long word"),
    ],
)
def test_hostile_scripts_end_soon(script: str) -> None:
    began = time.process_time()

    records(f"<script>{script}</script>")

    assert time.process_time() - began < 50


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("/a/b"),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from("title url id slug date price city jobs node __ref image tags".split()), inner
        )
    ),
    max_leaves=30,
)


@settings(deadline=None, max_examples=200)
@given(JSON, st.text(alphabet="={}[]\"'name:,(JSON.parse)\\u", max_size=60))
def test_no_script_raises(state: Any, soup: str) -> None:
    pad = " " * 200
    html = f"<script>name;{soup}{pad}</script><script>title={json.dumps([state] * 3)}{pad}</script>"

    assert all(record.fields for record in records(html + "<a href=/a/b>x</a>"))
