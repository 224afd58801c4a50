"""The models that decide."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.published import links_of
from equiproof.service.keys import links_beside
from equiproof.service.store import queries
from equiproof.service.store.tables import Model
from equiproof.service.web.bodies import ModelBody, ModelList
from equiproof.service.web.guard import Read
from equiproof.service.web.problems import documented
from equiproof.service.web.shown import time
from equiproof.service.web.state import Shared

router = APIRouter(prefix="/v1/models", tags=["models"])


@router.get("", operation_id="models", responses=documented())
def deciding(_: Read, request: Request) -> ModelList:
    """Return the models that decide, with what they need to know of an applicant."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        return ModelList(models=[_body(shared, session, row) for row in queries.deciding(session)])


def _body(shared: Shared, session: Session, row: Model) -> ModelBody:
    spec = shared.models.of(session, row.id).spec
    return ModelBody(
        name=row.name,
        commitment=row.commitment,
        since=time(row.created),
        entry=row.entry,
        labels=list(spec.labels),
        sensitive=[feature.name for feature in spec.sensitive_features],
        spec=json.loads(canonical_bytes(spec)),
        links=[json.loads(link.to_bytes()) for link in links_of(links_beside(row.opening), row.commitment)],
    )
