"""The fault matrix: what may go wrong, and what is promised then. Every row has a test that is named after it.

A row's telling test stands in this folder and judges from outside; `tests/faults/matrix_tests.py` says which, and
`docs/reference/faults.md` lists them all.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fault, and what is promised when it comes."""

    #: a letter and a number, as in the names of its tests: B5
    id: str
    case: str
    expected: str
    #: why no test here can show it; "" for every row that a test does show
    not_testable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one letter."""

    letter: str
    title: str
    rows: tuple[Row, ...]


def _part(letter: str, title: str, *rows: tuple[str, str] | tuple[str, str, str]) -> Part:
    """A part of rows that are numbered as they stand: case, promise and, if need be, why it cannot be tested."""
    numbered = tuple(
        Row(id=f"{letter}{number}", case=row[0], expected=row[1], not_testable=row[2] if len(row) > 2 else "")
        for number, row in enumerate(rows, start=1)
    )
    return Part(letter=letter, title=title, rows=numbered)


PARTS = (
    _part(
        "A",
        "The network",
        (
            "A name that does not exist, a name server that fails, one that never answers",
            "Told apart by cause; nothing is stored; the next run waits as after any failure.",
        ),
        (
            "A connection refused, or reset in mid-body",
            "Asked again at most twice, ever later; half a body is never a version and gives no record.",
        ),
        (
            "TLS: self-signed, expired, for another name, too old",
            "Refused with the reason; nothing is asked for. There is no switch to look away.",
        ),
        ("Head or body by the byte", "Given up at the total deadline; the slot goes to others meanwhile."),
        ("Silence after the request or after the head", "Given up at the deadline; the lease is renewed until then."),
        (
            "A body shorter or longer than promised, chunks that are none",
            "Broken responses are failures, never changes; surplus bytes are nobody's answer.",
        ),
        (
            "HTTP/2 streams and connections that are reset",
            "HTTP/2 is never offered: the client speaks HTTP/1.1 alone, and says so in TLS.",
        ),
        ("One address family is dead", "The next address is tried; every address is judged before any is used."),
    ),
    _part(
        "B",
        "Hostile and odd servers",
        (
            "Bombs in gzip, brotli, zstd and deflate, also nested",
            "Given up at the limit of the unpacked size while unpacking; other pages are read as ever.",
        ),
        ("A body over the limit, a body without end", "Given up at the limit, with the remedy; no version, no hash."),
        ("Redirect loops, chains beyond the limit, other schemes", "Not followed; both ends are named."),
        (
            "A redirect to another host",
            "Its robots.txt, its pace and its takedowns hold before the hop; nothing of the first host goes along.",
        ),
        (
            "429 with Retry-After 120, a date, -5, “soon”, 10^12, none",
            "The host rests as long as it asks, at most a day; where that makes no sense, by our own back-off.",
        ),
        (
            "503 and 3xx with Retry-After",
            "As B5; the redirect is followed when its time has come, also to another host.",
        ),
        (
            "200 with a challenge, a login or a maintenance page",
            "Known for what it is: no version, no change, no loss, no way around it.",
        ),
        (
            "A soft 404, 410, 451",
            "Not indexed; what is gone or withheld is asked for once more and then left; the log names 451.",
        ),
        (
            "A Content-Type that lies or is missing",
            "The bytes decide; what is not text is refused, and rests for a day; nothing but pages is loaded.",
        ),
        ("Cookies for others, 10,000 cookies", "Ignored; the jar is bounded."),
        ("Headers that inject, a megabyte of header, 10,000 headers", "Refused within bounds; shown as text."),
        (
            "An ETag that always changes, an ETag that never does",
            "What the page says decides whether it changed; a tag that came with two pages is not asked by.",
        ),
        ("A tarpit of ever new links", "Ends with the page budget, or sooner when nothing new is found."),
    ),
    _part(
        "C",
        "robots.txt",
        (
            "404, 410, 400, 401, 403",
            "Everything may be asked; every page says that there was none, and its status. 401 and 403 forbid "
            "everything where the operator wants it so.",
        ),
        (
            "500, 502, 503, a timeout, no connection",
            "Nothing is asked; looked for again soon; the reason is “unreachable”, not “forbidden”.",
        ),
        ("429", "As C2, and the host rests as long as it asks."),
        (
            "Unreachable for a month",
            "The last good copy is kept; nothing is fetched, and an alert asks people to look.",
        ),
        ("Five redirects across hosts, and a sixth", "The rules hold for the first host; a sixth is no robots.txt."),
        ("600 KiB of it", "Rules in the first 500 KiB hold, later ones do not; a line that is cut is dropped."),
        ("Byte order marks, bare CR, NUL, latin-1, an HTML page", "What can be read holds; a page has no rules."),
        (
            "Groups to be merged, unknown lines, ties, `*` and `$`, percent-encoding",
            "Read as RFC 9309 says; where Google reads otherwise, the stricter holds.",
        ),
        ("A pattern made to explode", "Matched in linear time."),
        (
            "Crawl-delay 0.2, 10, 86400, “abc”, negative",
            "The longer of it and our own holds; nobody sits on the host meanwhile; nonsense is ignored.",
        ),
        ("It turns to Disallow while pages wait", "What waits is judged by the copy at the time of the request."),
        ("Another scheme, another port", "Each has a robots.txt of its own."),
        ("Many first pages at once", "It is asked for once, and counts for the pace."),
    ),
    _part(
        "D",
        "Feeds, sitemaps, APIs",
        ("Illegal characters, unknown entities, XML that is cut", "Read as far as it goes, with a warning."),
        ("Entities from files, a billion laughs, a DTD elsewhere", "Not resolved, not expanded, not loaded."),
        ("Charsets that contradict each other", "Byte order mark, header, declaration: in the order of RFC 7303."),
        (
            "GUIDs missing, shared, changing; relative links, xml:base",
            "Each entry has one identity over all visits; every link is absolute.",
        ),
        ("Dates: none, without zone, named zones, in 2041, at 0", "Read, or kept as text; never in the future."),
        (
            "A feed that becomes a page; 301, 302, 304",
            "Followed wherever it moved, and told of where that is for good; the run warns of the page and deletes "
            "nothing; a 304 costs nothing.",
        ),
        ("10,000 entries; entries that vanish and return", "Bounded; what returns is the same record."),
        (
            "A sitemap index that names itself, too deep, too long, packed, of another host",
            "Each file is read once, to a bounded depth and length; a sitemap speaks for its own host.",
        ),
        (
            "JSON with wrong types, null, NaN, 100 MB, paging in circles",
            "What fits is read; the rest is bounded; a cursor that repeats ends it.",
        ),
    ),
    _part(
        "E",
        "HTML and extraction",
        ("Charsets that are declared late, wrongly or twice", "Decided as browsers decide."),
        (
            "100,000 nested tags, an attribute of 10 MB, patterns that explode",
            "Refused or read within bounds; the other pages are read as ever.",
        ),
        (
            "`<base href>`, a meta refresh loop, a canonical elsewhere",
            "Links are resolved; a refresh leads nowhere; a canonical counts on its own site only.",
        ),
        (
            "noindex, nofollow, noarchive, nosnippet, max-snippet, unavailable_after; by header or page, for us or all",
            "Every one is obeyed; the strictest holds.",
        ),
        ("A page that changes in time stamps, tokens and advertisements alone", "Unchanged."),
        ("No items where there were forty", "The run warns that the extraction broke; nothing is deleted."),
        ("JSON-LD with comments, stray commas, @graph, arrays", "Read."),
    ),
    _part(
        "F",
        "URLs",
        ("Links written in every way that the URL standard knows", "What is asked for is what the standard says."),
        (
            "127.1, 0x7f.1, 2130706433, v4 in v6, `localhost.`, other digits, tabs; as a source or behind a redirect",
            "Normalised first, then refused with the way to open it; user@ is no source.",
        ),
        ("An address that two parsers read differently", "One parser serves the check and the connection."),
        (
            "Order, slashes, repeated, tracking and session parameters",
            "One page is asked for once; redirects to it end.",
        ),
        ("100 kB, 10,000 parameters, /a/b/a/b/a/b, the calendar of 7749", "Traps: not followed, not accepted."),
    ),
    _part(
        "G",
        "Proxies",
        (
            "Dead, 407, 502 to CONNECT, slow, answers itself",
            "The proxy's fault: it rests, the site's counts do not move.",
        ),
        ("All dead", "Pauses with the reason; direct only where the policy allows it."),
        ("Many proxies to one host", "One budget of the host for all of them."),
        ("Credentials of proxies that work, refuse and are dead", "Masked in logs, errors, pages, rows and files."),
        (
            "Proxies from the environment, a redirect to another scheme",
            "Only those that were given; judged at every hop.",
        ),
    ),
    _part(
        "H",
        "Crash and clock",
        (
            "kill -9 at a crash point, another each time",
            "Nothing lost, nothing doubled, one run, back within a minute; a campaign dies at every one.",
        ),
        ("Frozen beyond its lease, then awake", "Its writes are refused by the fencing token."),
        ("SIGTERM in a long crawl", "Drains or gives its leases back, and ends within the grace."),
        ("Two schedulers", "One run per source."),
        ("Out of memory in a parser", "Only the parser dies; the page is set aside after it has killed several."),
        (
            "The clock an hour forward or back, in mid-crawl or while nothing runs; daylight saving",
            "The pace holds, no burst; hosts wait no longer than by the old clock; one run in a night's window.",
        ),
        ("Asleep for three days", "Each source catches up once, at its pace."),
    ),
    _part(
        "I",
        "The database and other services",
        (
            "The database down at the start and in mid-run, then read-only as after a failover",
            "The start says so; not ready meanwhile; no fetch without a lease; nothing is lost. After deadlocks, "
            "serialisation failures and waiting in vain for a connection, the whole transaction again.",
        ),
        ("Disk almost full, database full", "Crawling pauses before it is, and goes on by itself; nothing is lost."),
        ("Redis down, emptied, hanging", "The database is the truth; events are told again, and crawls go on."),
        ("RabbitMQ down, redelivery, unacknowledged", "Told again until taken; taken once."),
        ("Search index down, task failed, wiped", "Pending until confirmed; reconciled."),
        (
            "Receivers that are down, slow, failing, lead elsewhere",
            "Tried again, given up; others do not wait for them.",
        ),
        (
            "An event that is no JSON, of an unknown type, of a later version",
            "Set aside with the reason; others go on.",
        ),
        ("Migration interrupted, repeated, from a newer version", "Goes on; a newer schema is refused."),
    ),
    _part(
        "J",
        "Administration and API",
        ("Every route without a token, with an old one, with a low role", "Refused by default."),
        (
            "Tokens: no algorithm, the wrong one, no signature, no expiry, weak secret",
            "Refused; a weak secret does not start.",
        ),
        ("Passwords, roles, tokens and secrets of others", "Refused: they are the administrators' alone."),
        ("Forms without our token or from elsewhere, every GET, CORS", "Refused; looking changes nothing; no CORS."),
        ("Markup from titles, names, errors, robots.txt, headers, feeds", "Shown as text; links are http or https."),
        (
            "Addresses of the inner network, anywhere an address may stand",
            "Refused at the connection; nothing is echoed.",
        ),
        ("Recipes that read files or explode", "No files, no environment, a limit of time."),
        ("Names that climb out of their folder", "Not found. No archive is ever unpacked."),
        ("Secrets in logs, errors, exports, metrics, answers", "Masked."),
        ("Brute force, mass creation, vast pages, injection into SQL, logs, CSV", "Limited, bound, escaped."),
    ),
    _part(
        "K",
        "Safety of the data",
        ("The same event or upsert twice, out of order, at once", "One effect."),
        ("A crawl that saw only part", "Nothing counts as removed until complete runs say so twice."),
        ("Deleted, disabled or taken down during a run", "The run ends within seconds; what was purged stays gone."),
        ("Cleaning up while crawling", "Nothing comes back, nothing breaks."),
        ("Backup, restore, go on", "The same counts; nobody is asked before it is due, then conditionally."),
    ),
)


def rows() -> Iterator[Row]:
    """Every row, A1 first."""
    for part in PARTS:
        yield from part.rows
