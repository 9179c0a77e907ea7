"""What stands for https://example.org in the documentation, and the files that a reader of a page would have."""

from tests.origin import ThreadedOrigin

JOBS = """<html lang="en"><head><title>Jobs</title></head><body><h1>Jobs</h1><ul>
<li class="job"><h2><a href="/jobs/1">Field Nurse</a></h2><p class="where">Nairobi, Kenya</p><p>By 30 June 2031</p></li>
<li class="job"><h2><a href="/jobs/2">Logistician</a></h2><p class="where">Goma, DR Congo</p><p>By 4 July 2031</p></li>
</ul></body></html>"""
FEED = """<rss version="2.0"><channel><title>Jobs</title><link>/jobs</link>
<item><title>Field Nurse</title><link>/jobs/1</link><guid>1</guid></item></channel></rss>"""
RECIPE = '{"items": "li.job", "fields": {"title": "h2", "url": "h2 a", "location": ".where"}}'
CHANGES = """source,changed_at,announced_at,weight
https://example.org/jobs,2026-01-31T09:30:00Z,,
https://example.org/jobs,2026-02-03T11:00:00Z,2026-02-03T11:00:00Z,2
https://example.org/quiet,,,
"""

#: name → text
FILES = {"page.html": JOBS, "saved.html": JOBS, "jobs.json": RECIPE, "changes.csv": CHANGES}


def furnish(origin: ThreadedOrigin) -> None:
    """A listing of jobs with a feed, which takes what it is sent."""
    origin.robots("User-agent: *\nDisallow: /private\n")
    origin.page("/", f'<link rel="alternate" type="application/rss+xml" href="/feed.xml">{JOBS}')
    origin.page("/jobs", JOBS, etag='"1"')
    origin.route("/feed.xml", headers={"Content-Type": "application/rss+xml"}, body=FEED)
    for number, title in enumerate(("Field Nurse", "Logistician"), start=1):
        origin.page(f"/jobs/{number}", f"<title>{title}</title><h1>{title}</h1><p>At the clinic.</p>")
