"""`equiproof recourse`: what a refused applicant could have changed, searched, said, proven and printed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import EXHAUSTED, UNFAIR
from equiproof.cli import steps
from equiproof.cli.answers import LanguageText, shown, words_of
from equiproof.cli.commands.common import ContextFile, Force, Json, OpeningFile, OwnerSecret, load, naming_file, tell
from equiproof.cli.commands.proving import query_in_place
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.recourse.search import Recourse
    from equiproof.circuits.allowed import Wish
    from equiproof.circuits.spec import Spec
    from equiproof.prover.box import BoxProver
    from equiproof.prover.opening import Opening
    from equiproof.verifier.recourse import Told

CODES: Mapping[str, int] = {"dependent": UNFAIR, "undecided": EXHAUSTED}
"""The exit codes of the outcomes that are no success."""

RowFile = Annotated[Path, typer.Argument(help="The refused applicant: a row (JSON or CSV) or a query file.")]
WishesFile = Annotated[
    Path | None, typer.Option("--wishes", help="What the applicant does not want to change, beside the rules.")
]
Wanted = Annotated[
    str | None, typer.Option("--label", help="The label that is wanted. Default: the last one of the spec.")
]
Most = Annotated[
    int, typer.Option("--most", min=1, max=4, help="So many ways are shown at most; each tells something of the model.")
]
Seconds = Annotated[
    float | None,
    typer.Option("--max-seconds", min=0.0, help="The time budget of the search. Without it, work is limited instead."),
]
Proves = Annotated[
    bool, typer.Option("--prove", help="Prove what is found: a box certificate for each way, or that nothing helps.")
]
Keys = Annotated[
    Path | None,
    typer.Option("--keys", help="The folder of a key of boxes: only what it has room for is claimed. For --prove."),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="The folder for what --prove writes: a folder for each certificate.")
]
PageFile = Annotated[Path | None, typer.Option("--page", help="Where to write a page to print for the applicant.")]
Codes = Annotated[
    Path | None,
    typer.Option("--reasons", help="Your table of reasons: the page names those of what is proven. For --prove."),
]
Lender = Annotated[str | None, typer.Option("--lender", help="Your name, as the head of the page shows it.")]
Called = Annotated[
    str, typer.Option("--reference", help="What the decision is called on the page, such as an application's number.")
]


def recourse(
    row: RowFile,
    opening: OpeningFile,
    wishes: WishesFile = None,
    label: Wanted = None,
    most: Most = 3,
    max_seconds: Seconds = None,
    prove: Proves = False,
    keys: Keys = None,
    out: Out = None,
    context: ContextFile = None,
    owner_secret: OwnerSecret = None,
    reasons: Codes = None,
    page: PageFile = None,
    lender: Lender = None,
    reference: Called = "",
    language: LanguageText = "en",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find what a refused applicant could have changed.

    Looked for are changes that the rules of the spec allow: the cheapest ones that are enough whatever the sensitive
    values are, or that no change is. Exits 0 for these, 3 where a change is enough for some listed values only, and 4
    where neither was found.
    """
    from equiproof.circuits.allowed import wanted_label
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover import KeyStore
    from equiproof.prover.box import BoxProver
    from equiproof.prover.opening import load_opening
    from equiproof.prover.recourse import recourse as ask
    from equiproof.verifier import parse_context, parse_wishes
    from equiproof.verifier.reason_codes import parse_reason_codes
    from equiproof.verifier.recourse import in_words
    from equiproof.verifier.words import Words

    words_of(language)
    _refuse_mixed(
        {"--keys": keys, "--out": out},
        {"--out": out, "--context": context},
        {"--page": page, "--lender": lender, "--reference": reference or None},
        prove=prove,
    )
    _refuse_reasons(reasons, wishes, prove=prove)
    refuse_taken([*filter(None, (page,)), *([] if out is None else _places(out))], force=force)
    owned = load_opening(opening)
    made_for = None if context is None else load(parse_context, context)
    wished = {} if wishes is None else load(parse_wishes, wishes).wishes
    codes = None if reasons is None else parse_reason_codes(read_limited(reasons), str(reasons), owned.spec)
    applicant = _applicant(row, owned)
    key = None if keys is None else KeyStore(keys, owner_secret).find_box(owned)
    with naming_file(row), spinner("searching", quiet=as_json):
        found = ask(owned, applicant, label=label, wishes=wished, key=key, most=most, seconds=max_seconds)
    steps.note("search", found.seconds)
    wanted = owned.spec.labels[wanted_label(owned.spec, label)]
    files: dict[Path, bytes] = {}
    secret: list[Path] = []
    written: list[dict[str, Any]] = []
    if prove and key is not None and out is not None and found.is_claim:
        with spinner("proving", quiet=as_json), BoxProver(owned, key) as prover:
            files, secret, written = certified(prover, found, wanted, made_for, out)
    given = [] if codes is None else codes.of((way.changed for way in found.ways), Words(language))
    told = told_of(found, applicant, wanted, written, wishes=wished, reasons=given)
    said = in_words(owned.spec, told, language)
    if page is not None and lender is not None:
        files[page] = printed(owned.spec, told, lender, language, reference)
        secret.append(page)
    if out is not None:
        remove_others(out, files)
    if files:
        write_files(files, secret=secret, force=force)
    document = _document(owned.spec, found, said, written, page)
    tell(as_json=as_json, document=document, text=_text(document))
    if code := CODES.get(found.outcome):
        raise typer.Exit(code)


