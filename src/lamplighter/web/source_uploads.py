"""Uploaded files of sources: as the request body, or as text inside a JSON object."""

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from fastapi import Body, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations.sources import source_file_formats
from lamplighter.operations.sources.source_file_formats import FileFormat, FileRow
from lamplighter.validation_words import words_of

#: the most characters of one file
LARGEST = 32 * 1024 * 1024


class Upload(NamedTuple):
    """Rows to import."""

    rows: Iterable[FileRow]
    dry_run: bool


class UploadIn(BaseModel):
    """A file inside a JSON object, or the sources themselves."""

    model_config = ConfigDict(extra="forbid")

    content: str | None = Field(default=None, max_length=LARGEST, description="The file's text.")
    sources: list[Any] | None = Field(default=None, description="The sources, instead of a file.")
    format: FileFormat | None = None
    dry_run: bool = False


def _upload(
    body: Annotated[
        Any,
        Body(
            # Not only JSON: a file may be the body itself.
            media_type="*/*",
            description="The file itself (text/csv, application/x-ndjson, text/x-opml, text/plain), a JSON list of "
            'sources, or an object `{"content": "…", "format": "csv", "dry_run": true}`.',
            examples=[{"content": "name,url\nHarbour,https://harbour.example/jobs\n", "format": "csv"}],
        ),
    ],
    form: Annotated[FileFormat | None, Query(alias="format", description="Guessed when not given.")] = None,
    dry_run: Annotated[bool, Query(description="Report what would happen, and change nothing.")] = False,
) -> Upload:
    if isinstance(body, bytes):
        return Upload(_rows(_decoded(body), form), dry_run)
    if isinstance(body, list):
        return Upload(source_file_formats.from_json(body), dry_run)
    try:
        given = UploadIn.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        why = f"{field} {words_of(first)}; send a file, a list of sources, or an object"
        raise BadInput(why, field=field) from None
    dry_run = dry_run or given.dry_run
    if given.sources is not None:
        return Upload(source_file_formats.from_json(given.sources), dry_run)
    if given.content is None:
        raise BadInput("there is nothing to import; send content or sources", field="content")
    return Upload(_rows(given.content, given.format or form), dry_run)


def _rows(text: str, form: FileFormat | None) -> Iterable[FileRow]:
    return source_file_formats.read(text, form or source_file_formats.guess(text))


def _decoded(body: bytes) -> str:
    if len(body) > LARGEST:
        raise BadInput(f"the file has {len(body)} bytes; import up to {LARGEST} at once")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"the file is not UTF-8 (byte {error.start}); save it as UTF-8") from None


Uploaded = Annotated[Upload, Depends(_upload)]
