"""`equiproof prove`: certificates of one applicant or of many, verified before they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import Scheme
from equiproof.cli import steps
from equiproof.cli.answers import LanguageText
from equiproof.cli.commands.common import (
    ContextFile,
    Force,
    Json,
    KeysFolder,
    MaxSeconds,
    OpeningFile,
    OwnerSecret,
    counterexample_text,
    load,
    tell,
    warn_of_sensitive,
)
from equiproof.cli.commands.prove_many import Asked, prove_many
from equiproof.cli.commands.proving import (
    DEFAULT_JOBS,
    LOCAL,
    Bundles,
    Capacity,
    Disclose,
    Engine,
    Jobs,
    KeyScheme,
    Lender,
    Letters,
    Link,
    NamesColumn,
    NoncesColumn,
    Out,
    OutDir,
    QueryOut,
    Reasons,
    ReceiptFile,
    Recourse,
    Resume,
    Rows,
    letter_of,
    query_in_place,
    refuse_mixed,
)
from equiproof.cli.commands.recourse_many import Then
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.branch import BranchSearch
    from equiproof.certify.traversal.search import Search
    from equiproof.certify.trees.ensemble_search import EnsembleSearch
    from equiproof.certify.trees.search import AdditiveSearch
    from equiproof.prover import Proven
    from equiproof.prover.keys import StoredKey
    from equiproof.prover.opening import Opening
    from equiproof.verifier.documents import QueryDocument


def prove(
    row: Rows,
    opening: OpeningFile,
    keys: KeysFolder,
    out: Out = None,
    query_out: QueryOut = None,
    context: ContextFile = None,
    receipt: ReceiptFile = None,
    scheme: KeyScheme = None,
    capacity: Capacity = None,
    owner_secret: OwnerSecret = None,
    disclose: Disclose = False,
    max_seconds: MaxSeconds = None,
    out_dir: OutDir = None,
    names: NamesColumn = None,
    nonces: NoncesColumn = None,
    bundles: Bundles = False,
    letters: Letters = False,
    recourse: Recourse = None,
    reasons: Reasons = None,
    lender: Lender = None,
    link: Link = None,
    language: LanguageText = "en",
    jobs: Jobs = DEFAULT_JOBS,
    engine: Engine = LOCAL,
    resume: Resume = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove one decision fair, or many; write certificates.

    One applicant: exits 3 if the decision is unfair or a sensitive value leads to a tie, and 4 if a budget or the key's
    capacity is too small; then no file is written. Many, the rows of a table (--out-dir): exits 3 if any is treated
    unfairly, otherwise 4 if any is undecided. A tie counts as undecided then.
    """
    decided = None if out_dir is not None else query_in_place(row)
    refuse_mixed(
        {"--out": out, "--query-out": query_out, "--receipt": receipt, "--force": force},
        {"--id": names, "--nonce": nonces, "--bundles": bundles, "--letters": letters, "--lender": lender}
        | {"--recourse": recourse, "--reasons": reasons}
        | {"--link": link, "--jobs": jobs != DEFAULT_JOBS, "--engine": engine != LOCAL, "--resume": resume},
        many=out_dir is not None,
        decided=None if decided is None else row,
    )
    find = partial(_key, keys, owner_secret, capacity, scheme)
    if out is not None:
        how = One(out, query_out, decided, receipt, context, disclose, max_seconds, force, as_json)
        _prove_one(row, opening, find, how)
    elif out_dir is not None:
        letter = letter_of(lender, link, language, with_letters=letters)
        if recourse is not None and bundles:
            raise typer.BadParameter("--recourse writes into folders of applicants: leave out --bundles")
        if reasons is not None and (recourse is None or not letters):
            raise typer.BadParameter("--reasons goes with --recourse and --letters: letters about recourse give them")
        then = None if recourse is None else Then(recourse, owner_secret, reasons)
        request = Asked(
            *(out_dir, names, nonces, max_seconds, disclose, bundles, letter, then, jobs, engine, resume, as_json)
        )
        raise typer.Exit(prove_many(row, opening, context, find, request))


def _key(keys: Path, secret: Path | None, capacity: int | None, scheme: Scheme | None, owned: Opening) -> StoredKey:
    """Return the key for a model; raises KeyStoreError for none, or one not made by the owner."""
    from equiproof.prover import KeyStore

    return KeyStore(keys, secret).find_for(owned, capacity, scheme)


@dataclass(frozen=True)
class One:
    """The options for one applicant, as :mod:`.proving` has them; `decided` is the query file of a receipt."""

    out: Path
    query_out: Path | None
    decided: QueryDocument | None
    receipt: Path | None
    context: Path | None
    disclose: bool
    max_seconds: float | None
    force: bool
    as_json: bool


