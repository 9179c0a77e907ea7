"""B7, B8: pages that came with 200 and are no content, and pages that only look so."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.walls.empty_list import says_that_it_is_empty
from lamplighter.extract.walls.obstacle import PageObstacle, obstacle
from tests.extract.single.article_pages import FOOTER, MENU, PAGES, ArticlePage, document, p, paragraphs

URL = "https://a.example/x"
JOBS = "<ul>" + "".join(f"<li><a href='/j/{n}'>Nurse number {n}</a> Nairobi</li>" for n in range(30)) + "</ul>"


def found(html: str) -> str | None:
    return obstacle(parse_page(html, URL))


def framed(main: str, title: str) -> str:
    return document(f"{MENU}<main>{main}</main>{FOOTER}", title=title)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<title>Just a moment...</title><h2>Checking if the connection is secure</h2>", id="a wait"),
        pytest.param("<title>Attention Required! | Shield</title><h1>Sorry, you have been blocked</h1>", id="a block"),
        pytest.param(
            "<title>Access Denied</title><h1>Access Denied</h1>You have no permission. Reference 18", id="denial"
        ),
        pytest.param(
            "<title>shop.example</title><p>Please verify you are a human</p><div id=x-captcha></div>", id="captcha"
        ),
        pytest.param("<body><iframe src=/r>Request unsuccessful. Incident 7</iframe></body>", id="only a frame"),
        pytest.param(
            "<title>Pardon Our Interruption</title><p>Something about your browser.</p>", id="an interruption"
        ),
        pytest.param("<title>Einen Moment bitte</title><h1>Zugriff verweigert</h1>", id="German"),
        pytest.param("<title>安全验证</title><h1>安全验证</h1>", id="Chinese"),
    ],
)
def test_b7_a_bot_challenge_is_known(html: str) -> None:
    assert found(html) == PageObstacle.CHALLENGE


@pytest.mark.parametrize(
    "html",
    [
        "<title>Sign in - Acme</title><h1>Welcome back</h1><form><input><input type=password></form>",
        "<title>Acme</title><form><input type=password></form>",
        framed("<h1>Anmelden</h1><form><label>Kennwort</label><input type=password></form>", "Portal"),
    ],
)
def test_b7_a_login_wall_is_known(html: str) -> None:
    assert found(html) == PageObstacle.LOGIN


@pytest.mark.parametrize(
    ("main", "title"),
    [
        ("<h1>Oops!</h1><p>Try the search.</p>", "Page not found | Acme"),
        ("<h1>404</h1>", "Acme"),
        ("<h1>Error 404</h1>", "Acme"),
        ("<h1>This job is no longer available</h1>", "Acme jobs"),
        ("<h1>That page can't be found.</h1>", "Acme"),
        ("<h1>Seite nicht gefunden</h1>", "Acme"),
        ("<h1>Page introuvable</h1>", "Acme"),
        ("<h1>Página no encontrada</h1>", "Acme"),
        ("<h1>Página não encontrada</h1>", "Acme"),
        ("<h1>Pagina non trovata</h1>", "Acme"),
        ("<h1>Sidan hittades inte</h1>", "Acme"),
        ("<h1>Страница не найдена</h1>", "Acme"),
        ("<h1>Сторінку не знайдено</h1>", "Acme"),
        ("<h1>Sayfa bulunamad\u0131</h1>", "Acme"),
        ("<h1>الصفحة غير موجودة</h1>", "Acme"),
        ("<h1>页面不存在</h1>", "Acme"),
        ("<h1>ページが見つかりません</h1>", "Acme"),
        ("<h1>페이지를 찾을 수 없습니다</h1>", "Acme"),
    ],
)
def test_b8_a_soft_404_is_known(main: str, title: str) -> None:
    assert found(framed(main, title)) == PageObstacle.NOT_FOUND


@pytest.mark.parametrize(
    "main",
    [
        "<h1>No vacancies</h1>",
        "<h1>Nothing here</h1><p>Come back later.</p>",
        "<h1>Vacancies</h1><p>There are currently no open positions.</p>",
        "<h1>Jobs</h1><p>Sorry, no jobs found.</p>",
        "<h1>News</h1><div>Nothing found</div>",
        "<h1>Karriere</h1><p>Derzeit keine offenen Stellen.</p>",
        "<h1>Emplois</h1><p>Aucune offre pour le moment</p>",
        "<h1>Empleo</h1><p>No hay vacantes</p>",
    ],
)
def test_a_page_that_says_that_it_has_nothing_is_an_empty_list_and_no_obstacle(main: str) -> None:
    page = parse_page(framed(main, "Acme"), URL)

    assert obstacle(page) is None
    assert says_that_it_is_empty(page)


@pytest.mark.parametrize(
    "main",
    [
        "<h1>This job is no longer available</h1>",
        "<h1>Head of No Limits</h1><p>No experience needed.</p>",
        "<h1>Our work</h1><p>No results count for more than the work that our colleagues do in the field, and "
        "that is why we show all of it here.</p>",
    ],
)
def test_other_pages_do_not_say_that_they_are_empty(main: str) -> None:
    assert not says_that_it_is_empty(parse_page(framed(main, "Acme"), URL))


@pytest.mark.parametrize(
    "html",
    [
        "<title>503 Service Temporarily Unavailable</title><h1>503 Service Temporarily Unavailable</h1>",
        "<title>Site Maintenance</title><h1>We&rsquo;ll be back soon!</h1>",
        "<title>Acme</title><h1>Internal Server Error</h1>",
        "<b>Fatal error</b>: Uncaught Error: no such function, thrown in <b>i.php</b> on line <b>12</b>",
        "<pre>Traceback (most recent call last):\n  File 'app.py', line 3</pre>",
        "<title>Wartungsarbeiten</title><p>Bald sind wir wieder da.</p>",
    ],
)
def test_b7_an_error_page_is_known(html: str) -> None:
    assert found(html) == PageObstacle.ERROR


def test_a_parked_domain_is_known() -> None:
    assert found("<title>acme.example</title><p>This domain is for sale. Make an offer.</p>") == PageObstacle.PARKED


def test_a_page_of_nothing_but_consent_is_known() -> None:
    assert (
        found("<title>Before you continue</title><p>We use cookies.</p><button>Accept</button>") == PageObstacle.CONSENT
    )


@pytest.mark.parametrize(
    "html",
    [
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div><script></script>",
        "<title>Careers</title><div id=app></div><script src=m.js></script>",
        "<body><script>location.reload()</script></body>",
        "<p>Please enable JavaScript to view this page.</p><script></script>",
    ],
)
def test_a_shell_that_needs_scripts_is_told_from_a_wall(html: str) -> None:
    assert found(html) == "needs JavaScript"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            framed(f"<h1>Why captcha dies: are you a robot?</h1>{p(paragraphs())}", "Captcha"), id="on captchas"
        ),
        pytest.param(framed(f"<h1>Page not found: a history</h1>{p(paragraphs())}", "404"), id="an article on 404s"),
        pytest.param(framed("<h1>404 Engineer</h1><p>Location: Nairobi</p>", "404 Engineer | Acme"), id="a job"),
        pytest.param(
            framed("<h1>Head of Site Maintenance</h1><p>Location: Bonn</p><p>Deadline: 5 May</p>", "Site Maintenance"),
            id="a job in maintenance",
        ),
        pytest.param(
            document(f"<form><input type=password></form>{MENU}<main><h1>Jobs</h1>{JOBS}</main>", title="Jobs"),
            id="a small login form",
        ),
        pytest.param(
            framed("<h1>Vacancies</h1><p>There are none at the moment.</p>", "Vacancies"), id="an empty listing"
        ),
        pytest.param(
            "<title>Index of /pub</title><h1>Index of /pub</h1><pre><a href=a.txt>a.txt</a></pre>", id="an index"
        ),
        pytest.param("<title>Nurse</title><h1>Nurse</h1><p>Apply by mail.</p>", id="a short page"),
        pytest.param(
            framed(
                "<h1>Contact</h1><form><input name=mail><textarea></textarea><div class=captcha></div></form>",
                "Contact",
            ),
            id="a contact form",
        ),
        pytest.param("", id="nothing at all"),
    ],
)
def test_content_is_no_obstacle(html: str) -> None:
    assert found(html) is None


def test_a_page_in_one_form_with_a_small_login_in_it_is_no_obstacle() -> None:
    login = "<input type=text name=u><input type=password name=p><button>Sign in</button>"

    assert found(f"<title>Nurse</title><div><form action=/>{login}{MENU}{JOBS}{p(paragraphs())}</form></div>") is None


def test_posts_in_elements_called_comments_are_no_login_page() -> None:
    posts = "".join(f"<div class=comment>{p([text])}</div>" for text in paragraphs())

    assert found(f"<title>How to moor</title><form><input type=password></form>{posts}") is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_articles_are_no_obstacles(page: ArticlePage) -> None:
    assert found(page.html) is None


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(["<title>", "404", "Login", "<h1>", "<p>", "<iframe>", "<input type=password>"])
        | st.text(max_size=9)
    )
)
def test_no_page_makes_it_raise(parts: list[str]) -> None:
    assert found("".join(parts)) in (None, *PageObstacle)
