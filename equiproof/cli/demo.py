"""The demo: every command on one data set, printed as a user would type it, with a forged certificate and a picture."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import typer

from equiproof.certify.branch import BranchSearch, search_under
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits import exit_codes
from equiproof.circuits.files import FileExistsRefusedError, write_file, write_files
from equiproof.circuits.schemes import DEFAULT_SCHEME
from equiproof.cli.commands.common import DEFAULT_DATASET, load, load_data
from equiproof.cli.commands.setup import capacity_for
from equiproof.cli.console import show
from equiproof.cli.picture import draw
from equiproof.prover.model_folder import NETWORK_FILE, SPEC_FILE, TRAINING_FILE, load_trained_data
from equiproof.prover.opening import Opening, load_opening
from equiproof.verifier import parse_certificate
from equiproof.verifier.reading import Reading

Command = Callable[[Sequence[str]], int]
"""The command line: words in, exit code out."""

HIDDEN = "4,2"
SHIPPED = Path(__file__).parent / "assets" / "model"
"""A model that comes with the package, so that the demo needs no training; `model.command` beside it made it."""
MARKER = ".equiproof-demo"
CANDIDATES = 200
"""How many rows are looked at before the three applicants are chosen."""
REGIONS = 32
"""How far the walk around each of them goes; with more slices, their centres."""

INTRODUCTION = """\
A lender commits to a model and proves to applicants, without showing the model, that a sensitive feature such as sex
plays no part in their decision. Lines that begin with $ are commands that you can type yourself."""

_STORIES = {
    "fair": "Applicant 1, far from the other decision: the lender certifies the decision.",
    "barely": "Applicant 2, very close to the other decision: the certificate covers little but this very applicant.",
    "unfair": "Applicant 3, whose decision depends on a sensitive feature: a counterexample in place of a certificate.",
}
"""What is about to happen to each applicant."""


class DemoError(Exception):
    """A step of the demo that did not end as it must."""


def run_demo(
    command: Command,
    out: Path,
    dataset: str,
    data_dir: Path | None,
    sensitive: str | None = None,
    *,
    one_hot: bool = False,
    train: bool = False,
) -> None:
    """Fill the folder `out`, running each step with `command`; `sensitive` and `one_hot` are options of `train`.

    The model is the one that comes with the package, unless `train` or a choice that it was not trained for.
    Raises DemoError where a step ends otherwise than expected.
    """
    load_data(dataset, data_dir, sensitive, one_hot=one_hot)  # refused here, before a folder is touched
    clear(out)
    choice = [*(["--sensitive", sensitive] if sensitive is not None else []), *(["--one-hot"] if one_hot else [])]
    run = Runner(command, ["--data-dir", str(data_dir)] if dataset != "lending" and data_dir is not None else [])
    keys = out / "keys"
    owner = out / "owner"
    opening = owner / "opening.json"
    commitment = owner / "commitment.json"
    secret = owner / "owner.secret"
    show(INTRODUCTION)
    words = ["train", "--dataset", dataset, *choice, "--hidden", HIDDEN, "--out", str(out / "model")]
    if train or choice or dataset != DEFAULT_DATASET:
        run("The lender trains a model, without a thought of fairness.", *words, data=True)
    else:
        take_shipped(words, out / "model")
    run("The lender rounds the model to integers and commits to it: no other model can be passed off as this one.",
        "commit", out / "model", "--out", owner, data=True)  # fmt: skip
    owned = load_opening(opening)
    capacity = capacity_for(DEFAULT_SCHEME, len(owned.spec.domain_table), None)
    run("The keys that make and check proofs about a model of this size.", "setup", "--opening", opening,
        "--capacity", capacity, "--keys", keys, "--owner-secret", secret)  # fmt: skip
    data = load_trained_data(out / "model", data_dir)
    context = out / "context.json"
    applicants = choose_applicants(owned, data, out)
    _write(context, {"nonce": secrets.token_hex(16), "policy": "demo", "date": datetime.now(UTC).date().isoformat()})
    for name, row in applicants.items():
        certificate = out / "certificates" / f"{name}.json"
        query = out / "queries" / f"{name}.json"
        expected = exit_codes.UNFAIR if name == "unfair" else exit_codes.OK
        run(_STORIES[name],
            "prove", row, "--opening", opening, "--keys", keys, "--owner-secret", secret, "--context", context,
            "--out", certificate, "--query-out", query, expect=expected)  # fmt: skip
        if expected == exit_codes.OK:
            _hand_over(run, out, name)
    _forge(owned, out)
    run("A forged certificate, which claims twice the radius with the same proof, is refused.", "verify",
        out / "certificates" / "forged.json", "--commitment", commitment, "--keys", keys,
        expect=exit_codes.REFUSED)  # fmt: skip
    _picture(owned, capacity, out)


def _hand_over(run: Runner, out: Path, name: str) -> None:
    """Put a certificate into a bundle, and verify that as the applicant does."""
    bundle = out / "bundles" / f"{name}.equiproof"
    commitment = out / "owner" / "commitment.json"
    keys = out / "keys"
    run("The lender puts all that the applicant needs into one file.", "bundle", out / "certificates" / f"{name}.json",
        "--commitment", commitment, "--key", keys, "--context", out / "context.json",
        "--for-applicant", out / "queries" / f"{name}.json", "--out", bundle)  # fmt: skip
    run("The applicant checks this file, against the commitment and the key that everybody is shown.",
        "verify", bundle, "--commitment", commitment, "--keys", keys)  # fmt: skip


class Runner:
    """Runs commands of ours in this process, as a user would type them."""

    def __init__(self, command: Command, data_options: list[str]) -> None:
        self._command = command
        self._data_options = data_options

    def __call__(self, title: str, *words: object, expect: int = exit_codes.OK, data: bool = False) -> None:
        """Print and run one command; raises DemoError where it ends otherwise than expected."""
        arguments = [str(word) for word in words] + (self._data_options if data else [])
        show(f"\n# {title}\n$ equiproof {shlex.join(arguments)}")
        code = self._command(arguments)
        if code != expect and code in (exit_codes.MISUSED, exit_codes.EXHAUSTED, exit_codes.INTERRUPTED):
            raise typer.Exit(code)  # the command has said why
        if code != expect:
            raise DemoError(f"equiproof {words[0]} ended with {code}, not {expect}")
        if code:
            show(f"(exit {code})")


def clear(out: Path) -> None:
    """Make room for the demo; a folder that no demo made is left alone."""
    if out.exists():
        if not (out / MARKER).exists() and any(out.iterdir()):
            raise FileExistsRefusedError(out)
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / MARKER).touch()


def take_shipped(words: Sequence[str], folder: Path) -> None:
    """Copy the model that comes with the package, and say how it was made."""
    files = {folder / name: (SHIPPED / name).read_bytes() for name in (NETWORK_FILE, SPEC_FILE, TRAINING_FILE)}
    write_files(files, secret=(folder / NETWORK_FILE, folder / TRAINING_FILE))
    show("\n# The lender's model, trained without a thought of fairness. It comes with Equiproof, which made it by")
    show(f"#   equiproof {shlex.join(words)}\n  model {folder}")


def choose_applicants(opening: Opening, data: Dataset, out: Path) -> dict[str, Path]:
    """Choose three rows: the one with the most polytopes around it, the one with the smallest radius, one that flips.

    A short walk is faster than branch and bound, and good enough to choose by; the proofs do not use it.
    """
    fair: list[tuple[int, int, Mapping[str, Any]]] = []
    unfair: list[Mapping[str, Any]] = []
    for count, index in enumerate([*data.test, *data.train]):
        if count >= CANDIDATES and unfair:
            break
        outcome = _walk(opening, data.rows[index])
        if isinstance(outcome, Counterexample):
            unfair.append(data.rows[index])
        elif outcome.complete and outcome.radius_squared:
            fair.append((len(outcome.regions), outcome.radius_squared, data.rows[index]))
    if not fair:
        raise DemoError("this model gives no applicant of the data set a certificate")
    chosen = {"fair": max(fair, key=lambda one: one[:2])[2], "barely": min(fair, key=lambda one: one[1])[2]}
    if unfair:
        chosen["unfair"] = unfair[0]
    else:
        show("\nThis model treats no applicant of the data set unfairly, so there is no third applicant.")
    paths = {name: out / "applicants" / f"{name}.json" for name in chosen}
    for name, row in chosen.items():
        _write(paths[name], {feature.name: row[feature.name] for feature in opening.spec.plain_features})
    return paths


def _walk(opening: Opening, row: Mapping[str, Any]) -> Search | Counterexample:
    """Walk through the polytopes around one row, as far as the choice of applicants needs."""
    return search(
        opening.network,
        opening.spec.encode(row),
        opening.spec.domain_table,
        max_radius_squared=opening.spec.max_radius_squared,
        max_regions=max(REGIONS, len(opening.spec.domain_table)),
    )


def _forge(opening: Opening, out: Path) -> None:
    """Write a certificate that claims twice the radius, words and all, with the honest proof."""
    path = out / "certificates" / "fair.json"
    honest = load(parse_certificate, path)
    radius = min(4 * honest.statement.radius_squared, opening.spec.max_radius_squared)
    statement = msgspec.structs.replace(honest.statement, radius_squared=radius)
    reading = Reading.of(opening.spec, statement.label, radius)
    forged = msgspec.structs.replace(honest, statement=statement, reading=reading)
    write_file(out / "certificates" / "forged.json", forged.to_bytes())


def _picture(opening: Opening, capacity: int, out: Path) -> None:
    """Draw the fair applicant's certificate, by the search that its proof is of."""
    certificate = load(parse_certificate, out / "certificates" / "fair.json")
    row = json.loads((out / "applicants" / "fair.json").read_bytes())
    search = search_under(opening.network, opening.spec, opening.spec.encode(row), max_leaves=capacity)
    if not isinstance(search, BranchSearch) or search.evidence.radius_squared != certificate.statement.radius_squared:
        raise DemoError("the fair applicant's certificate is not of the search that is drawn")
    draw(opening, row, search, out / "picture.png")
    show(f"\n# Applicant 1's certificate as a picture, for people: {out / 'picture.png'}")


def _write(path: Path, document: dict[str, Any]) -> None:
    """Write a small JSON file."""
    write_file(path, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(), force=True)