def _applicant(path: Path, owned: Opening) -> Mapping[str, Any]:
    """Read a row, or a query file, whose values fit the spec."""
    from equiproof.certify.data.rows import read_applicant

    if (query := query_in_place(path)) is None:
        return read_applicant(path, owned.spec, owned.encode)
    with naming_file(path):
        query.commitment(owned.spec)
    return query.row(owned.spec)


def _refuse_mixed(
    needed: Mapping[str, object], proofs: Mapping[str, object], words: Mapping[str, object], *, prove: bool
) -> None:
    """Raise typer's own error for an option without those that it goes with.

    `needed` are those that --prove cannot do without, `proofs` those that only certificates take, `words` the page's.
    """
    if not prove and (given := [option for option, value in proofs.items() if value is not None]):
        raise typer.BadParameter(f"{given[0]} goes with --prove: no certificate is written without it")
    if prove and None in needed.values():
        raise typer.BadParameter("--prove goes with --keys, a folder with a key of boxes, and --out, a folder to write")
    if (words["--page"] is None) != (words["--lender"] is None):
        raise typer.BadParameter("--page goes with --lender, your name on it")
    if words["--reference"] is not None and words["--page"] is None:
        raise typer.BadParameter("--reference goes with --page, which shows it")


def _refuse_reasons(reasons: Path | None, wishes: Path | None, *, prove: bool) -> None:
    """Raise typer's own error for reasons that no certificate backs, or of which wishes could leave some out."""
    if reasons is not None and not prove:
        raise typer.BadParameter("--reasons goes with --prove: no reason is given that no certificate backs")
    if reasons is not None and wishes is not None:
        raise typer.BadParameter("--reasons goes without --wishes: what is wished fixed may be a reason as well")


def _places(out: Path) -> list[Path]:
    """Return all files that a search can write into a folder, whatever it finds."""
    from equiproof.certify.recourse.search import MOST

    names = ["none", "part", *(f"way-{number}" for number in range(1, MOST + 1))]
    return [out / name / file for name in names for file in ("certificate.json", "opened.json")]


def remove_others(out: Path, kept: Collection[Path]) -> None:
    """Remove what an earlier search left in a folder beside the files to come: it may be of somebody else."""
    for path in _places(out):
        if path not in kept and path.exists():
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def certified(
    prover: BoxProver, found: Recourse, wanted: str, context: Mapping[str, str] | None, out: Path
) -> tuple[dict[Path, bytes], list[Path], list[dict[str, Any]]]:
    """Prove what was found; return the files of each certificate, those that are secret, and what is said of them."""
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.prover.recourse import proven

    alone = {"none": ["none"], "undecided": ["part"] if found.is_claim else []}
    names = alone.get(found.outcome, [f"way-{number}" for number in range(1, len(found.ways) + 1)])
    files: dict[Path, bytes] = {}
    secret, said = [], []
    for name, made in zip(names, proven(prover, found, wanted, context), strict=True):
        certificate, opened = out / name / "certificate.json", out / name / "opened.json"
        files |= {certificate: made.certificate.to_bytes(), opened: canonical_bytes(made.opened)}
        secret.append(opened)
        for what, value in made.seconds.items():
            steps.note(what, value)
        where = {"name": made.identity, "certificate": str(certificate), "box": str(opened)}
        said.append(made.document() | where)
    return files, secret, said


