"""Which country does a name or a code mean, in any language? English names are known without loading CLDR."""

from collections.abc import Mapping
from functools import lru_cache

from lamplighter.normalise.cldr import LANGUAGES, base_language, fold, names_of, tokens, undisputed

#: ISO 3166 alpha-2 and the plain name of each
_ENGLISH = """
    AD Andorra | AE United Arab Emirates | AF Afghanistan | AG Antigua & Barbuda | AI Anguilla | AL Albania
    | AM Armenia | AO Angola | AQ Antarctica | AR Argentina | AS American Samoa | AT Austria | AU Australia
    | AW Aruba | AX Åland Islands | AZ Azerbaijan | BA Bosnia & Herzegovina | BB Barbados | BD Bangladesh
    | BE Belgium | BF Burkina Faso | BG Bulgaria | BH Bahrain | BI Burundi | BJ Benin | BL St. Barthélemy
    | BM Bermuda | BN Brunei | BO Bolivia | BQ Caribbean Netherlands | BR Brazil | BS Bahamas | BT Bhutan
    | BV Bouvet Island | BW Botswana | BY Belarus | BZ Belize | CA Canada | CC Cocos (Keeling) Islands
    | CD Congo - Kinshasa | CF Central African Republic | CG Congo - Brazzaville | CH Switzerland | CI Côte d'Ivoire
    | CK Cook Islands | CL Chile | CM Cameroon | CN China | CO Colombia | CR Costa Rica | CU Cuba | CV Cape Verde
    | CW Curaçao | CX Christmas Island | CY Cyprus | CZ Czechia | DE Germany | DJ Djibouti | DK Denmark
    | DM Dominica | DO Dominican Republic | DZ Algeria | EC Ecuador | EE Estonia | EG Egypt | EH Western Sahara
    | ER Eritrea | ES Spain | ET Ethiopia | FI Finland | FJ Fiji | FK Falkland Islands | FM Micronesia
    | FO Faroe Islands | FR France | GA Gabon | GB United Kingdom | GD Grenada | GE Georgia | GF French Guiana
    | GG Guernsey | GH Ghana | GI Gibraltar | GL Greenland | GM Gambia | GN Guinea | GP Guadeloupe
    | GQ Equatorial Guinea | GR Greece | GS South Georgia & South Sandwich Islands | GT Guatemala | GU Guam
    | GW Guinea-Bissau | GY Guyana | HK Hong Kong SAR China | HM Heard & McDonald Islands | HN Honduras | HR Croatia
    | HT Haiti | HU Hungary | ID Indonesia | IE Ireland | IL Israel | IM Isle of Man | IN India
    | IO British Indian Ocean Territory | IQ Iraq | IR Iran | IS Iceland | IT Italy | JE Jersey | JM Jamaica
    | JO Jordan | JP Japan | KE Kenya | KG Kyrgyzstan | KH Cambodia | KI Kiribati | KM Comoros
    | KN St. Kitts & Nevis | KP North Korea | KR South Korea | KW Kuwait | KY Cayman Islands | KZ Kazakhstan
    | LA Laos | LB Lebanon | LC St. Lucia | LI Liechtenstein | LK Sri Lanka | LR Liberia | LS Lesotho | LT Lithuania
    | LU Luxembourg | LV Latvia | LY Libya | MA Morocco | MC Monaco | MD Moldova | ME Montenegro | MF St. Martin
    | MG Madagascar | MH Marshall Islands | MK North Macedonia | ML Mali | MM Myanmar (Burma) | MN Mongolia
    | MO Macao SAR China | MP Northern Mariana Islands | MQ Martinique | MR Mauritania | MS Montserrat | MT Malta
    | MU Mauritius | MV Maldives | MW Malawi | MX Mexico | MY Malaysia | MZ Mozambique | NA Namibia
    | NC New Caledonia | NE Niger | NF Norfolk Island | NG Nigeria | NI Nicaragua | NL Netherlands | NO Norway
    | NP Nepal | NR Nauru | NU Niue | NZ New Zealand | OM Oman | PA Panama | PE Peru | PF French Polynesia
    | PG Papua New Guinea | PH Philippines | PK Pakistan | PL Poland | PM St. Pierre & Miquelon
    | PN Pitcairn Islands | PR Puerto Rico | PS Palestinian Territories | PT Portugal | PW Palau | PY Paraguay
    | QA Qatar | RE Réunion | RO Romania | RS Serbia | RU Russia | RW Rwanda | SA Saudi Arabia | SB Solomon Islands
    | SC Seychelles | SD Sudan | SE Sweden | SG Singapore | SH St. Helena | SI Slovenia | SJ Svalbard & Jan Mayen
    | SK Slovakia | SL Sierra Leone | SM San Marino | SN Senegal | SO Somalia | SR Suriname | SS South Sudan
    | ST São Tomé & Príncipe | SV El Salvador | SX Sint Maarten | SY Syria | SZ Eswatini | TC Turks & Caicos Islands
    | TD Chad | TF French Southern Territories | TG Togo | TH Thailand | TJ Tajikistan | TK Tokelau | TL Timor-Leste
    | TM Turkmenistan | TN Tunisia | TO Tonga | TR Türkiye | TT Trinidad & Tobago | TV Tuvalu | TW Taiwan
    | TZ Tanzania | UA Ukraine | UG Uganda | UM U.S. Outlying Islands | US United States | UY Uruguay
    | UZ Uzbekistan | VA Vatican City | VC St. Vincent & Grenadines | VE Venezuela | VG British Virgin Islands
    | VI U.S. Virgin Islands | VN Vietnam | VU Vanuatu | WF Wallis & Futuna | WS Samoa | XK Kosovo | YE Yemen
    | YT Mayotte | ZA South Africa | ZM Zambia | ZW Zimbabwe"""
