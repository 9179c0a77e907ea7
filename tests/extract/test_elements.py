"""What the parser does in its own way is what pages mean."""

from lamplighter.extract.elements import holds, own_text, parent_of, parsed, self_and_above, spaced_text


def test_what_is_in_a_template_is_not_on_the_page() -> None:
    tree = parsed("<template><p>a<template>b</template></template><div><template shadowrootmode=open>c</template>d")

    assert tree.select("p") == []
    assert tree.text == "d"


def test_without_scripts_the_page_is_what_noscript_says() -> None:
    assert len(parsed("<noscript><p>a</noscript>").find_all("p")) == 1


def test_texts_are_parted_where_elements_part_them() -> None:
    (paragraph,) = parsed("<p>a<b>b</b>c<!-- x --> <i></i>d").find_all("p")

    assert spaced_text(paragraph) == "a b c   d"
    assert own_text(paragraph) == "ac d"


def test_an_element_holds_itself() -> None:
    link = parsed("<a href=/x><b>x</b></a>").find_all("a")[0]

    assert holds(link, "a[href]")
    assert holds(link, "b")
    assert not holds(link, "body")


def test_above_the_outermost_element_there_is_none() -> None:
    paragraph = parsed("<p>x").find_all("p")[0]

    assert [element.tag for element in self_and_above(paragraph)] == ["p", "body", "html"]
    assert parent_of(list(self_and_above(paragraph))[-1]) is None
