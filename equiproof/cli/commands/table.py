"""`equiproof table`: exact counts of a committed model's decisions by group, on an auditor's rows, proven."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import OK, REFUSED
from equiproof.circuits.tables import say, speaking, written
from equiproof.cli.answers import LanguageText, in_its_language, words_of
from equiproof.cli.commands.common import (
    CommitmentFile,
    ContextFile,
    Force,
    Json,
    KeysFolder,
    OpeningFile,
    OwnerSecret,
    load,
    refuse_missing,
    tell,
)
from equiproof.cli.commands.demands import CheckerText, OwnLink, chosen_program, mendable
from equiproof.cli.console import bar, spinner

if TYPE_CHECKING:
    from equiproof.prover.keys import StoredTableKey
    from equiproof.verifier.table_files import Challenge

app = typer.Typer(no_args_is_help=True, help="Prove counts of decisions by group, on an auditor's rows.")

ChallengeFile = Annotated[Path, typer.Argument(help="The auditor's challenge, from `table challenge`.")]
Groups = Annotated[
    str, typer.Option("--groups", metavar="COLUMNS", help="The columns that divide the rows, such as sex or sex,race.")
]
Labels = Annotated[str | None, typer.Option("--labels", metavar="COLUMN", help="The column with the true labels.")]
LeastGroup = Annotated[
    int,
    typer.Option("--least-group", min=1, help="Refuse a group of fewer rows: their counts tell more of the model."),
]
Out = Annotated[Path, typer.Option("--out", help="Where to write it.")]
Cells = Annotated[
    int | None,
    typer.Option("--cells", min=1, max=256, help="How many groups, or pairs of group and true label. Default: 14."),
]
Rows = Annotated[
    int | None,
    typer.Option("--rows", min=1, max=1 << 16, help="How many rows each proof is about. Default: as many as fit."),
]
Label = Annotated[
    str | None, typer.Option("--label", help="The decision that is counted. Default: the second label of the spec.")
]
LeastRows = Annotated[int | None, typer.Option("--least-rows", min=1, help="Require so many rows in all.")]
LeastEach = Annotated[int | None, typer.Option("--least-group", min=1, help="Require so many rows in each group.")]
MinImpact = Annotated[
    str | None,
    typer.Option("--min-impact", help="Require this disparate impact, the least rate by the largest, such as 0.8."),
]
MaxOdds = Annotated[
    str | None,
    typer.Option("--max-odds-difference", help="Require equalized odds within this difference, such as 0.1."),
]


@app.command()
def setup(
    opening: OpeningFile,
    keys: KeysFolder,
    rows: Rows = None,
    cells: Cells = None,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the keys that count an auditor's rows.

    With them come those for the link to the committed model, unless they are there. The shape is that of the network
    in --opening. Whoever runs it could forge proofs under these keys.
    """
    from equiproof.prover.opening import load_opening
    from equiproof.prover.table_keys import DEFAULT_CELLS, set_up_tables, shape_for

    owned = load_opening(opening)
    with spinner("counting constraints", quiet=as_json):
        shape = shape_for(owned, rows, cells or DEFAULT_CELLS)
    with spinner(f"making keys for {shape.name}", quiet=as_json):
        key = set_up_tables(keys, shape, owner_secret, force=force)
    document = key.summary() | {"rows": shape.rows, "cells": shape.cells}
    tell(as_json=as_json, document=document, text=_made(key))


def _made(key: StoredTableKey) -> str:
    """Say what was made."""
    shape = key.document.shape
    return "\n".join(
        [
            f"KEY {key.folder}",
            f"  {key.document.constraints:,} constraints; a proof is about {shape.rows:,} rows in {shape.cells} cells",
            f"  fingerprint {key.document.fingerprint}",
            "  publish its folder without proving.key and owner.json, and the folder of the key for links likewise",
        ]
    )