#: names in English that CLDR does not have: those of the UN and ISO, former ones, colloquial ones
ALIASES = {
    "AE": "uae | u a e | emirates",
    "BA": "bosnia | bih",
    "BN": "brunei darussalam",
    "BO": "bolivia plurinational state",
    "BQ": "bonaire | bonaire sint eustatius saba",
    "BY": "byelorussia",
    "CD": """dr congo | drc | rdc | d r congo | democratic republic congo | congo democratic republic | congo dr
        | congo kinshasa | congo dem rep | republique democratique du congo | rd congo | rd du congo
        | republica democratica del congo
        | demokratische republik kongo | dr kongo | zaire | congo drc | congo rdc""",
    "CF": "car | rca | c a r",
    "CG": """congo brazzaville | republic congo | congo republic | republique du congo | republica del congo
        | republik kongo""",
    "CI": "ivory coast | cote ivoire",
    "CN": "people s republic china | pr china | p r china | prc | mainland china | china mainland",
    "CV": "cabo verde",
    "CZ": "czech | czech republic",
    "DE": "ger | brd | federal republic germany",
    "FM": "micronesia federated states | federated states micronesia",
    "GB": """great britain | britain | england | scotland | wales | northern ireland
        | united kingdom great britain northern ireland | grande bretagne | gran bretana
        | gran bretagna | grossbritannien | angleterre | inglaterra | inghilterra
        | schottland | ecosse | escocia | gales""",
    "GM": "gambia islamic republic",
    "HK": "hong kong | hongkong | hong kong china | china hong kong | china hong kong special administrative region",
    "IE": "eire | republic ireland",
    "IR": "iran islamic republic",
    "KG": "kyrgyz republic | kirghizia | kirghizstan",
    "KN": "st christopher nevis",
    "KP": """dprk | dpr korea | korea north | democratic people s republic korea | democratic peoples republic korea
        | korea democratic people s republic | korea democratic peoples republic | korea dem people s rep""",
    "KR": "republic korea | korea republic | korea south | korea rep | rok | south korea republic korea",
    "LA": "lao | lao pdr | lao people s democratic republic | lao peoples democratic republic | laos pdr",
    "LC": "santa lucia | sainte lucie",
    "LY": "libyan arab jamahiriya | state libya",
    "MD": "moldova republic | republic moldova | moldavia",
    "MF": "st martin french part",
    "MK": """macedonia | fyrom | fyr macedonia | macedonia former yugoslav republic
        | former yugoslav republic macedonia""",
    "MM": "burma | myanmar | birmania | birmanie",
    "MO": "macau | macao",
    "NL": "holland | pays bas | the netherlands",
    "PS": """palestine | state palestine | palestine state | opt | o p t | gaza | gaza strip | west bank
        | west bank gaza
        | occupied palestinian territory | occupied palestinian territories | palestinian territory
        | palestinian territory occupied | palestina | palastina""",
    "RU": "russian federation",
    "SH": "st helena ascension tristan da cunha",
    "SX": "sint maarten dutch part",
    "SY": "syrian arab republic | syria arab republic",
    "SZ": "swaziland",
    "TL": "east timor | timor",
    "TR": "turkey",
    "TW": "taiwan province china | taiwan china | chinese taipei",
    "TZ": "tanzania united republic | united republic tanzania | tanganyika",
    "US": """usa | us | u s | u s a | united states america | etats unis amerique | etats unis d amerique
        | estados unidos america | eeuu | ee uu | e u a | eua""",
    "VA": "holy see | vatican | vatican city state",
    "VE": "venezuela bolivarian republic",
    "VG": "virgin islands british",
    "VI": "virgin islands us | virgin islands u s | united states virgin islands",
    "VN": "viet nam | socialist republic vietnam",
    "XK": "kosovo | kosovo under unscr 1244 | kosovo unscr 1244 | kosova",
}
#: own names of the largest countries, where English differs
OWN_NAMES = frozenset(
    "algérie argentine belgië belgien belgique brasil česko danmark deutschland eesti éire españa hellas hrvatska "
    "island italia latvija lietuva magyarország maroc méxico nederland norge österreich perú polska românia schweiz "
    "slovensko slovenija srbija suisse suomi svizzera sverige tunisie türkiye Ελλάδα България Беларусь Россия Србија "
    "Україна Қазақстан الأردن السعودية المغرب تونس عمان لبنان مصر ישראל भारत 中国 中國 日本 台灣 대한민국 한국".split()
)