def _prove_one(row: Path, opening: Path, find: Callable[[Opening], StoredKey], request: One) -> None:
    """Prove one row and write certificate and query file; ends the command with exit code 3 if it is unfair."""
    from equiproof.certify.data.rows import read_applicant
    from equiproof.certify.documents import counterexample, in_spec_units
    from equiproof.certify.traversal.search import Counterexample
    from equiproof.circuits import field
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover import Prover
    from equiproof.prover.opening import load_opening
    from equiproof.verifier import parse_context
    from equiproof.verifier.receipt import parse_receipt

    refuse_taken(filter(None, (request.out, request.query_out)), force=request.force)
    made_for = None if request.context is None else load(parse_context, request.context)
    receipt = None if request.receipt is None else load(parse_receipt, request.receipt)
    owned = load_opening(opening)
    decided = request.decided
    applicant = read_applicant(row, owned.spec, owned.encode) if decided is None else decided.row(owned.spec)
    blinding = None if decided is None else field.from_hex(decided.blinding)
    key = find(owned)
    warn_of_sensitive(row, owned.spec, applicant)
    links = opening.parent
    with in_spec_units(owned.spec), spinner("proving", quiet=request.as_json), Prover(owned, key, links) as prover:
        link = prover.link
        proven = prover.prove(
            applicant, made_for, blinding=blinding, disclose=request.disclose, max_seconds=request.max_seconds
        )
    if isinstance(proven, Counterexample):
        document = counterexample(owned.spec, owned.model, proven)
        tell(as_json=request.as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    for name, seconds in proven.seconds.items():
        steps.note(name, seconds)
    if receipt is not None:
        receipt.refuse_other(proven.certificate.to_statement())
    query = {} if request.query_out is None else {request.query_out: canonical_bytes(proven.query)}
    write_files(query | {request.out: proven.certificate.to_bytes()}, secret=tuple(query), force=request.force)
    document = proven.document() | {"certificate": str(request.out), "query": str(request.query_out or row)}
    document |= {} if link is None else {"link": str(link.path)}
    tell(as_json=request.as_json, document=document, text=_text(proven, document))


def _text(proven: Proven, document: dict[str, Any]) -> str:
    """Write what was proven, and what more room or time would give."""
    from equiproof.certify.traversal.search import Search

    search = proven.search
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    kind, more = (
        ("regions", _more_regions(proven, search))
        if isinstance(search, Search)
        else ("leaves", _more_leaves(document, search))
    )
    size = f"{proven.evidence.size} {kind} of at most {document['capacity']}"
    if proven.spec.levels:
        # As in the document: what the search found beyond the level stays out of what people copy.
        size = "the largest level that was found to hold"
        more = []
    lines = [
        f"PROVEN {document['statement']}",
        f"  {size}; {seconds}",
        *more,
        f"  certificate {document['certificate']}",
        f"  query for the applicant {document['query']}",
        *([f"  link {document['link']}: publish it with the commitment"] if "link" in document else []),
    ]
    return "\n".join(lines)


def _more_regions(proven: Proven, search: Search) -> list[str]:
    """Say what more regions would give."""
    from equiproof.certify.documents import radius_text

    capacity = proven.key.shape.capacity
    if search.radius_squared > proven.evidence.radius_squared:
        more = radius_text(proven.spec, search.radius_for(2 * capacity))
        return [f"  the radius is the largest that fits this key; capacity {2 * capacity} would give {more}"]
    if proven.evidence.size == capacity and not search.capped:
        return ["  this key has no region left: a larger one might prove more, see `equiproof certify --explain`"]
    return []


def _more_leaves(document: dict[str, Any], search: BranchSearch | AdditiveSearch | EnsembleSearch) -> list[str]:
    """Say what more leaves or more time would give, and how far the decision can hold at most."""
    flips = "" if document["flip"] is None else f"; a wrong decision lies at distance {document['flip']}"
    if search.complete:
        return [f"  no larger radius holds{flips}"] if flips else []
    more = {
        "leaves": "a key with more leaves might prove more",
        "slots": "a key with more slots might prove more",
        "rows": "a key with more rows might prove more",
        "passed": "a key with room for more passed nodes might prove more",
        "seconds": "--max-seconds ended the search: more time might prove more",
        "work": "the budget of work ended the search: more time (--max-seconds) might prove more",
        "digits": "the circuit's integers have too few digits for a larger radius",
    }
    return [f"  {more[search.ended or 'leaves']}{flips}"]
