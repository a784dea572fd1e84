"""A call audited from the dashboard: the kept picture measured anew with the board as it lay then, reported as PDF.

A camera measures live over time; a single picture is a second opinion, and the report says so.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

from flask import Blueprint, Response, g

from calibration import profiles
from calibration.errors import NotFoundError
from referee.dashboard.context import context, find_match
from referee.dashboard.guard import RefusedError

PICTURE = "picture.jpg"
AS_THEN = "measured anew from the kept picture, with the board where it was taken to lie then"
FRESH = "measured anew from the kept picture, the board looked for afresh: the call may rest on another measurement"
audits = Blueprint("audits", __name__, url_prefix="/api/v1/matches/<identifier>/audit")


@audits.get("/<digest>.pdf")
def report(identifier: str, digest: str) -> Response:
    """The report of ``referee audit`` on a picture that a call rests on; one at a time, since it takes seconds."""
    match = find_match(identifier)
    if match.log.engine.game != "crokinole":
        raise NotFoundError("only calls of crokinole are audited", code="no_call")
    if g.role != "keeper":
        raise RefusedError("an audit needs the scorekeeper's token", "no_token", 403)
    evidence = context().hall.desk.evidence
    content, kind = evidence.get(match.id, digest)
    if kind != "image/jpeg":
        raise NotFoundError("a clip can't be audited, its picture can", code="no_call")
    with context().gate.place("audits"), tempfile.TemporaryDirectory() as folder:
        try:
            made = _write(content, evidence.view_of(digest), Path(folder))
        except NotFoundError as error:
            # where files lie on this machine is nobody's business
            raise NotFoundError(str(error).replace(f"{Path(folder) / PICTURE}: ", ""), code=error.code) from error
    name = f"audit-{match.id[:8]}-{digest[:8]}.pdf"
    return Response(made, mimetype="application/pdf", headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _write(content: bytes, table: Path | None, folder: Path) -> bytes:
    # heavy: imported when somebody asks for it
    from referee.audit import Asked, build_audit  # noqa: PLC0415
    from referee.audit_files import REPORT_PDF  # noqa: PLC0415
    from referee.audit_source import load, parse_target  # noqa: PLC0415
    from referee.crokinole_reader import read_crokinole, view_from_table  # noqa: PLC0415

    picture = folder / PICTURE
    picture.write_bytes(content)
    source = load(parse_target(str(picture)))
    view = None if table is None else view_from_table(source.frame, profiles.load(table, profiles.TableFile))
    reading = read_crokinole(source.frame, view=view)
    said = FRESH if view is None else AS_THEN
    reading = replace(reading, warnings=(*reading.warnings, said))
    files = {} if table is None else {"table": table}
    settings = {name: path.name for name, path in files.items()}
    build_audit(source, reading, Asked(), settings=settings, files=files).write(folder / "audit")
    return (folder / "audit" / REPORT_PDF).read_bytes()