ENGLISH_NAMES = {entry.split()[0]: entry.split(maxsplit=1)[1].strip() for entry in _ENGLISH.split("|")}


_LONGEST = 100
#: codes in CLDR that are not in ISO 3166
NO_COUNTRIES = frozenset("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split())
_UNOFFICIAL_CODES = {"UK": "GB", "EL": "GR", "ENG": "GB", "SCT": "GB", "SCO": "GB", "WLS": "GB", "NIR": "GB"}
_SAID_OTHERWISE = {"saint": "st", "isl": "islands", "rep": "republic", "dem": "democratic", "fed": "federal"}
_UNSAID = frozenset("the and of y et und e en des la sar".split())
#: words that the full names of states have before or after the common name
_FORMAL = frozenset(
    "republic republique republica republik repubblica federal federative federation federated democratic people s"
    " peoples islamic arab kingdom commonwealth state plurinational bolivarian socialist united sultanate grand duchy"
    " principality hashemite independent cooperative co operative union".split()
)
#: names that mean one of two countries and are ambiguous alone
_EITHER = frozenset(
    {"congo", "kongo", "korea", "coree", "corea", "virgin islands", "republic china", "micronesian region"}
)


def country_of(text: str) -> str | None:
    """The ISO 3166 alpha-2 code of a country's name or code; None when it is none, or one of two."""
    return _by_code(text.strip()) or country_named(text, language=None)


def country_named(text: str, *, language: str | None) -> str | None:
    """The country of this name; codes are not names."""
    if len(text) > _LONGEST:
        return None
    words = _words(text)
    key = " ".join(words)
    if not key or key in _EITHER:
        return None
    names = _names()
    if found := names.get(key) or _own_names(base_language(language)).get(key):
        return found
    short = " ".join([word for word in words if word not in _FORMAL])
    return names.get(short) if short != key and short not in _EITHER else None


def is_english_name(text: str) -> bool:
    """Whether it is a country's name in English or colloquially; Granada is Grenada's name in Spanish only."""
    key = " ".join(_words(text))
    return key in _english_names() or key in _aliases()


def is_well_known_name(text: str) -> bool:
    """Whether it is a country's name in English or in the country itself; other languages are not looked up."""
    return " ".join(_words(text)) in _best_known()


def is_called_so(country: str, text: str, *, language: str | None) -> bool:
    """Whether a page in this language uses this name for the country."""
    return _own_names(base_language(language)).get(" ".join(_words(text))) == country


def country_coded(code: str) -> str | None:
    """The country of an alpha-2 or alpha-3 code in upper case."""
    if len(code) == 2:
        return code if code in ENGLISH_NAMES else _UNOFFICIAL_CODES.get(code)
    return _long_codes().get(code) or _UNOFFICIAL_CODES.get(code) if len(code) == 3 else None


def _by_code(text: str) -> str | None:
    # In a field for a country two letters are a code in any case; three may be a word.
    if not text.isascii() or not text.isalpha():
        return None
    return country_coded(text.upper() if len(text) == 2 else text)


def _words(text: str) -> list[str]:
    words = tokens(fold(text))
    return [_SAID_OTHERWISE.get(word, word) for word in words if word not in _UNSAID] or words


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    """Every name that means one country in all languages, and the aliases."""
    known = undisputed(_own_names(language) for language in LANGUAGES)
    return {**known, **_aliases()}


@lru_cache(maxsize=1)
def _aliases() -> Mapping[str, str]:
    return {" ".join(_words(name)): code for code, names in ALIASES.items() for name in names.split("|")}


@lru_cache(maxsize=1)
def _english_names() -> frozenset[str]:
    return frozenset(" ".join(_words(name)) for name in ENGLISH_NAMES.values())


@lru_cache(maxsize=1)
def _best_known() -> frozenset[str]:
    return frozenset(" ".join(_words(name)) for name in OWN_NAMES).union(_english_names(), _aliases())


@lru_cache(maxsize=64)
def _own_names(language: str | None) -> Mapping[str, str]:
    if language is None:
        return {}
    names = names_of(language).territories
    return {" ".join(_words(name)): code for name, code in names.items() if code not in NO_COUNTRIES}


@lru_cache(maxsize=1)
def _long_codes() -> Mapping[str, str]:
    from babel.core import get_global  # which most callers never need

    aliases: Mapping[str, list[str]] = get_global("territory_aliases")
    return {
        code: meant[0]
        for code, meant in aliases.items()
        if len(code) == 3 and code.isalpha() and len(meant) == 1 and meant[0] in ENGLISH_NAMES
    }
