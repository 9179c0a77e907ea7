"""What do the pages of the benchmark site say? Deterministic prose, roles and job postings, no two pages alike."""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

_VOCABULARY: Final = (
    "team patient schedule report project region budget service partner supplier weekly careful shared modern rural "
    "support review improve plan deliver train measure record answer prepare inspect repair teach translate guide "
    "clinic office workshop harbour school laboratory warehouse station kitchen garden studio archive bridge museum "
    "with across before during under between beyond against through within every another several many few most both "
    "experience degree licence training language driving software equipment safety quality customer colleague manager"
)
_WORDS: Final = tuple(_VOCABULARY.split())

ROLES: Final = (
    "registered-nurse", "data-engineer", "primary-teacher", "site-electrician", "project-accountant", "harbour-pilot",
    "bakery-lead", "field-biologist", "railway-planner", "museum-curator", "water-chemist", "court-interpreter",
)  # fmt: skip
_TOWNS: Final = (
    ("Nairobi", "KE"), ("Porto", "PT"), ("Tampere", "FI"), ("Cusco", "PE"), ("Da Nang", "VN"), ("Leeds", "GB"),
    ("Graz", "AT"), ("Oaxaca", "MX"), ("Dakar", "SN"), ("Hobart", "AU"), ("Utrecht", "NL"), ("Pokhara", "NP"),
)  # fmt: skip
_TERMS: Final = ("FULL_TIME", "PART_TIME", "CONTRACTOR", "TEMPORARY")
_FIRST_DAY: Final = date(2025, 1, 6)


def _sentence(draw: Random) -> str:
    return " ".join(draw.choices(_WORDS, k=draw.randint(9, 19))).capitalize() + "."


#: Drawn once: composing every sentence anew would make writing 50,000 pages the longest part of the benchmark.
_SENTENCES: Final = tuple(_sentence(Random(f"sentence {number}")) for number in range(600))


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """The job that one page advertises."""

    #: Unique over all hosts, so that no two records are the same.
    reference: str
    title: str
    town: str
    country: str
    employer: str
    posted: date
    terms: str
    salary: int

    def json_ld(self, description: str) -> str:
        """The schema.org JobPosting of this page, as the text of its script element."""
        posting = {
            "@context": "https://schema.org/",
            "@type": "JobPosting",
            "title": self.title,
            "description": f"<p>{description}</p>",
            "identifier": {"@type": "PropertyValue", "name": self.employer, "value": self.reference},
            "datePosted": self.posted.isoformat(),
            "validThrough": (self.posted + timedelta(days=60)).isoformat(),
            "employmentType": self.terms,
            "hiringOrganization": {"@type": "Organization", "name": self.employer},
            "jobLocation": {
                "@type": "Place",
                "address": {"@type": "PostalAddress", "addressLocality": self.town, "addressCountry": self.country},
            },
            "baseSalary": {
                "@type": "MonetaryAmount",
                "currency": "EUR",
                "value": {"@type": "QuantitativeValue", "value": self.salary, "unitText": "YEAR"},
            },
        }
        return json.dumps(posting, indent=1).replace("</", "<\\/")


def posting(*, host: int, page: int) -> Posting:
    """The job advertised on one page of one host."""
    draw = Random(f"posting {host} {page}")
    town, country = draw.choice(_TOWNS)
    role = ROLES[page % len(ROLES)].replace("-", " ").title()
    return Posting(
        reference=f"REF-{host:04d}-{page:06d}",
        title=f"{role}, {town} ({host}/{page})",
        town=town,
        country=country,
        employer=f"{draw.choice(_WORDS).title()} & {draw.choice(_WORDS).title()} {host}",
        posted=_FIRST_DAY + timedelta(days=draw.randrange(300)),
        terms=draw.choice(_TERMS),
        salary=draw.randrange(28_000, 96_000, 500),
    )


def paragraphs(*, host: int, page: int, count: int) -> list[str]:
    """Running text for one page: each paragraph three to five sentences."""
    draw = Random(f"text {host} {page}")
    return [" ".join(draw.choices(_SENTENCES, k=draw.randint(3, 5))) for _ in range(count)]
