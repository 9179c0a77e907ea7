"""Which time zone does a text name: an offset, CET, "Geneva time"?"""

import re
from datetime import timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lamplighter.normalise.cldr import fold

#: GMT+7, UTC+05:30, 10:00 +0200, 10:00 +02:00, 10:00:00-05:00; but 9:00-10:00 is a morning
_OFFSET = re.compile(
    r"(?:\b(?:gmt|utc)\s?(?=[+-]\d)|(?<=\d)\s?(?=[+-]\d{4}(?!\d))|\s(?=\+\d\d:\d)|(?<=:\d\d:\d\d)(?=[+-]\d\d:\d))"
    r"([+-])(\d{1,2}):?(\d\d)?(?![\d:])",
    re.IGNORECASE,
)
_LONGEST_OFFSET = timedelta(hours=15)
_ABBREVIATION = re.compile(r"(?<![^\W\d_])(?:[A-Z]{3,4}|Z|[ECP]T)(?![^\W_])")
_NAMED = re.compile(
    r"([^\W\d_]{2,30}(?:[ '-][^\W\d_]{2,20}){0,2}),? (?:local )?(?:standard )?time\b"
    r"|\b(?:heure|hora|ora|ortszeit)\s(?:de |di |d'|in )?([^\W\d_]{3,20}(?:[ -][^\W\d_]{2,20})?)",
    re.IGNORECASE,
)

#: hours from UTC. IST is left out: India, Israel and Ireland all use it
_FIXED = {
    name: timedelta(hours=hours)
    for hours, names in {
        -10: "HST", -9: "AKST", -8: "PST", -7: "PDT MST", -6: "CST MDT", -5: "EST CDT", -4: "EDT", -3: "BRT",
        0: "Z UTC GMT WET", 1: "WEST BST CET MEZ WAT", 2: "CEST MESZ EET CAT SAST", 3: "EEST MSK EAT TRT", 5: "PKT",
        5.75: "NPT", 7: "ICT WIB", 8: "SGT HKT PHT", 9: "JST KST", 10: "AEST", 11: "AEDT", 12: "NZST", 13: "NZDT",
    }.items()
    for name in names.split()
}  # fmt: skip
#: zones with daylight saving, by the names under which deadlines are stated
_SEASONAL = {
    name.strip(): zone
    for zone, names in {
        "America/New_York": "et | eastern | new york | ny | nueva york | washington | washington dc",
        "America/Chicago": "ct | central",
        "America/Denver": "mountain",
        "America/Los_Angeles": "pt | pacific",
        "America/Toronto": "montreal | ottawa | toronto",
        "America/Panama": "panama",
        "Africa/Addis_Ababa": "addis ababa",
        "Africa/Cairo": "cairo | le caire",
        "Africa/Dakar": "dakar",
        "Africa/Johannesburg": "johannesburg | pretoria | south africa",
        "Africa/Nairobi": "nairobi | kenya | kampala | east africa",
        "Asia/Amman": "amman",
        "Asia/Bangkok": "bangkok | hanoi | thailand",
        "Asia/Beirut": "beirut | beyrouth",
        "Asia/Dhaka": "dhaka | bangladesh",
        "Asia/Jakarta": "jakarta",
        "Asia/Kolkata": "india | indian | new delhi | delhi",
        "Asia/Manila": "manila | philippine",
        "Asia/Shanghai": "beijing | china",
        "Asia/Tokyo": "tokyo | japan",
        "Europe/Amsterdam": "amsterdam | the hague | hague | den haag",
        "Europe/Berlin": "berlin | bonn | german",
        "Europe/Brussels": "brussels | bruxelles | brussel",
        "Europe/Budapest": "budapest",
        "Europe/Copenhagen": "copenhagen | danish",
        "Europe/Istanbul": "istanbul | ankara",
        "Europe/Kiev": "kyiv | kiev",
        "Europe/Lisbon": "lisbon | lisboa",
        "Europe/London": "london | uk | british",
        "Europe/Madrid": "madrid",
        "Europe/Moscow": "moscow",
        "Europe/Oslo": "oslo",
        "Europe/Paris": "paris | central european",
        "Europe/Rome": "rome | roma",
        "Europe/Stockholm": "stockholm",
        "Europe/Vienna": "vienna | wien | vienne",
        "Europe/Zurich": "geneva | geneve | genf | ginebra | ginevra | bern | zurich | swiss",
        "Pacific/Fiji": "suva | fiji",
    }.items()
    for name in names.split("|")
}


def read_zone(text: str) -> tzinfo | None:
    """The zone of a text that names a time; None when it names none that we know."""
    if found := _OFFSET.search(text):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-offset if found[1] == "-" else offset) if offset < _LONGEST_OFFSET else None
    for name in _ABBREVIATION.findall(text):
        if name in _FIXED:
            return timezone(_FIXED[name])
        if zone := _seasonal(name.lower()):
            return zone
    found = _NAMED.search(text)
    return _ending_in(fold(found[1] or found[2])) if found else None


def _ending_in(words: str) -> tzinfo | None:
    """The zone of "by noon new york": the words right before "time" are the name."""
    parts = words.split()
    candidates = (" ".join(parts[start:]) for start in range(len(parts)))
    return next((zone for name in candidates if (zone := _seasonal(name))), None)


@lru_cache(maxsize=256)
def _seasonal(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(_SEASONAL[name])
    except (KeyError, ZoneInfoNotFoundError):  # the latter on a system without time zones
        return None
