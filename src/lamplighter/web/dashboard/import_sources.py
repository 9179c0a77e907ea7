"""Many sources from a file: first what would become of each row, then the same in earnest."""

from collections.abc import Mapping
from typing import Any

from fastapi import Response
from fastapi.responses import PlainTextResponse

from lamplighter.errors import BadInput
from lamplighter.model.access import Role
from lamplighter.operations import source_files
from lamplighter.operations.source_files import FileFormat
from lamplighter.operations.source_import import ImportReport, RowStatus
from lamplighter.web.api import source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.source_uploads import Upload
from lamplighter.web.dashboard.forms import Form
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
#: with the line ends that browsers add, a request has room for it
_LARGEST = 5_000_000
#: characters that can be pasted; what is more is sent as a file
_LONGEST_PASTED = 500_000
#: rows that the report shows one by one, those that need somebody's attention first
_MOST_SHOWN = 500
_FORMATS = [("", "guess it"), *((str(form), str(form).upper()) for form in FileFormat)]
_SAMPLE = (
    "name,url,tags,priority,interval_minutes,kind\n"
    'Harbour authority,https://harbour.example/jobs,"jobs;ports",high,360,job\n'
    "Lantern news,https://lantern.example/feed.xml,news,normal,,article\n"
)
#: what is refused comes before what would be done
_ORDER = (RowStatus.INVALID, RowStatus.DUPLICATE, RowStatus.VALID, RowStatus.CREATED)


@ROUTES.get("/sources/import", role=Role.OPERATOR, include_in_schema=False)
async def form(visit: Visiting) -> Response:
    """Where a file is chosen, or its text is pasted."""
    return _page(visit)


@ROUTES.get("/sources/import/sample.csv", include_in_schema=False)
async def sample(visit: Visiting) -> Response:
    """A file to begin with."""
    headers = {"Content-Disposition": 'attachment; filename="sources.csv"'}
    return PlainTextResponse(_SAMPLE, media_type="text/csv", headers=headers)


@ROUTES.post("/sources/import/preview", role=Role.OPERATOR, include_in_schema=False)
async def preview(visit: Visiting) -> Response:
    """What would become of every row; nothing is written."""
    form = await visit.form()
    text = form.as_typed("text")
    try:
        text = await _text(form)
        report = await _imported(visit, text, form.text("format"), dry_run=True)
    except BadInput as error:
        return _page(visit, text=text, form=form.text("format"), faults={error.field or "text": str(error)}, status=422)
    return _page(visit, text=text, form=form.text("format"), report=report)


@ROUTES.post("/sources/import", include_in_schema=False)
async def run(visit: Visiting) -> Response:
    """Adds every source that can be added, and tells of each row what became of it."""
    form = await visit.form()
    text = form.as_typed("text")
    try:
        report = await _imported(visit, text, form.text("format"), dry_run=False)
    except BadInput as error:
        return _page(visit, text=text, form=form.text("format"), faults={error.field or "text": str(error)}, status=422)
    return _page(visit, report=report)


async def _text(form: Form) -> str:
    """The file's text, else what was pasted."""
    file = form.file("file")
    if file is None:
        return form.as_typed("text")
    content = await file.read()
    await file.close()
    if len(content) > _LARGEST:
        message = f"the file has {len(content)} bytes; up to {_LARGEST} are imported here, more by the API"
        raise BadInput(message, field="file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"the file is not UTF-8 (byte {error.start}); save it as UTF-8", field="file") from None


async def _imported(visit: Visit, text: str, form: str, *, dry_run: bool) -> ImportReport:
    if not text:
        raise BadInput("there is nothing to import; choose a file, or paste its text", field="text")
    chosen = FileFormat(form) if form in list(FileFormat) else source_files.guess(text)
    upload = Upload(source_files.read(text, chosen), dry_run)
    return await source_verbs.upload(visit.view, visit.caller, upload)


def _page(
    visit: Visit,
    *,
    text: str = "",
    form: str = "",
    report: ImportReport | None = None,
    faults: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    # The text of a file may be more than the field can hold, and then it could not be sent again.
    pasted = text if report is None and len(text) <= _LONGEST_PASTED else ""
    shown: dict[str, Any] = {"text": text, "pasted": pasted, "longest": _LONGEST_PASTED}
    shown |= {"format": form, "formats": _FORMATS, "faults": faults or {}}
    if report is not None:
        rows = sorted(report.rows, key=lambda row: _ORDER.index(row.status))
        counts = {str(each): report.count(each) for each in RowStatus}
        shown |= {"rows": rows[:_MOST_SHOWN], "hidden": max(0, len(rows) - _MOST_SHOWN), "counts": counts}
    return visit.page("import/page.html", status=status, report=report, **shown)
