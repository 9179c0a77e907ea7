"""Harbour Relief: a job board with four listing pages and JSON-LD on every posting. About one posting changes a day."""

from datetime import datetime, timedelta

from lamplighter.demo import markup
from lamplighter.demo.page import XML, DemoPage, DemoRequest, Site
from lamplighter.demo.timeline import EPOCH
from lamplighter.demo.vacancies import Board, Vacancy

_BOARD = Board(
    place="harbour relief",
    slots=40,
    lasts=timedelta(days=40),
    titles=(
        "Water and Sanitation Engineer",
        "Field Logistics Officer",
        "Emergency Nurse",
        "Child Protection Adviser",
        "Cash Assistance Coordinator",
        "Shelter Programme Manager",
        "Monitoring and Evaluation Officer",
        "Nutrition Specialist",
        "Warehouse Supervisor",
        "Grants and Compliance Officer",
        "Mental Health Counsellor",
    ),
    units=("Emergency Response", "Health", "Programme Quality", "Supply"),
    cities=(
        ("Nairobi", "Kenya", "KE"),
        ("Amman", "Jordan", "JO"),
        ("Dhaka", "Bangladesh", "BD"),
        ("Bogotá", "Colombia", "CO"),
        ("Geneva", "Switzerland", "CH"),
        ("Kampala", "Uganda", "UG"),
        ("Manila", "Philippines", "PH"),
    ),
    contracts=("FULL_TIME", "PART_TIME", "TEMPORARY", "CONTRACTOR"),
    duties=(
        "You plan the week with our partners on the ground and see it through.",
        "You keep stock, budget and people in view, and say early when one of them runs short.",
        "You train colleagues so that the work goes on when you leave.",
        "You listen to the families we serve and change the programme when they are right.",
        "You write short, honest reports that a donor can read in ten minutes.",
        "You travel to the field offices about one week in four.",
    ),
)
_PER_PAGE = 10
_LOOK = markup.SiteStyle(
    name="Harbour Relief",
    motto="Work that reaches people",
    accent="#1d5c7a",
    footer='<a href="/about">About us</a> · <a href="/staff/">Staff room</a>',
)
_ROBOTS = """# Harbour Relief welcomes crawlers on its vacancies.
User-agent: *
Disallow: /apply/
Disallow: /staff/
Allow: /staff/handbook

User-agent: GreedyBot
Disallow: /

Sitemap: /sitemap.xml
"""


def content_at(now: datetime) -> tuple[Vacancy, ...]:
    """The open postings, newest first."""
    return _BOARD.open_at(now)


def _page(ask: DemoRequest) -> DemoPage | None:
    if ask.path in ("/", "/jobs"):
        return _listing(ask)
    if ask.path.startswith("/jobs/"):
        return _posting(ask)
    if ask.path == "/sitemap.xml":
        return _sitemap(ask)
    if ask.path == "/about":
        about = markup.paragraphs(["Harbour Relief does not exist. Its postings open and close like real ones."])
        return DemoPage(body=markup.document(_LOOK, "About us", about), changed_at=EPOCH)
    return None


def _listing(ask: DemoRequest) -> DemoPage | None:
    postings = content_at(ask.now)
    last = -(-len(postings) // _PER_PAGE)
    number = ask.page_number
    if not 1 <= number <= last:
        return None
    shown = postings[(number - 1) * _PER_PAGE : number * _PER_PAGE]
    items = (
        (f"/jobs/{job.id}", job.title, f"{job.city}, {job.country} · apply by {markup.spoken_date(job.closes_at)}")
        for job in shown
    )
    body = f"<h1>{len(postings)} open positions</h1>\n" + markup.cards(items)
    body += markup.page_links("/jobs", number, last)
    # A new posting on page 1 moves the last one of it to page 2: every page changes with the newest.
    return DemoPage(body=markup.document(_LOOK, "Open positions", body), changed_at=postings[0].opened_at)


def _posting(ask: DemoRequest) -> DemoPage | None:
    wanted = ask.path.removeprefix("/jobs/")
    for job in content_at(ask.now):
        if job.id == wanted:
            return DemoPage(body=_open_posting(ask, job), changed_at=job.opened_at)
    for job in _BOARD.closed_before(ask.now):
        if job.id == wanted:
            note = f"<h1>{job.title}</h1>\n" + markup.paragraphs(["This position has been closed."])
            return DemoPage(body=markup.document(_LOOK, "Closed", note), changed_at=job.closes_at, status=410)
    return None


def _open_posting(ask: DemoRequest, job: Vacancy) -> str:
    block = markup.json_ld(
        {
            "@type": "JobPosting",
            "identifier": job.id,
            "url": f"{ask.base}/jobs/{job.id}",
            "title": job.title,
            "description": " ".join(job.duties),
            "datePosted": job.opened_at.isoformat(),
            "validThrough": job.closes_at.isoformat(),
            "employmentType": job.contract,
            "hiringOrganization": {"@type": "Organization", "name": "Harbour Relief"},
            "jobLocation": {
                "@type": "Place",
                "address": {"@type": "PostalAddress", "addressLocality": job.city, "addressCountry": job.country_code},
            },
            "baseSalary": {
                "@type": "MonetaryAmount",
                "currency": "EUR",
                "value": {"@type": "QuantitativeValue", "value": job.salary, "unitText": "YEAR"},
            },
        }
    )
    body = f"<article><h1>{job.title}</h1>\n" + markup.facts(
        [
            ("Department", job.unit),
            ("Duty station", f"{job.city}, {job.country}"),
            ("Salary", f"EUR {job.salary:,} a year"),
            ("Apply by", markup.spoken_date(job.closes_at)),
        ]
    )
    body += markup.paragraphs(job.duties)
    body += f'<p><a rel="nofollow" href="/apply/{job.id}">Apply for this position</a></p></article>\n'
    return markup.document(_LOOK, job.title, body, head=block)


def _sitemap(ask: DemoRequest) -> DemoPage:
    postings = content_at(ask.now)
    entries = "".join(
        f"<url><loc>{ask.base}/jobs/{job.id}</loc><lastmod>{job.opened_at.isoformat()}</lastmod></url>\n"
        for job in postings
    )
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
    )
    return DemoPage(body=body, changed_at=postings[0].opened_at, media_type=XML)


SITE = Site(name="Harbour Relief", robots=_ROBOTS, page=_page)
