"""Articles as sites of many makes would serve them, each with the text that a reader came for."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle, islice

ENGLISH = (
    "The harbour board voted on Tuesday to rebuild the northern pier, closed since the storm two winters ago.",
    "Engineers had warned for years that the timber below the waterline was softer than the plans allowed for.",
    "Fishing crews, who unload at the southern quay in the meantime, say the detour costs them an hour a day.",
    "“We were told it would take six months, and that was before anybody had looked at the piles,” said one skipper.",
    "The first estimate came to four million; the one approved this week is a little more than twice that sum.",
    "Most of the difference is the price of steel, according to a note that the treasurer sent to members in March.",
    "Residents of the old town asked that the lamps along the promenade be kept, and the board agreed to restore them.",
    "Work is to begin after the herring season and should be finished before the ferries change to their summer times.",
    "A second vote, on who pays for the crane, was put off until the insurers have answered the letter of last month.",
    "Nobody spoke against the plan, although two members left the room before hands were raised.",
)
GERMAN = (
    "Der Stadtrat hat am Dienstag beschlossen, die nördliche Mole wieder aufzubauen, die seit dem Sturm gesperrt ist.",
    "Fachleute hatten seit Jahren davor gewarnt, dass das Holz unter der Wasserlinie weicher ist als angenommen.",
    "Die Fischer, die inzwischen am Südkai ausladen, verlieren nach eigenen Angaben jeden Tag eine Stunde.",
    "Die Arbeiten sollen nach der Heringssaison beginnen und vor dem Sommerfahrplan der Fähren beendet sein.",
    "Gegen den Plan sprach niemand, auch wenn zwei Mitglieder vor der Abstimmung den Saal verließen.",
)
FRENCH = (
    "Le conseil du port a voté mardi la reconstruction de la jetée nord, fermée depuis la tempête d’il y a deux ans.",
    "Les ingénieurs avertissaient depuis des années que le bois sous la ligne d’eau était plus tendre que prévu.",
    "Les équipages, qui débarquent entre-temps au quai sud, disent que le détour leur coûte une heure par jour.",
    "Les travaux commenceront après la saison du hareng et devraient finir avant les horaires d’été des ferries.",
    "Personne n’a parlé contre le projet, même si deux membres ont quitté la salle avant le vote.",
)
RUSSIAN = (
    "Совет порта во вторник проголосовал за восстановление северного пирса, закрытого после шторма два года назад.",
    "Инженеры много лет предупреждали, что дерево под водой мягче, чем предполагалось в проекте.",
    "Рыбаки, которые пока разгружаются у южного причала, говорят, что объезд стоит им часа в день.",
    "Работы начнутся после сезона сельди и должны закончиться до летнего расписания паромов.",
    "Против плана никто не выступил, хотя двое членов совета вышли из зала до голосования.",
)
ARABIC = (
    "صوّت مجلس الميناء يوم الثلاثاء على إعادة بناء الرصيف الشمالي المغلق منذ العاصفة قبل شتاءين.",
    "وكان المهندسون قد حذروا منذ سنوات من أن الخشب تحت خط الماء أضعف مما كان مفترضا في الخطط.",
    "ويقول الصيادون الذين يفرغون حمولتهم في الرصيف الجنوبي إن الالتفاف يكلفهم ساعة كل يوم.",
    "ومن المقرر أن تبدأ الأعمال بعد موسم الرنجة وأن تنتهي قبل المواعيد الصيفية للعبّارات.",
)
CHINESE = (
    "港务委员会周二投票决定重建北码头，该码头自两年前冬天的风暴以来一直关闭，渔民们只能绕道。",
    "工程师多年来一直警告说，水线以下的木材比图纸所允许的要软，需要尽快更换全部桩基。",
    "目前在南码头卸货的渔船船员表示，绕行每天要多花一个小时，燃料费用也因此增加了不少。",
    "工程将在鲱鱼季节结束后开始，预计在渡轮改为夏季时刻表之前完工，届时路灯也会修复。",
)
JAPANESE = (
    "港湾委員会は火曜日、二年前の冬の嵐以来閉鎖されている北桟橋を再建することを決議した。",
    "技術者たちは、水面下の木材が図面の想定よりも柔らかいと何年も前から警告していた。",
    "その間、南岸壁で荷揚げをしている漁師たちは、遠回りで一日に一時間を失うと話している。",
    "工事はニシンの季節の後に始まり、フェリーが夏の時刻表に変わる前に終わる予定である。",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePage:
    """A page and what is to be read from it."""

    name: str
    html: str
    title: str
    #: the blocks of the text that a reader came for
    blocks: tuple[str, ...]
    author: str | None = None
    published: str | None = None
    language: str | None = None
    #: phrases of the page that are no part of the text
    noise: tuple[str, ...] = ()


def sentences(language: Sequence[str], *, start: int, count: int) -> str:
    return " ".join(islice(cycle(language), start, start + count))


def paragraphs(language: Sequence[str] = ENGLISH, *, count: int = 8, each: int = 3) -> tuple[str, ...]:
    """Paragraphs that differ from one another."""
    return tuple(
        f"{sentences(language, start=3 * place, count=each + place % 2)} ({place + 1})" for place in range(count)
    )


def p(texts: Sequence[str]) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


# What stands around the text.

MENU = (
    '<nav><ul class="menu">'
    + "".join(
        f'<li><a href="/{word}">{word.title()}</a><ul>'
        + "".join(f'<li><a href="/{word}/{n}">{word.title()} in region {n}</a></li>' for n in range(8))
        + "</ul></li>"
        for word in "news sport business culture weather science travel opinion letters archive".split()
    )
    + "</ul></nav>"
)
SHARE = (
    '<div class="share-bar"><span>Share this story</span><ul><li><a href="#">Mail</a></li>'
    '<li><a href="#">Copy link</a></li><li><a href="#">Print</a></li></ul></div>'
)
COOKIES = (
    '<div id="cookie-banner" class="cookie-consent" role="dialog"><p>We and our 812 partners store information on your '
    "device to measure what you read and to show you advertising that suits you. You may change your mind at any time."
    "</p><button>Accept all</button><button>Settings</button></div>"
)
NEWSLETTER = (
    '<div class="newsletter-box"><h3>The morning letter</h3><p>All that matters before breakfast, in your mailbox '
    'every weekday. Sign up and never miss a story again.</p><form><input type="email"><button>Sign up</button></form>'
    "</div>"
)
RELATED = (
    '<section class="related"><h2>Read next</h2><ul>'
    + "".join(f'<li><a href="/n/{n}">A tale of quite another town, number {n}</a></li>' for n in range(6))
    + "</ul></section>"
)
COMMENTS = (
    '<section id="comments" class="comments"><h2>3 comments</h2><ol class="comment-list">'
    + "".join(
        f'<li class="comment"><p>I have lived there for {n} decades and I have never read such nonsense about my own '
        "street, which everybody knows was paved long before the mayor was born.</p></li>"
        for n in range(2, 5)
    )
    + "</ol></section>"
)
FOOTER = (
    "<footer><p>© 2026 The Courier. All rights reserved. No part of this page may be reprinted without permission of "
    'the publisher.</p><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>'
)
SCRIPTS = (
    "<script>" + "window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}" * 120 + "</script>"
)
STYLES = "<style>" + ".a{color:#111;margin:0 auto}.b>li{list-style:none}" * 100 + "</style>"
NOISE = (
    "812 partners",
    "never miss a story",
    "quite another town",
    "such nonsense",
    "All rights reserved",
    "Copy link",
)


def document(body: str, *, title: str, head: str = "", lang: str = "en") -> str:
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{escape(title)}</title>{head}{STYLES}'
        f"</head><body>{body}{SCRIPTS}</body></html>"
    )


def news() -> ArticlePage:
    texts = paragraphs(count=10)
    body = (
        f"{COOKIES}<header><a href='/'>The Courier</a>{MENU}</header><main><article>"
        "<h1>Northern pier to rise again</h1>"
        f'<p class="standfirst">{ENGLISH[9]}</p>{SHARE}<div class="byline">By <a rel="author" href="/a/jd">Jane Doe</a>'
        f'</div><time datetime="2026-03-04T09:00:00Z">4 March 2026</time><div class="article-body">{p(texts[:4])}'
        f"{NEWSLETTER}{p(texts[4:])}</div></article>{RELATED}{COMMENTS}</main>{FOOTER}"
    )
    return ArticlePage(
        name="news",
        html=document(body, title="Northern pier to rise again | The Courier"),
        title="Northern pier to rise again",
        blocks=(ENGLISH[9], *texts),
        author="Jane Doe",
        published="2026-03-04T09:00:00Z",
        language="en",
        noise=NOISE,
    )


def wordpress() -> ArticlePage:
    texts = paragraphs(count=6)
    head = (
        '<meta property="og:title" content="What the pier taught me"><meta property="og:type" content="article">'
        '<meta property="article:published_time" content="2026-02-01T08:00:00+00:00">'
        '<meta name="author" content="A. Writer">'
    )
    aside = '<aside id="secondary" class="widget-area"><h2>Recent Posts</h2><ul>' + "".join(
        f'<li><a href="/{n}">An older post of mine, number {n}</a></li>' for n in range(5)
    )
    body = (
        f'<div id="page"><header class="site-header"><h1 class="site-title"><a href="/">Notes from the Quay</a></h1>'
        f'{MENU}</header><div id="content" class="site-content"><div id="primary"><main id="main">'
        '<article id="post-12" class="post type-post"><header class="entry-header"><h1 class="entry-title">What the '
        'pier taught me</h1><div class="entry-meta">Posted on <time class="entry-date published" '
        'datetime="2026-02-01T08:00:00+00:00">1 February 2026</time> by <span class="author vcard"><a class="url fn n" '
        f'href="/author/aw">A. Writer</a></span></div></header><div class="entry-content">{p(texts[:2])}'
        f"<h2>A lesson in timber</h2>{p(texts[2:4])}<blockquote><p>{ENGLISH[3]}</p></blockquote>{p(texts[4:])}"
        f'<div class="sharedaddy"><h3>Share this:</h3><ul><li><a href="#">Copy link</a></li></ul></div></div>'
        '<footer class="entry-footer">Posted in <a href="/c/sea">Sea</a>. Tagged <a href="/t/wood">wood</a>.</footer>'
        f"</article>{COMMENTS}</main></div>{aside}</ul></aside></div>{FOOTER}</div>"
    )
    return ArticlePage(
        name="wordpress",
        html=document(body, title="What the pier taught me – Notes from the Quay", head=head),
        title="What the pier taught me",
        blocks=(*texts[:2], "A lesson in timber", *texts[2:4], ENGLISH[3], *texts[4:]),
        author="A. Writer",
        published="2026-02-01T08:00:00+00:00",
        language="en",
        noise=("such nonsense", "All rights reserved", "older post of mine", "Copy link"),
    )


def drupal() -> ArticlePage:
    texts = paragraphs(GERMAN, count=6, each=2)
    body = (
        f'<div class="dialog-off-canvas-main-canvas"><header role="banner">{MENU}</header><main role="main"><a '
        'id="main-content"></a><div class="layout-content"><div class="region region-content"><h1 class="page-title">'
        '<span class="field field--name-title">Die Mole kehrt zurück</span></h1><div class="node__content"><div '
        'class="field field--name-field-date field__item"><time datetime="2026-01-15T12:00:00Z">15. Januar 2026</time>'
        f'</div><div class="clearfix text-formatted field field--name-body field__item">{p(texts)}</div></div></div>'
        f"</div></main>{RELATED}{FOOTER}</div>"
    )
    return ArticlePage(
        name="drupal",
        html=document(body, title="Die Mole kehrt zurück | Hafenamt", lang="de"),
        title="Die Mole kehrt zurück",
        blocks=texts,
        published="2026-01-15T12:00:00Z",
        language="de",
        noise=("quite another town", "All rights reserved"),
    )


def documentation() -> ArticlePage:
    texts = paragraphs(count=5, each=2)
    code = "def moor(boat):\n    return boat.tie(line=2)"
    items = ("Take the bow line first.", "Then the stern line, with two turns.", "Hang the fenders out last of all.")
    body = (
        '<div class="sphinxsidebar"><ul>'
        + "".join(f'<li><a href="{n}.html">Chapter {n}</a></li>' for n in range(25))
        + f'</ul></div><div class="document"><div class="body" role="main"><section id="mooring"><h1>Mooring<a '
        f'class="headerlink" href="#mooring">¶</a></h1>{p(texts[:2])}<pre><code>{code}</code></pre>{p(texts[2:4])}<ul>'
        + "".join(f"<li>{item}</li>" for item in items)
        + f"</ul>{p(texts[4:])}</section></div></div><footer>© Copyright 2026, the boatmen.</footer>"
    )
    return ArticlePage(
        name="documentation",
        html=document(body, title="Mooring — Harbour handbook 2.1 documentation"),
        title="Mooring",
        blocks=(*texts[:2], code, *texts[2:4], *items, *texts[4:]),
        language="en",
        noise=("Chapter 12",),
    )


def figures() -> ArticlePage:
    texts = paragraphs(count=7)
    figure = (
        '<figure><img src="/{0}.jpg" alt=""><figcaption>The pier in {0}. Photograph: the harbour archive</figcaption>'
        "</figure>"
    )
    body = (
        f"<header>{MENU}</header><article><header><h1>A pier in pictures</h1><p>By Tom Snap</p></header>{p(texts[:2])}"
        f"{figure.format(1910)}{p(texts[2:5])}{figure.format(1977)}{p(texts[5:])}</article>{SHARE}{FOOTER}"
    )
    return ArticlePage(
        name="figures",
        html=document(body, title="A pier in pictures"),
        title="A pier in pictures",
        blocks=texts,
        author="Tom Snap",
        language="en",
        noise=("All rights reserved", "Copy link"),
    )


def table() -> ArticlePage:
    texts = paragraphs(count=6)
    rows = (
        ("Year", "Ships", "Tonnes"),
        ("2023", "1,204", "88,100"),
        ("2024", "1,377", "93,450"),
        ("2025", "1,312", "90,020"),
    )
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    body = (
        f'<header>{MENU}</header><div class="wrapper"><div class="post"><h1>The year in tonnes</h1>{p(texts[:3])}'
        f"<table>{cells}</table>{p(texts[3:])}</div>{RELATED}</div>{FOOTER}"
    )
    return ArticlePage(
        name="table",
        html=document(body, title="The year in tonnes - Port statistics"),
        title="The year in tonnes",
        blocks=(*texts[:3], *(" ".join(row) for row in rows), *texts[3:]),
        language="en",
        noise=("quite another town", "All rights reserved"),
    )


def quotes_and_lists() -> ArticlePage:
    texts = paragraphs(count=5)
    items = tuple(sentences(ENGLISH, start=place, count=1) for place in (1, 4, 6, 7))
    body = (
        f"{MENU}<main><h1>Seven things about piers</h1>{p(texts[:2])}<ol>"
        + "".join(f"<li>{item}</li>" for item in items)
        + f"</ol><blockquote>{ENGLISH[3]}</blockquote>{p(texts[2:])}</main>{NEWSLETTER}{FOOTER}"
    )
    return ArticlePage(
        name="quotes and lists",
        html=document(body, title="Seven things about piers · The Quay"),
        title="Seven things about piers",
        blocks=(*texts[:2], *items, ENGLISH[3], *texts[2:]),
        language="en",
        noise=("never miss a story", "All rights reserved"),
    )


def line_breaks() -> ArticlePage:
    """An old page: no paragraphs, only lines broken twice, inside a table for the layout."""
    texts = paragraphs(count=6)
    links = "".join(f'<a href="{n}.htm">Page {n}</a><br>' for n in range(20))
    body = (
        f'<table width="100%"><tr><td width="150">{links}</td><td><font size="5"><b>Letter from the quay</b></font><br>'
        "<br>"
        + "<br><br>".join(escape(text) for text in texts)
        + '</td></tr></table><center><font size="1">Best viewed at 800x600</font></center>'
    )
    return ArticlePage(
        name="line breaks",
        html=document(body, title="Letter from the quay"),
        title="Letter from the quay",
        blocks=texts,
        language="en",
        noise=("Page 13",),
    )


def bare_divisions() -> ArticlePage:
    """A modern page whose every paragraph is a division with a generated class."""
    texts = paragraphs(count=7)
    body = (
        f'<div class="x1"><div class="x2">{MENU}</div><div class="x3"><h1 class="x4">Divided on the pier</h1>'
        + "".join(f'<div class="x5"><span class="x6">{escape(text)}</span></div>' for text in texts)
        + f'</div><div class="x7">{FOOTER}</div></div>'
    )
    return ArticlePage(
        name="bare divisions",
        html=document(body, title="Divided on the pier | Courier"),
        title="Divided on the pier",
        blocks=texts,
        language="en",
        noise=("All rights reserved",),
    )


def short_note() -> ArticlePage:
    texts = (ENGLISH[0], ENGLISH[7])
    body = (
        f"<header>{MENU}</header><main><article><h1>Pier: it is decided</h1><time datetime='2026-03-03'>3 March</time>"
        f"{p(texts)}</article>{RELATED}</main>{COOKIES}{FOOTER}"
    )
    return ArticlePage(
        name="short note",
        html=document(body, title="Pier: it is decided | The Courier"),
        title="Pier: it is decided",
        blocks=texts,
        published="2026-03-03",
        language="en",
        noise=("quite another town", "812 partners", "All rights reserved"),
    )


def press_release() -> ArticlePage:
    texts = paragraphs(FRENCH, count=6, each=2)
    body = (
        f'<div class="header">{MENU}</div><div id="contenu"><div class="communique"><h2>La jetée nord renaît</h2>'
        f'<p class="date">Publié le 5 mars 2026</p><p class="auteur">Par Marie Durand</p>{p(texts)}</div></div>'
        f'<div class="pied">{FOOTER}</div>'
    )
    return ArticlePage(
        name="press release",
        html=document(body, title="La jetée nord renaît - Port autonome", lang="fr"),
        title="La jetée nord renaît",
        blocks=texts,
        author="Marie Durand",
        language="fr",
        noise=("All rights reserved",),
    )


def _plain(name: str, language: str, texts: tuple[str, ...], title: str) -> ArticlePage:
    body = f"<header>{MENU}</header><main><article><h1>{title}</h1>{p(texts)}</article>{RELATED}</main>{FOOTER}"
    return ArticlePage(
        name=name,
        html=document(body, title=title, lang=language),
        title=title,
        blocks=texts,
        language=language,
        noise=("quite another town", "All rights reserved"),
    )


def long_read() -> ArticlePage:
    texts = paragraphs(count=40, each=4)
    titles = tuple(f"Part {n}: what the piles remember" for n in range(1, 5))
    inner = "".join(f"<h2>{title}</h2>{p(texts[n * 10 : n * 10 + 10])}{NEWSLETTER}" for n, title in enumerate(titles))
    blocks = tuple(block for n, title in enumerate(titles) for block in (title, *texts[n * 10 : n * 10 + 10]))
    body = f"{COOKIES}{MENU}<main><h1>The long pier</h1><div class='prose'>{inner}</div></main>{COMMENTS}{FOOTER}"
    return ArticlePage(
        name="long read",
        html=document(body, title="The long pier | The Courier"),
        title="The long pier",
        blocks=blocks,
        language="en",
        noise=("never miss a story", "812 partners", "such nonsense"),
    )


def teasers_after() -> ArticlePage:
    """The text is followed by whole teasers of other articles, as long as paragraphs."""
    texts = paragraphs(count=5)
    teaser = (
        '<article class="teaser"><h3><a href="/t/{0}">Elsewhere {0}</a></h3><p>In quite another town, number {0}, the '
        "council met to talk of the weather and found that there was plenty of it.</p></article>"
    )
    body = (
        f'{MENU}<main><article class="main-story"><h1>One pier among many</h1>{p(texts)}</article>'
        f'<div class="teasers">{"".join(teaser.format(n) for n in range(6))}</div></main>{FOOTER}'
    )
    return ArticlePage(
        name="teasers after the text",
        html=document(body, title="One pier among many | The Courier"),
        title="One pier among many",
        blocks=texts,
        language="en",
        noise=("quite another town", "All rights reserved"),
    )


def sections() -> ArticlePage:
    """Each part of the text stands in a block of its own, as page builders make them."""
    texts = paragraphs(count=8)
    parts = "".join(
        f'<div class="row"><div class="col"><div class="text-module">{p(texts[n : n + 2])}</div></div></div>'
        f'<div class="row"><div class="col"><img src="{n}.jpg"></div></div>'
        for n in range(0, 8, 2)
    )
    body = f'{MENU}<div class="builder"><h1>Built of blocks</h1>{parts}</div>{NEWSLETTER}{FOOTER}'
    return ArticlePage(
        name="sections of a page builder",
        html=document(body, title="Built of blocks | Studio"),
        title="Built of blocks",
        blocks=texts,
        language="en",
        noise=("never miss a story", "All rights reserved"),
    )


def faq() -> ArticlePage:
    questions = tuple(f"What about pier number {n}?" for n in range(1, 6))
    texts = paragraphs(count=5, each=2)
    inner = "".join(f"<h3>{q}</h3><div><p>{escape(a)}</p></div>" for q, a in zip(questions, texts, strict=True))
    body = f"{MENU}<main><h1>Piers: your questions</h1>{inner}</main>{FOOTER}"
    blocks = tuple(block for pair in zip(questions, texts, strict=True) for block in pair)
    return ArticlePage(
        name="questions and answers",
        html=document(body, title="Piers: your questions"),
        title="Piers: your questions",
        blocks=blocks,
        language="en",
        noise=("All rights reserved",),
    )


PAGES = (
    news(),
    wordpress(),
    drupal(),
    documentation(),
    figures(),
    table(),
    quotes_and_lists(),
    line_breaks(),
    bare_divisions(),
    short_note(),
    press_release(),
    long_read(),
    teasers_after(),
    sections(),
    faq(),
    _plain("Russian", "ru", paragraphs(RUSSIAN, count=6, each=2), "Пирс восстановят"),
    _plain("Arabic", "ar", paragraphs(ARABIC, count=6, each=2), "الرصيف الشمالي يعود"),
    _plain("Chinese", "zh", paragraphs(CHINESE, count=6, each=2), "北码头将重建"),
    _plain("Japanese", "ja", paragraphs(JAPANESE, count=6, each=2), "北桟橋の再建"),
    _plain("French", "fr", paragraphs(FRENCH, count=6, each=2), "La jetée nord revient"),
)
