"""`equiproof table`: exact counts of a committed model's decisions by group, on an auditor's rows, proven."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from equiproof.circuits.exit_codes import OK, REFUSED
from equiproof.circuits.tables import say
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
    from equiproof.verifier.verify_table import GroupCounts, TableFigures, VerifiedTable
    from equiproof.verifier.words import Words

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

_DECIMALS = 4
"""The decimals of a rate."""


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
            "  publish its folder without proving.key and owner.mark, and the folder of the key for links likewise",
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
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify counts, and say what they show of groups.

    Commitment and keys are those that you trust. Exits 0 if the counts are proven and meet what you require, 1 if not,
    and 2 for a malformed file or wrong usage.
    """
    from equiproof.verifier import TrustStore
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import links_in
    from equiproof.verifier.table_files import load_answer, load_challenge
    from equiproof.verifier.verify_table import TableVerifier

    program, words = chosen_program(checker), words_of(language)
    impact, odds = _share("--min-impact", min_impact), _share("--max-odds-difference", max_odds_difference)
    refuse_missing(link)
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
    demands = _demands(figures, words, (least_rows, least_group, impact, odds))
    tell(
        as_json=as_json,
        document=_document(verified, counted, figures, demands),
        text=_text(verified, counted, figures, demands, words),
    )
    raise typer.Exit(OK if all(met for *_, met in demands) else REFUSED)


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


class Demand(NamedTuple):
    """What is required of counts, and in words what that is, how much, what was found, and whether it is met."""

    of: str
    what: str
    required: str
    found: str
    met: bool

    @property
    def sentence(self) -> str:
        """The demand in words."""
        if self.met:
            return say("table.met", what=self.what, required=self.required, found=self.found)
        return say("table.unmet", what=self.what, required=self.required, found=self.found)


def _demands(
    figures: TableFigures,
    words: Words,
    required: tuple[int | None, int | None, Fraction | None, Fraction | None],
) -> list[Demand]:
    """Return what is required of counts, and whether it is met."""
    least_rows, least_group, impact, odds = required
    sizes = [group.rows for group in figures.by_group.values()]
    found = []
    counted = (
        ("rows", say("table.what_rows"), least_rows, sum(sizes)),
        ("group", say("table.what_group"), least_group, min(sizes)),
    )
    for of, what, least, actual in counted:
        if least is not None:
            wanted = say("table.at_least", number=words.number(Fraction(least)))
            found.append(Demand(of, what, wanted, words.number(Fraction(actual)), actual >= least))
    if impact is not None:
        own = figures.impact
        # Where nobody has the label, no group has it less often.
        met = own is None or own >= impact
        wanted = say("table.at_least", number=_shown(impact, words))
        found.append(Demand("impact", say("table.what_impact"), wanted, _shown(own, words), met))
    if odds is not None:
        own = figures.odds_difference
        met = own is not None and own <= odds
        wanted = say("table.at_most", number=_shown(odds, words))
        found.append(Demand("odds", say("table.what_odds"), wanted, _shown(own, words), met))
    return found


def _shown(share: Fraction | None, words: Words) -> str:
    """Write a share with few decimals, rounded."""
    return "-" if share is None else words.number(Fraction(round(share * 10**_DECIMALS), 10**_DECIMALS))


def _document(verified: VerifiedTable, label: str, figures: TableFigures, demands: list[Demand]) -> dict[str, Any]:
    """Return a verification as JSON data: counts are exact, shares as fractions in text."""

    def counts(groups: dict[str, GroupCounts]) -> dict[str, Any]:
        return {
            name: {"rows": group.rows, "counted": group.granted, "tied": group.tied, "rate": str(group.rate)}
            for name, group in groups.items()
        }

    return {
        "status": "verified",
        "model_commitment": verified.challenge.model_commitment,
        "challenge": verified.challenge.digest,
        "label": label,
        "rows": len(verified.challenge.rows),
        "by": list(verified.challenge.by),
        "groups": counts(figures.by_group),
        "true_labels": {true: counts(groups) for true, groups in figures.by_label.items()},
        "disparate_impact": None if figures.impact is None else str(figures.impact),
        "parity_difference": str(figures.parity_difference),
        "odds_difference": None if figures.odds_difference is None else str(figures.odds_difference),
        "demands": [{"of": one.of, "required": one.required, "found": one.found, "met": one.met} for one in demands],
        "key": verified.key.fingerprint,
        "setup": verified.key.setup,
        "checker": verified.checker,
        "not_checked": _open(verified),
    }


def _text(verified: VerifiedTable, label: str, figures: TableFigures, demands: list[Demand], words: Words) -> str:
    """Write a verification for people."""
    from equiproof.circuits.text import plain

    asked = verified.challenge
    rows = words.number(Fraction(len(asked.rows)))
    sentence = say("table.decides", rows=rows, by=plain(", ".join(asked.by)))
    lines = [
        say("technical.verified", sentence=sentence),
        "  " + say("technical.model", digits=asked.model_commitment),
        "",
        *_rates(say("table.decided", label=plain(label)), figures.by_group, words),
    ]
    for truth, groups in figures.by_label.items():
        heading = say("table.decided_of", label=plain(label), truth=plain(truth))
        lines += ["", *_rates(heading, groups, words)]
    lines += ["", say("table.impact", share=_shown(figures.impact, words))]
    lines += [say("table.parity", share=_shown(figures.parity_difference, words))]
    if figures.odds_difference is not None:
        lines += [say("table.odds", share=_shown(figures.odds_difference, words))]
    lines += [one.sentence for one in demands]
    return "\n".join([*lines, "", say("technical.not_checked"), *(f"  - {line}" for line in _open(verified))])


def _rates(heading: str, groups: dict[str, GroupCounts], words: Words) -> list[str]:
    """Return a table of counts and rates, with intervals for a population that the rows were drawn from."""
    from equiproof.audits.intervals import wilson
    from equiproof.circuits.text import plain

    names = {name: plain(name) for name in groups}
    width = max(map(len, names.values()))
    lines = [heading]
    for name, group in groups.items():
        low, high = (_shown(Fraction(end), words) for end in wilson(group.granted, group.rows))
        count, rows = words.number(Fraction(group.granted)), words.number(Fraction(group.rows))
        rate = say("table.rate", count=count, rows=rows, rate=_shown(group.rate, words), low=low, high=high)
        lines.append(f"  {names[name]:{width}}  {rate}")
        if group.tied:
            lines.append(f"  {'':{width}}  {say('table.ties', count=words.number(Fraction(group.tied)))}")
    return lines


def _open(verified: VerifiedTable) -> list[str]:
    """Return what the proof leaves open."""
    found = [
        say("table.open_rows"),
        say("table.open_population"),
        say("unproven.same_commitment"),
        say("unproven.owner_decides"),
    ]
    return found + ([say("unproven.single_party_setup")] if verified.key.setup == "single-party" else [])