def told_of(
    found: Recourse,
    applicant: Mapping[str, Any],
    wanted: str,
    certificates: Sequence[Mapping[str, Any]],
    *,
    wishes: Mapping[str, Wish] | None = None,
    reasons: Sequence[tuple[int, str]] = (),
) -> Told:
    """Return what is said to an applicant."""
    from equiproof.verifier.recourse import Told

    ways = tuple((way.changed, way.ends) for way in found.ways)
    names = [one["name"] for one in certificates]
    part = None if found.within is None else (found.within, found.numbers)
    return Told(found.outcome, applicant, wanted, ways, wishes or {}, part, names, reasons)


def _document(
    spec: Spec, found: Recourse, said: dict[str, Any], written: list[dict[str, Any]], page: Path | None
) -> dict[str, Any]:
    """Return what was found as a JSON document; of who depends on a sensitive value, the owner reads who it is."""
    document = {
        "verdict": found.outcome,
        "why": found.why,
        "cut": found.cut,
        "within": found.within,
        "title": said["title"],
        "sentences": said["sentences"],
        "reasons": said["reasons"],
        "ways": [
            {"cost": float(way.cost), "changed": list(way.changed), "ends": dict(way.ends), "sentence": one["sentence"]}
            for way, one in zip(found.ways, said["ways"], strict=True)
        ],
        "lower": None if found.lower is None else float(found.lower),
        "certificates": written,
        "page": None if page is None else str(page),
        "seconds": round(found.seconds, 4),
    }
    return document | witness_of(spec, found)


def witness_of(spec: Spec, found: Recourse) -> dict[str, Any]:
    """Return who depends on a sensitive value, for the owner; nothing of any other outcome."""
    from equiproof.circuits.assignments import values_of_row

    if (who := found.witness) is None:
        return {}
    changed = {name: who.values[name] for name in who.changed}
    rows = {"granted": values_of_row(spec, who.granted), "refused": values_of_row(spec, who.refused)}
    return {"witness": {"changed": changed, **rows}}


def _text(document: dict[str, Any]) -> str:
    """Write what was found, what it costs, and where its files are."""
    lines = [document["verdict"].upper()]
    for way in document["ways"]:
        lines += [f"  {way['sentence']}", f"    cost {way['cost']:.6g}"]
    lines += [f"  {sentence}" for sentence in document["sentences"]]
    lines += [f"  {sentence}" for sentence in document["reasons"]]
    if document["cut"] and document["ways"]:
        lines.append("  --max-seconds ended the search: there may be cheaper ways, and more of them")
    if document["why"] is not None:
        lines.append(f"  {_WHY[document['why']]}")
    if (witness := document.get("witness")) is not None:
        lines.append(f"  for you alone: {_listed(witness['changed'])} is granted to {_listed(witness['granted'])}")
        lines.append(f"  and not to {_listed(witness['refused'])}")
    for one in document["certificates"]:
        lines.append(f"  certificate {one['certificate']}, opened box {one['box']}")
    if document["page"] is not None:
        lines.append(f"  page {document['page']}")
    lines.append(f"  {document['seconds']:.2f} s of search")
    return shown("\n".join(lines))


def _listed(values: dict[str, Any]) -> str:
    """Write values by their names."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


_WHY = {
    "seconds": "the budget ended first: give more --max-seconds",
    "room": "the key has too little room: make one with `equiproof setup --box` and a larger --capacity",
    "sets": "the model asks for sets of a category's values: let the category stay by a wish (fixed), or by the rules",
    "ends": "whoever is decided otherwise lies between the steps that the rules show, or beyond a way's end",
}
"""Why nothing is claimed."""


def printed(spec: Spec, told: Told, lender: str, language: str, reference: str = "") -> bytes:
    """Return the page for an applicant, of today; `reference` is that of the decision."""
    from equiproof.verifier.letter import Sender
    from equiproof.verifier.recourse import letter

    return letter(spec, told, Sender(lender, datetime.now(UTC).date(), reference), language).encode()
