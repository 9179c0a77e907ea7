"""Meridian Labs: one plain table and plain detail pages, without JSON-LD. Hardly ever changes: a row a month.

In a past that was made in advance each vacancy had a table of its own until the relaunch.
"""

from datetime import datetime, timedelta

from lamplighter.demo import markup
from lamplighter.demo.page import DemoPage, DemoRequest, Site
from lamplighter.demo.vacancies import Board, Vacancy

_BOARD = Board(
    place="meridian labs",
    slots=12,
    lasts=timedelta(days=360),
    titles=(
        "Optical Engineer",
        "Postdoctoral Researcher, Photonics",
        "Laboratory Technician",
        "Scientific Software Developer",
        "Cryogenics Engineer",
        "Research Data Steward",
        "Instrument Maker",
    ),
    units=("Meridian Institute of Optics", "Meridian Institute of Materials", "Meridian Computing Centre"),
    cities=(
        ("Lisbon", "Portugal", "PT"),
        ("Graz", "Austria", "AT"),
        ("Tartu", "Estonia", "EE"),
        ("Leuven", "Belgium", "BE"),
    ),
    contracts=("Permanent", "Fixed term, 3 years"),
    duties=(
        "You design and align the set-ups of the spectroscopy group.",
        "You keep the measurements reproducible and their data findable.",
        "You supervise two students at any time.",
        "You look after the instruments that everybody shares.",
        "You publish what you find, the null results included.",
    ),
)
_LOOK = markup.SiteStyle(
    name="Meridian Labs",
    motto="Vacancies of the institutes",
    accent="#6b3fa0",
    footer='<a href="/intranet/">Intranet</a>',
)
_ROBOTS = """User-agent: *
Crawl-delay: 1
Disallow: /intranet/
Disallow: /*?print=
"""


def content_at(now: datetime) -> tuple[Vacancy, ...]:
    """The open vacancies, newest first."""
    return _BOARD.open_at(now)


def _page(ask: DemoRequest) -> DemoPage | None:
    vacancies = content_at(ask.now)
    if ask.path in ("/", "/vacancies"):
        newest = vacancies[0].opened_at
        if ask.is_before_relaunch:
            return DemoPage(body=_earlier_tables(vacancies), changed_at=newest)
        return DemoPage(body=_table(vacancies), changed_at=max(newest, ask.relaunch or newest))
    for vacancy in vacancies:
        if ask.path == f"/vacancies/{vacancy.id}":
            return DemoPage(body=_detail(vacancy), changed_at=vacancy.opened_at)
    return None


def _table(vacancies: tuple[Vacancy, ...]) -> str:
    rows = "".join(
        f'<tr><td class="title">{markup.link(f"/vacancies/{job.id}", job.title)}</td>'
        f'<td class="institute">{job.unit}</td><td class="place">{job.city}, {job.country}</td>'
        f'<td class="deadline">{job.closes_at:%Y-%m-%d}</td></tr>\n'
        for job in vacancies
    )
    body = (
        '<h1>Vacancies</h1>\n<table id="vacancies">\n'
        "<thead><tr><th>Position</th><th>Institute</th><th>Place</th><th>Apply by</th></tr></thead>\n"
        f"<tbody>\n{rows}</tbody>\n</table>\n"
    )
    return markup.document(_LOOK, "Vacancies", body)


def _earlier_tables(vacancies: tuple[Vacancy, ...]) -> str:
    """The page before its relaunch: a table for each vacancy."""
    tables = "".join(
        f'<table class="vacancy"><tbody>\n<tr><td class="title">{markup.link(f"/vacancies/{job.id}", job.title)}</td>'
        f'<td class="institute">{job.unit}</td><td class="place">{job.city}, {job.country}</td>'
        f'<td class="deadline">{job.closes_at:%Y-%m-%d}</td></tr>\n'
        f'<tr><td colspan="4">{job.contract}</td></tr>\n</tbody></table>\n'
        for job in vacancies
    )
    return markup.document(_LOOK, "Vacancies", f"<h1>Vacancies</h1>\n{tables}")


def _detail(job: Vacancy) -> str:
    body = f"<h1>{job.title}</h1>\n" + markup.facts(
        [
            ("Institute", job.unit),
            ("Place", f"{job.city}, {job.country}"),
            ("Contract", job.contract),
            ("Apply by", markup.spoken_date(job.closes_at)),
        ]
    )
    return markup.document(_LOOK, job.title, body + markup.paragraphs(job.duties))


SITE = Site(name="Meridian Labs", robots=_ROBOTS, page=_page)
