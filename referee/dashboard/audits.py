"""A call audited from the dashboard: the picture of an entry measured anew, and the report as PDF."""

import tempfile
from pathlib import Path

from flask import Blueprint, Response, g

from calibration.errors import NotFoundError
from referee.dashboard.context import context, find_match
from referee.dashboard.guard import RefusedError

PICTURE = "picture.jpg"
audits = Blueprint("audits", __name__, url_prefix="/api/v1/matches/<identifier>/audit")


@audits.get("/<digest>.pdf")
def report(identifier: str, digest: str) -> Response:
    """The report of ``referee audit`` on a picture that a call rests on; one at a time, since it takes seconds."""
    match = find_match(identifier)
    if match.log.engine.game != "crokinole":
        raise NotFoundError("only calls of crokinole are audited", code="no_call")
    if g.role != "keeper":
        raise RefusedError("an audit needs the scorekeeper's token", "no_token", 403)
    content, kind = context().hall.desk.evidence.get(match.id, digest)
    if kind != "image/jpeg":
        raise NotFoundError("a clip can't be audited, its picture can", code="no_call")
    with context().gate.place("audits"), tempfile.TemporaryDirectory() as folder:
        try:
            made = _write(content, Path(folder))
        except NotFoundError as error:
            # where files lie on this machine is nobody's business
            raise NotFoundError(str(error).replace(f"{Path(folder) / PICTURE}: ", ""), code=error.code) from error
    name = f"audit-{match.id[:8]}-{digest[:8]}.pdf"
    return Response(made, mimetype="application/pdf", headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _write(content: bytes, folder: Path) -> bytes:
    # heavy: imported when somebody asks for it
    from referee.audit import Asked, write_audit  # noqa: PLC0415
    from referee.audit_files import REPORT_PDF  # noqa: PLC0415
    from referee.audit_source import load, parse_target  # noqa: PLC0415
    from referee.crokinole_reader import read_crokinole  # noqa: PLC0415

    picture = folder / PICTURE
    picture.write_bytes(content)
    source = load(parse_target(str(picture)))
    write_audit(source, read_crokinole(source.frame), Asked(), folder / "audit")
    return (folder / "audit" / REPORT_PDF).read_bytes()
