"""The demo: every command on one data set, printed as a user would type it, with a forgery and a picture."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import typer

from certify.branch import BranchSearch, search_under
from certify.data.dataset import Dataset
from certify.search import Counterexample, Search, search
from circuits.schemes import DEFAULT_SCHEME
from equiproof import failures
from equiproof.commands.common import load, load_data, load_opening
from equiproof.commands.setup import capacity_for
from equiproof.console import show
from equiproof.models import load_trained_data
from equiproof.picture import draw
from prover.files import FileExistsRefusedError, write_file
from prover.opening import Opening
from verifier import parse_certificate
from verifier.reading import Reading

HIDDEN = "4,2"
MARKER = ".equiproof-demo"
CANDIDATES = 200
"""How many rows are looked at before the three applicants are chosen."""
REGIONS = 32
"""How far the walk around each of them goes; with more slices, their centres."""


class DemoError(Exception):
    """A step of the demo that did not end as it must."""


def run_demo(
    out: Path, dataset: str, data_dir: Path | None, sensitive: str | None = None, *, one_hot: bool = False
) -> None:
    """Fill `out`; `sensitive` and `one_hot` go to `train`. Raises DemoError where a step does not end as it must."""
    load_data(dataset, data_dir, sensitive, one_hot=one_hot)  # refused here, before a folder is touched
    _clear(out)
    choice = [*(["--sensitive", sensitive] if sensitive is not None else []), *(["--one-hot"] if one_hot else [])]
    run = _Runner(["--data-dir", str(data_dir)] if dataset != "lending" and data_dir is not None else [])
    keys, opening = out / "keys", out / "owner" / "opening.json"
    commitment = out / "owner" / "commitment.json"
    run("Train a model, the careless way: without regard to the sensitive features.",
        "train", "--dataset", dataset, *choice, "--hidden", HIDDEN, "--out", out / "model", data=True)  # fmt: skip
    run("Quantise it and commit to it: from here on, this model and no other.",
        "commit", out / "model", "--out", out / "owner", data=True)  # fmt: skip
    owned = load_opening(opening)
    capacity = capacity_for(DEFAULT_SCHEME, len(owned.spec.domain_table), None)
    run("Make the keys of its shape.", "setup", "--commitment", commitment, "--hidden", HIDDEN,
        "--capacity", capacity, "--keys", keys)  # fmt: skip
    applicants = _applicants(owned, load_trained_data(out / "model", data_dir), out)
    context = out / "context.json"
    _write(context, {"nonce": secrets.token_hex(16), "policy": "demo", "date": datetime.now(UTC).date().isoformat()})
    for name, row in applicants.items():
        certificate, query = out / "certificates" / f"{name}.json", out / "queries" / f"{name}.json"
        unfair = name == "unfair"
        run(f"The {name} applicant: " + ("no certificate, but a counterexample." if unfair else "prove."),
            "prove", row, "--opening", opening, "--keys", keys, "--context", context, "--out", certificate,
            "--query-out", query, expect=failures.UNFAIR if unfair else failures.OK)  # fmt: skip
        if not unfair:
            run("The applicant verifies it, with nothing secret of the owner's.", "verify", certificate,
                "--commitment", commitment, "--keys", keys, "--query", query, "--context", context)  # fmt: skip
    _forge(owned, out)
    run("A forged certificate: the same proof, a radius twice as large.", "verify",
        out / "certificates" / "forged.json", "--commitment", commitment, "--keys", keys,
        expect=failures.REFUSED)  # fmt: skip
    _picture(owned, capacity, out)


class _Runner:
    """Runs commands of ours in this process, as a user would type them."""

    def __init__(self, data_options: list[str]) -> None:
        self._data_options = data_options

    def __call__(self, title: str, *words: object, expect: int = failures.OK, data: bool = False) -> None:
        """Print and run one command; raises DemoError where it ends otherwise than expected."""
        from equiproof.cli import run

        arguments = [str(word) for word in words] + (self._data_options if data else [])
        show(f"\n# {title}\n$ equiproof {shlex.join(arguments)}")
        code = run(arguments)
        if code != expect and code in (failures.MISUSED, failures.EXHAUSTED, failures.INTERRUPTED):
            raise typer.Exit(code)  # the command has said why
        if code != expect:
            raise DemoError(f"equiproof {words[0]} ended with {code}, not {expect}")
        if code:
            show(f"(exit {code})")


def _clear(out: Path) -> None:
    """Make room for the demo; a folder that no demo made is left alone."""
    if out.exists():
        if not (out / MARKER).exists() and any(out.iterdir()):
            raise FileExistsRefusedError(out)
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / MARKER).touch()


def _applicants(opening: Opening, data: Dataset, out: Path) -> dict[str, Path]:
    """Choose three rows: the most polytopes around it, the smallest radius, and one that flips.

    A short walk tells them apart sooner than branch and bound would; what is proven of them is another matter.
    """
    fair: list[tuple[int, int, Mapping[str, Any]]] = []
    unfair: list[Mapping[str, Any]] = []
    for count, index in enumerate([*data.test, *data.train]):
        if count >= CANDIDATES and unfair:
            break
        found = _walk(opening, data.rows[index])
        if isinstance(found, Counterexample):
            unfair.append(data.rows[index])
        elif found.complete and found.radius_squared:
            fair.append((len(found.regions), found.radius_squared, data.rows[index]))
    if not fair:
        raise DemoError("this model certifies nobody")
    chosen = {"fair": max(fair, key=lambda one: one[:2])[2], "barely": min(fair, key=lambda one: one[1])[2]}
    if unfair:
        chosen["unfair"] = unfair[0]
    else:
        show("\nNo applicant of this data set is treated unfairly by this model at its very own values.")
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
    """Draw the fair applicant, by the search that the proof is of."""
    query = opening.spec.encode(json.loads((out / "applicants" / "fair.json").read_bytes()))
    found = search_under(opening.network, opening.spec, query, max_leaves=capacity)
    if not isinstance(found, BranchSearch):
        raise DemoError("the fair applicant has no evidence")
    draw(opening, query, found, out / "picture.png")
    show(f"\n# The fair applicant in a picture: {out / 'picture.png'}")


def _write(path: Path, document: dict[str, Any]) -> None:
    """Write a small JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
