"""The countries and their names on pages in English. Known without loading CLDR."""

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
    "algérie argentine belgië belgien belgique brasil česko danmark deutschland eesti éire españa hellas hrvatska"
    " island italia latvija lietuva magyarország maroc méxico nederland norge österreich perú polska românia schweiz"
    " slovensko slovenija srbija suisse suomi svizzera sverige tunisie türkiye Ελλάδα България Беларусь Россия"
    " Србија Україна Қазақстан الأردن السعودية المغرب تونس عمان لبنان مصر ישראל भारत "
    "中国 中國 日本 台灣 대한민국 한국".split()
)

ENGLISH_NAMES = {entry.split()[0]: entry.split(maxsplit=1)[1].strip() for entry in _ENGLISH.split("|")}
