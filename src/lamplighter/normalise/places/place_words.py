"""Words about a place of work that name no place: "remote", "multiple locations", "headquarters"."""

import re

#: not a place at all
REMOTE = re.compile(
    r"""
    \b(?:100\s?%\s?|fully[\s-]|full[\s-])?(?:
        home[\s-]?based | home[\s-]?office | home[\s-]?working | work(?:ing)?[\s-]from[\s-](?:home|anywhere) | wfh
        | remote(?:ly)?(?![\s-](?:areas?|locations?|sites?|sensing|field|control|villages?|regions?)) | telecommut\w*
        | telework\w* | anywhere
        | mobiles?\sarbeiten | mobile\sarbeit | fernarbeit | telearbeit | von\szu\shause | ortsunabhängig
        | t[ée]l[ée]travail | [àa]\sdistance | [àa]\sdomicile
        | teletrabajo | (?:en\s|100\s?%\s)?remot[oa] | a\sdistancia | desde\scasa | teletrabalho | à\sdistância
        | telelavoro | da\sremoto | smart\sworking | da\scasa | thuiswerk\w* | op\safstand
        | prac[ay]\szdaln[ay] | zdaln(?:ie|a|y|e) | på\sdistans | distansarbete | distans | hjemmekontor
        | fjernarbei[dt]\w* | fjernarbejde | hjemmearbejde | etätyö\w* | práce\sz\sdomova | na\sdálku | home\soffice
        | уд[аa]л[её]нн\w* | уд[аa]л[её]нк\w* | дистанционн\w* | віддален\w* | дистанційн\w*
        | uzaktan(?:\sçalışma)? | evden(?:\sçalışma)?
    )\b
    | عن\sبعد | عن\sبُعد | 远程(?:办公|工作)? | 遠端 | 在家(?:办公|辦公|勤務|工作)? | リモート(?:ワーク)?
    | 在宅(?:勤務)? | テレワーク | 재택(?:근무)? | 원격(?:근무)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: the same words, negated
NOT_REMOTE = re.compile(
    r"\b(?:no|not|non|kein|keine|nicht|pas de|sin|sem|ingen|без|не)[\s-]+(?:\w+\s)?"
    r"(?:remote|home[\s-]?office|home[\s-]?based|t[ée]l[ée]travail|teletrabajo|teletrabalho|удал\w+)\b",
    re.IGNORECASE,
)
#: several places, without saying which
MULTIPLE = re.compile(
    r"""
    \b(?:multiple|various|several|different|many|all|\d{1,3})\s(?:[^\W\d_]+\s)?
        (?:locations?|duty\sstations?|countries|cities|offices|places|sites|regions)\b
    | \b(?:and|\+|&)\s?\d{1,3}\s(?:more|others?|other\slocations?)\b | \+\s?\d{1,3}\b | \b\d{1,3}\smore\b
    | \b(?:multiple|various|several|worldwide|world[\s-]wide|global(?:ly)?|nationwide|multi[\s-]?(?:country|location))\b
    | \b(?:verschiedene|mehrere|diverse)\s?(?:standorte|orte|arbeitsorte|länder)?\b
    | \b(?:weltweit|bundesweit|deutschlandweit)\b
    | \b(?:plusieurs|divers|différents|multiples)\s(?:lieux|sites|pays|villes|localisations)\b | \bmonde\sentier\b
    | \b(?:varias|varios|múltiples|diferentes|diversas)\s(?:ubicaciones|localidades|lugares|países|ciudades|sedes)\b
    | \b(?:vários|várias|diversos|múltiplos)\s(?:locais|cidades|países|localidades)\b
    | \b(?:più|varie|diverse)\ssedi\b | \bmeerdere\slocaties\b | \bdiverse\slocaties\b
    | \bwiele\s(?:lokalizacji|miejsc)\b | \bróżne\slokalizacje\b | \bflera\s(?:orter|platser)\b
    | \bflere\s(?:steder|lokasjoner)\b
    | \buseita\s\w+ | \bvíce\smíst\b
    | \b(?:несколько|разные|различные)\s\w+ | \b(?:кілька|різні)\s\w+ | \b(?:birden\sfazla|çeşitli)\s\w+
    | مواقع\sمتعددة | 多个(?:地点|城市) | 多地 | 各地 | 複数(?:拠点|勤務地)? | 여러\s?(?:지역|곳)
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: between alternative places
ALTERNATIVES = re.compile(r"\s*[;|\n•·]\s*|\s*/\s*|\s+(?:or|oder|ou|eller|или|або|veya)\s+", re.IGNORECASE)
#: between two places, unless the word belongs to a name: Trinidad and Tobago
AND = re.compile(r"\s+(?:and|und|et|y|e|och|og|en|i|и|та|ve|&)\s+", re.IGNORECASE)
#: between the parts of one place
PARTS = re.compile(r"\s*[,()\[\]:>،、，（）]\s*|\s+[-–—]\s*|\s*[–—]\s+|\s*-\s+")
#: US-TX-Austin
CODES_FIRST = re.compile(r"\A([A-Z]{2})-(?=[A-Z])(?:([A-Z]{2})-(?=[A-Z]))?")
#: words before a place: "based in Kenya"
LEADING = re.compile(
    r"\A(?:(?:based|located|location|duty station|lieu|ort|standort|lugar|sede|place|city|country)\b\s*:?\s*)?"
    r"(?:(?:in|within|from|at|near|aus|bei|à|en|dans|em|na|w|i|в|the city of|greater)\s+)?",
    re.IGNORECASE,
)
#: 10115 Berlin, Wien 1010, SW1A 1AA
POSTCODE = re.compile(r"\A(?:[A-Z]{1,2}-?)?\d[\dA-Z-]*\s|\s[A-Z]{0,2}-?\d[\dA-Z-]*(?:\s\d[A-Z]{2})?\Z")

#: folded words that are not a city's name on their own
NO_CITY = frozenset(
    "field country countries nationwide countrywide national africa asia europe americas america oceania caribbean emea"
    " apac latam mena eu eea pacific world any other others tbd na hybrid onsite site home based remote"
    " mobile central north south east west northern southern eastern western flexible international unknown none full"
    " time part job location state area on tbc".split()
)
#: folded words that never occur in a city's name
NEVER_IN_A_CITY = frozenset(
    "hq headquarters headquarter office offices region regional department district county province street road avenue"
    " strasse rue calle floor building campus airport zone oblast prefecture buro bureau oficina".split()
)
