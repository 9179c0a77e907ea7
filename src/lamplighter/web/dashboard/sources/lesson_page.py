"""Point and teach: what the pages of a source and of one to be added share."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from fastapi import Response
from fastapi.responses import HTMLResponse

from lamplighter.errors import BadInput
from lamplighter.extract.teaching.lesson import (
    MEANINGS,
    MOST_EXAMPLES,
    TAUGHT_FIELDS,
    TITLE,
    URL,
    WRONG,
    Example,
    ReadMark,
)
from lamplighter.extract.teaching.places import MOST_LINES
from lamplighter.operations.explain.lessons import Lesson, Pointing
from lamplighter.operations.explain.trials import TrialBody
from lamplighter.store.access.audit_log import AuditEntry
from lamplighter.store.pages.page_versions import Version
from lamplighter.web.dashboard.forms import SubmittedForm
from lamplighter.web.dashboard.page_request import PageRequest
from lamplighter.web.dashboard.sources.add_source import ShownField, fields_of
from lamplighter.web.security_headers import WITH_FRAME, for_frame
from lamplighter.web.static_files import static_files

#: the id of the part that is replaced after each press
LESSON = "lesson"
#: what the form says that asks to learn from the last good version
LAST_GOOD = "last_good"
#: what was read on an earlier version, and is not read now
_WAS = "was"
_LABELS = {
    "title": "Title",
    "url": "Link",
    "organisation": "Organisation",
    "location": "Place",
    "deadline": "Deadline",
    "published_at": "Date",
    "price": "Price",
    "salary": "Salary",
    "author": "Author",
    "description": "Description",
    "image": "Picture",
    "next": "Next page",
    "wrong": "Not a record",
}
#: place, meaning, label: what the script in the frame outlines
ShownMark = tuple[int, str, str]


class LessonPaths(NamedTuple):
    """Where the forms and links of a lesson lead."""

    #: the page of the lesson, and the same without what was chosen
    page: str
    base: str
    frame: str
    #: takes a press
    teach: str
    save: str
    #: where the name in the heading leads
    back: str
    #: goes back to the recipe before
    undo: str = ""
    #: the last good version: its lesson, and the frame that shows it
    good: str = ""
    good_frame: str = ""


def pointing_of(form: SubmittedForm) -> Pointing:
    """What the form says was pointed at, with what is pressed now."""
    examples = [example_of(text) for text in form.many("example")[: MOST_EXAMPLES + 1]]
    if len(examples) > MOST_EXAMPLES:
        raise BadInput(f"a lesson has up to {MOST_EXAMPLES} examples", field="example")
    if (dropped := form.whole_number("drop")) is not None:
        examples = [each for place, each in enumerate(examples) if place != dropped]
    # Without scripts the pressed button has the same name as the field that scripts fill.
    press = next((text for text in form.many("press") if text), None)
    meaning = form.text("meaning")
    if meaning:
        _known(meaning)
    return Pointing(
        tuple(examples),
        press=_place(press) if press is not None else None,
        meaning=meaning,
        from_last_good=form.text("learn") == LAST_GOOD,
    )


def example_of(text: str) -> Example:
    """An example as the form keeps it: title:17."""
    meaning, _, place = text.partition(":")
    _known(meaning)
    return Example(meaning, _place(place))


def _known(meaning: str) -> None:
    if meaning not in MEANINGS:
        raise BadInput(f"{meaning[:50]!r} cannot be taught; use {', '.join(MEANINGS)}", field="meaning")


def _place(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise BadInput(f"{text[:50]!r} is not the number of an element", field="press")
    return int(text)


def show_lesson(
    request: PageRequest,
    lesson: Lesson,
    paths: LessonPaths,
    *,
    name: str,
    url: str,
    kept: Sequence[tuple[str, str]],
    saved_with: Sequence[tuple[str, str]],
    save_label: str,
    has_recipe: bool,
    version: Version | None = None,
    versions: Sequence[Version] = (),
    earlier: AuditEntry | None = None,
    with_styles: bool = True,
) -> Response:
    """The page of a lesson; for a script that pressed something, what is read now."""
    good = lesson.taught.last_good
    marks = _shown_marks([*_wrong(lesson), *lesson.taught.marks])
    shown: dict[str, Any] = {
        "lesson": lesson,
        "name": name,
        "url": url,
        "kept": kept,
        "saved_with": saved_with,
        "save_label": save_label,
        "has_recipe": has_recipe,
        "chosen": version,
        "versions": versions,
        "earlier": earlier,
        "with_styles": with_styles,
        "labels": _LABELS,
        "meanings": [(each, _LABELS[each]) for each in MEANINGS],
        "meaning": "",
        "marks": marks + _was(lesson),
        "good_marks": _shown_marks(good.marks) if good is not None else [],
        "records": [(record, _taught_fields(record)) for record in lesson.simulation.records],
        "recipe_text": json.dumps(lesson.recipe, indent=2, ensure_ascii=False) if lesson.recipe else "",
        "most_lines": MOST_LINES,
        **{f"{key}_path": path for key, path in paths._asdict().items()},
    }
    shown["marked"] = {place: (meaning, said) for place, meaning, said in reversed(shown["marks"]) if meaning != "row"}
    if request.target == LESSON:
        return request.part("sources/teach/lesson.html", **shown)
    answer = request.page("sources/teach/page.html", **shown)
    answer.headers.update(WITH_FRAME)
    return answer


def _taught_fields(record: Mapping[str, Any]) -> list[ShownField]:
    """The fields of a record that can be pointed at, beside its title and link."""
    return [each for each in fields_of(record) if each.name in TAUGHT_FIELDS and each.name not in (TITLE, URL)]


def _shown_marks(marks: Sequence[ReadMark]) -> list[ShownMark]:
    return [(mark.place, mark.meaning, _said(mark)) for mark in marks]


def _was(lesson: Lesson) -> list[ShownMark]:
    """What the last good version had, where the page shows it and nothing is read."""
    good = lesson.taught.last_good
    taken = {mark.place for mark in lesson.taught.marks if mark.meaning != "row"}
    taken |= {example.place for example in lesson.taught.examples}
    was = {mark.place: mark.meaning for mark in reversed(good.was)} if good is not None else {}
    return [(place, _WAS, f"was {_label(name)}") for place, name in was.items() if place not in taken]


def _label(meaning: str) -> str:
    return _LABELS.get(meaning, meaning.replace("_", " ")).lower()


def _wrong(lesson: Lesson) -> list[ReadMark]:
    return [ReadMark(each.place, WRONG, 1.0) for each in lesson.taught.examples if each.meaning == WRONG]


def _said(mark: ReadMark) -> str:
    if mark.meaning in ("row", WRONG, "next"):
        return "" if mark.meaning == "row" else _label(mark.meaning)
    return f"{_label(mark.meaning)} {mark.confidence:.0%}"


async def frame_of(request: PageRequest, body: TrialBody, *, with_styles: bool) -> Response:
    """The archived page as a frame shows it: nothing of it runs, loads or sends anything."""
    script, sheet = _own_parts()
    html = await request.view.sites.lessons.show(
        body,
        head=f"<style>{sheet}</style>",
        foot=f"<script>{script}</script>",
        with_styles=with_styles,
        now=request.now,
    )
    return HTMLResponse(html, headers=_frame_headers())


@cache
def _own_parts() -> tuple[str, str]:
    """Our script and style sheet in the frame."""
    plain = static_files().plain
    return plain["frame/pointing.js"].decode(), plain["frame/pointing.css"].decode()


@cache
def _frame_headers() -> Mapping[str, str]:
    return for_frame(_own_parts()[0])