@app.command()
def challenge(
    table: Annotated[Path, typer.Argument(help="Your rows: every feature of the spec, groups, and true labels.")],
    commitment: CommitmentFile,
    groups: Groups,
    out: Out,
    labels: Labels = None,
    context: ContextFile = None,
    least_group: LeastGroup = 10,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Ask how a committed model decides your rows, by group.

    The file holds all your rows: whoever has it sees them. Publish or send it only after the commitment is public.
    """
    from equiproof.certify.data.rows import naming_row, read_rows
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier import parse_context
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.table_challenge import make_challenge

    refuse_taken((out,), force=force)
    made_for = None if context is None else load(parse_context, context)
    trusted = load_commitment(commitment)
    rows = read_rows(table, spec=trusted.spec)
    for number, row in enumerate(rows, start=1):
        with naming_row(table, number, row, trusted.spec):
            trusted.spec.encode(row)
            trusted.spec.encode_sensitive(row)
    made = make_challenge(trusted, rows, groups.split(","), labels, least_group, made_for)
    write_file(out, canonical_bytes(made), force=force)
    document = {"challenge": str(out), "digest": made.digest, "rows": len(made.rows), "cells": _cells(made)}
    lines = [f"CHALLENGE {len(made.rows):,} rows in {len(made.cells)} cells", *_listed(made), f"  {out}"]
    tell(as_json=as_json, document=document, text="\n".join(lines))


def _cells(asked: Challenge) -> list[dict[str, Any]]:
    """Return the cells of a challenge with their sizes."""
    import msgspec

    return [msgspec.to_builtins(cell) | {"rows": rows} for cell, rows in zip(asked.cells, asked.sizes, strict=True)]


def _listed(asked: Challenge) -> list[str]:
    """Return a line for each cell of a challenge."""
    from equiproof.circuits.text import plain

    return [
        f"  {plain(', '.join(cell['values']))}{' / ' + plain(cell['label']) if 'label' in cell else ''}: "
        f"{cell['rows']:,} rows"
        for cell in _cells(asked)
    ]


@app.command()
def prove(
    file: ChallengeFile,
    opening: OpeningFile,
    keys: KeysFolder,
    out: Out,
    least_group: LeastGroup = 10,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Answer a challenge: prove your model's counts.

    Nothing else shows of it. Each answered challenge tells as much of the model as its counts do: answer few, of large
    groups.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.prover.opening import load_opening
    from equiproof.prover.table_keys import find_table_key
    from equiproof.prover.tables import accepted, answer_challenge
    from equiproof.verifier.table_files import load_challenge

    refuse_taken((out,), force=force)
    asked, owned = load_challenge(file), load_opening(opening)
    accepted(owned, asked, str(file), least_group)
    key = find_table_key(keys, owned, len(asked.cells), owner_secret)
    with bar("proving", quiet=as_json) as tick:
        answered = answer_challenge(
            owned, key, asked, str(file), opening.parent, least_group=least_group, progress=tick
        )
    write_file(out, answered.answer.to_bytes(), force=force)
    document = {
        "answer": str(out),
        "link": str(answered.link.path),
        "rows": len(asked.rows),
        "proofs": len(answered.answer.parts),
        "granted": list(answered.answer.granted),
        "tied": list(answered.answer.tied),
    }
    proofs = len(answered.answer.parts)
    text = (
        f"PROVEN counts of {len(asked.rows):,} rows in {len(asked.cells)} cells, by {proofs} proofs\n"
        f"  answer {out}\n  link {answered.link.path}: publish it with the commitment"
    )
    tell(as_json=as_json, document=document, text=text)


@app.command()
@in_its_language
def verify(
    answer: Annotated[Path, typer.Argument(help="The owner's answer.")],
    asked: Annotated[Path, typer.Option("--challenge", help="The challenge that it answers, as the auditor has it.")],
    commitment: CommitmentFile,
    keys: KeysFolder,
    label: Label = None,
    least_rows: LeastRows = None,
    least_group: LeastEach = None,
    min_impact: MinImpact = None,
    max_odds_difference: MaxOdds = None,
    link: OwnLink = None,
    html: Annotated[Path | None, typer.Option("--html", help=written("option.page"))] = None,
    force: Force = False,
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify counts, and say what they show of groups.

    Commitment and keys are those that you trust. Exits 0 if the counts are proven and meet what you require, 1 if not,
    and 2 for a malformed file or wrong usage.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.cli.table_report import TableReport, demands_of
    from equiproof.verifier import TrustStore
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import links_in
    from equiproof.verifier.table_files import load_answer, load_challenge
    from equiproof.verifier.verify_table import TableVerifier

    program, words = chosen_program(checker), words_of(language)
    impact, odds = _share("--min-impact", min_impact), _share("--max-odds-difference", max_odds_difference)
    refuse_missing(link)
    refuse_taken(() if html is None else (html,), force=force)
    presented, challenged, trusted = load_answer(answer), load_challenge(asked), load_commitment(commitment)
    if label is not None and label not in trusted.spec.labels:
        raise typer.BadParameter(f"--label: want one of {', '.join(trusted.spec.labels)}")
    if odds is not None and not isinstance(challenged.label, str):
        raise typer.BadParameter(f"--max-odds-difference: {say('table.no_labels')}")
    links = links_in(answer.parent) + links_in(commitment.parent) if link is None else (load_link(link),)
    verifier = TableVerifier(trusted, TrustStore.open(keys), links, program)
    with mendable(checker), spinner("verifying", quiet=as_json):
        verified = verifier.verify(challenged, presented, str(asked))
    counted = label or trusted.spec.labels[1]
    figures = verified.figures_of(counted)
    report = TableReport(verified, counted, words, demands_of(figures, words, (least_rows, least_group, impact, odds)))
    if html is not None:
        with speaking(words.language):  # for people, in their language beside an object for programs too
            write_file(html, report.page().encode(), force=force)
    written_to = "" if html is None else "\n\n" + say("page.written", path=str(html))
    tell(as_json=as_json, document=report.document(), text=report.text() + written_to)
    raise typer.Exit(OK if all(one.met for one in report.demands) else REFUSED)


def _share(option: str, text: str | None) -> Fraction | None:
    """Read a share from 0 to 1; raises typer's own error."""
    if text is None:
        return None
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise typer.BadParameter(f"{option}: {say('table.want_share')}")
    return share
