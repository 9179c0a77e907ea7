"""Imports sources from a file, with a preview first."""

from collections.abc import Mapping
from typing import Any

from fastapi import Response
from fastapi.responses import PlainTextResponse

from lamplighter.errors import BadInput
from lamplighter.model.access import Role
from lamplighter.operations.sources import source_file_formats
from lamplighter.operations.sources.source_file_formats import FileFormat
from lamplighter.operations.sources.source_import import ImportReport, RowStatus
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.source_uploads import Upload

ROUTES = Pages()
#: the most bytes of a file; with the line breaks that browsers add, its text fits into a request
LARGEST = 5_000_000
#: the most characters that can be pasted; longer texts are sent as a file
_LONGEST_PASTED = 500_000
#: the most rows that the report lists, those with errors first
_MOST_SHOWN = 500
_FORMATS = [("", "detect"), *((str(form), str(form).upper()) for form in FileFormat)]
_SAMPLE = (
    "name,url,tags,priority,interval_minutes,kind\n"
    'Harbour authority,https://harbour.example/jobs,"jobs;ports",high,360,job\n'
    "Lantern news,https://lantern.example/feed.xml,news,normal,,article\n"
)
#: refused rows before accepted ones
_ORDER = (RowStatus.INVALID, RowStatus.DUPLICATE, RowStatus.VALID, RowStatus.CREATED)


@ROUTES.get("/sources/import", role=Role.OPERATOR)
async def form(request: ThisRequest) -> Response:
    """The upload form."""
    return _page(request)


@ROUTES.get("/sources/import/sample.csv")
async def sample(request: ThisRequest) -> Response:
    """A sample CSV file."""
    headers = {"Content-Disposition": 'attachment; filename="sources.csv"'}
    return PlainTextResponse(_SAMPLE, media_type="text/csv", headers=headers)


@ROUTES.post("/sources/import/preview", role=Role.OPERATOR)
async def preview(request: ThisRequest) -> Response:
    """Previews the result of every row; writes nothing."""
    form = await request.form()
    text = form.as_typed("text")
    try:
        text = await _text(form)
        report = await _imported(request, text, form.text("format"), dry_run=True)
    except BadInput as error:
        return _page(request, text=text, form=form.text("format"), faults={error.field or "text": str(error)})
    return _page(request, text=text, form=form.text("format"), report=report)


@ROUTES.post("/sources/import")
async def run(request: ThisRequest) -> Response:
    """Imports all valid rows and reports the result of every row."""
    form = await request.form()
    text = form.as_typed("text")
    try:
        report = await _imported(request, text, form.text("format"), dry_run=False)
    except BadInput as error:
        return _page(request, text=text, form=form.text("format"), faults={error.field or "text": str(error)})
    return _page(request, report=report)


async def _text(form: SubmittedForm) -> str:
    """The text of the uploaded file, else the pasted text."""
    file = form.file("file")
    if file is None:
        return form.as_typed("text")
    content = await file.read()
    await file.close()
    if len(content) > LARGEST:
        message = f"the file has {len(content)} bytes; up to {LARGEST} are imported here, more by the API"
        raise BadInput(message, field="file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"the file is not UTF-8 (byte {error.start}); save it as UTF-8", field="file") from None


async def _imported(request: PageRequest, text: str, form: str, *, dry_run: bool) -> ImportReport:
    if not text:
        raise BadInput("nothing to import; choose a file, or paste its text", field="text")
    chosen = FileFormat(form) if form in list(FileFormat) else source_file_formats.guess(text)
    upload = Upload(source_file_formats.read(text, chosen), dry_run)
    return await source_verbs.upload(request.view, request.caller, upload)


def _page(
    request: PageRequest,
    *,
    text: str = "",
    form: str = "",
    report: ImportReport | None = None,
    faults: Mapping[str, str] | None = None,
) -> Response:
    # The text of a file may be longer than the field allows, and then it could not be sent again.
    pasted = text if report is None and len(text) <= _LONGEST_PASTED else ""
    shown: dict[str, Any] = {"text": text, "pasted": pasted, "longest": _LONGEST_PASTED}
    shown |= {"format": form, "formats": _FORMATS, "faults": faults or {}}
    if report is not None:
        rows = sorted(report.rows, key=lambda row: _ORDER.index(row.status))
        counts = {str(each): report.count(each) for each in RowStatus}
        shown |= {"rows": rows[:_MOST_SHOWN], "hidden": max(0, len(rows) - _MOST_SHOWN), "counts": counts}
    return request.page("sources/import/page.html", report=report, **shown)
