"""`equiproof log proof` of a folder of receipts: all log proofs at once, and none twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from equiproof.circuits.text import several, shortened
from equiproof.cli.commands.common import tell
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.register.log import Log
    from equiproof.register.receipts import Place

_MOST_LISTED = 5


def prove_all(log: Log, folder: Path, *, force: bool, as_json: bool) -> None:
    """Write the log proofs of the receipts in a folder, each beside its receipt, and say how many there are.

    Those that are there are checked and kept, unless `force` has them written anew. Raises LogError where receipts are
    not in the log yet, once the others have theirs; and as :mod:`equiproof.register.receipts`.
    """
    from equiproof.register.errors import LogError
    from equiproof.register.receipts import places, without_proof, write_proofs

    receipts = places(folder)
    waiting = receipts if force else without_proof(log, receipts)
    missing = dict.fromkeys(waiting)
    with bar("proving", quiet=as_json) as tick:
        for place in write_proofs(log, waiting, force=force):
            del missing[place]
            tick(len(waiting) - len(missing), len(waiting))
    if missing:
        raise LogError(
            f"{log.source.name}: append the missing entries, or wait for the next checkpoint: {_names(list(missing))} "
            f"of {len(receipts):,} receipts are not in the log; {len(receipts) - len(missing):,} have their proof"
        )
    document = {"folder": str(folder), "receipts": len(receipts), "written": len(waiting)}
    text = (
        f"LOGGED {len(receipts):,} receipts\n  proofs written: {len(waiting):,}, kept: {len(receipts) - len(waiting):,}"
    )
    tell(as_json=as_json, document=document, text=text)


def _names(receipts: list[Place]) -> str:
    """Return the names of receipts: of many the first, how many are left out, and the last."""
    return several([shortened(place.folder.name) for place in receipts], _MOST_LISTED)
