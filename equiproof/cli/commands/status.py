"""`equiproof status`: what lies in a folder, and the command that comes next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.text import ends
from equiproof.cli.commands.common import Json, OwnerSecret, tell

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.cli.inventory import Inventory, Key, Opened, Run

_MOST_LISTED = 5

Folder = Annotated[Path, typer.Argument(help="The folder to look at, with all folders in it.")]


def status(folder: Folder = Path(), owner_secret: OwnerSecret = None, as_json: Json = False) -> None:
    """Show what a folder holds, and the next command.

    Models, openings, commitments, keys and who made them, links, certificates, runs over many applicants, tables. Shows
    no secret and nothing of applicants. Words in capitals in a command are for you to fill in.
    """
    from equiproof.cli.inventory import Inventory

    inventory = Inventory.of(folder, owner_secret)
    steps = list(next_steps(inventory))
    document = {**_document(inventory), "next": [{"why": why, "command": shlex.join(words)} for why, words in steps]}
    tell(as_json=as_json, document=document, text="\n".join([*_text(document), *_next(steps)]))


def next_steps(inventory: Inventory) -> Iterator[tuple[str, list[str]]]:
    """Yield what is missing for the next step, and the command that makes it."""
    if not inventory.openings:
        yield _for_no_opening(inventory)
        return
    opened = inventory.openings[0]
    keys = inventory.keys
    usable = [key for key in keys if not key.refused and key.fits(opened)]
    opening = ["--opening", str(opened.path)]
    if not usable:
        yield _for_no_key(inventory, opened, opening)
        return
    made = [*opening, "--keys", str(_store(usable[0]))]
    for run in inventory.runs:
        if not run.finished:
            words = ["equiproof", "prove", "ROWS", *made, "--out-dir", str(run.folder), "--resume"]
            yield "a run is not finished; give it the same rows and options", words
    if inventory.certificates and not inventory.bundles:
        yield "a certificate is in no bundle", _bundle(inventory, usable[0])
    if not inventory.certificates and not inventory.bundles and not inventory.runs:
        out = ["--out", str(inventory.folder / "certificate.json"), "--query-out", str(inventory.folder / "query.json")]
        yield "no certificate yet", ["equiproof", "prove", "APPLICANT.json", *made, *out]
    if inventory.bundles:
        pinned = [*_commitment(inventory), "--keys", str(_store(usable[0]))]
        yield "a bundle can be verified as its reader does", ["equiproof", "verify", str(inventory.bundles[0]), *pinned]


def _for_no_opening(inventory: Inventory) -> tuple[str, list[str]]:
    """Return the step towards a commitment."""
    if not inventory.models:
        why = "no model yet; to bring your own: equiproof import, or equiproof.import_model in Python"
        return why, ["equiproof", "train", "--dataset", "lending", "--out", str(inventory.folder / "model")]
    owner = str(inventory.folder / "owner")
    return "no opening: nothing is committed", ["equiproof", "commit", str(inventory.models[0][0]), "--out", owner]


def _for_no_key(inventory: Inventory, opened: Opened, opening: Sequence[str]) -> tuple[str, list[str]]:
    """Return the step towards a key: for one that fits and is not yours yet, what makes it yours."""
    fitting = [key for key in inventory.keys if key.fits(opened)]
    if fitting and fitting[0].stored.document.setup == "ceremony":
        check = [
            "equiproof",
            "keys",
            "check",
            str(fitting[0].stored.folder),
            "--transcript",
            "FOLDER",
            "--powers",
            "POWERS",
        ]
        return "the key of a ceremony is not accepted yet", [*check, "--accept"]
    why = "no key that fits is marked as yours" if fitting else "no key for this model"
    place = inventory.folder / "keys" if not fitting else inventory.folder / "own-keys"
    return why, ["equiproof", "setup", *opening, "--keys", str(place)]


def _bundle(inventory: Inventory, key: Key) -> list[str]:
    """Return the command that bundles the first certificate."""
    certificate = inventory.certificates[0]
    beside = [path for path in inventory.queries if path.parent == certificate.parent]
    own = ["--for-applicant", str(beside[0])] if beside else []
    out = str(certificate.with_suffix(".equiproof"))
    words = ["equiproof", "bundle", str(certificate), *_commitment(inventory), "--key", str(_store(key))]
    return [*words, *own, "--out", out]


def _commitment(inventory: Inventory) -> list[str]:
    """Return the option that names the commitment, if there is one."""
    return ["--commitment", str(inventory.commitments[0][0])] if inventory.commitments else []


def _store(key: Key) -> Path:
    """Return the folder of keys that a key lies in."""
    return key.stored.folder.parent


def _document(inventory: Inventory) -> dict[str, Any]:
    """Return what was found as JSON data."""
    return {
        "folder": str(inventory.folder),
        "models": [{"path": str(path), "kind": kind} for path, kind in inventory.models],
        "openings": [_opening(one) for one in inventory.openings],
        "commitments": [{"path": str(path), "model_commitment": value} for path, value in inventory.commitments],
        "keys": [_key(key, inventory.openings) for key in inventory.keys],
        "links": [{"path": str(path), "key": key} for path, key in inventory.links],
        "link_keys": [{"path": str(path), "fingerprint": own} for path, own in inventory.link_keys],
        "table_keys": [{"path": str(path), "fingerprint": own} for path, own in inventory.table_keys],
        "challenges": [str(path) for path in inventory.challenges],
        "answers": [str(path) for path in inventory.answers],
        "runs": [_run(run) for run in inventory.runs],
        "certificates": [str(path) for path in inventory.certificates],
        "gains": [str(path) for path in inventory.gains],
        "boxes": [str(path) for path in inventory.boxes],
        "bundles": [str(path) for path in inventory.bundles],
        "queries": len(inventory.queries),
        "tables": [str(path) for path in inventory.tables],
        "unreadable": inventory.unreadable,
        "complete": inventory.complete,
    }


def _opening(opened: Opened) -> dict[str, Any]:
    """Return an opening: its spec, and the hidden layers of a network, or the numbers of predicates, nodes and sets."""
    document: dict[str, Any] = {"path": str(opened.path), "spec": opened.spec.name}
    if opened.own_scheme is None:
        return document | {"hidden": list(opened.sizes)}
    nodes = {"nodes": list(opened.sizes[2:4])} if opened.sizes[2:] else {}
    return document | {"predicates": list(opened.sizes[:2]), **nodes, **_sets(opened.sizes[5::2])}


def _key(key: Key, openings: Sequence[Opened]) -> dict[str, Any]:
    """Return a key: its shape, how it was made, whether `prove` takes it, and for which openings."""
    from equiproof.cli.inventory import scheme_and_room

    document = key.stored.document
    scheme, capacity = scheme_and_room(key)
    return {
        "path": str(key.stored.folder),
        "scheme": scheme,
        "form": "kept" if document.shape.kept else "self-contained",
        "capacity": capacity,
        "hidden": list(document.shape.architecture.hidden),
        **_additive(document.shape),
        "proof_system": document.proof_system,
        "setup": document.setup,
        "fingerprint": document.fingerprint,
        "yours": not key.refused,
        "refused": key.refused or None,
        "openings": [str(one.path) for one in openings if key.serves(one)],
    }


def _run(run: Run) -> dict[str, Any]:
    """Return a run over many applicants in numbers."""
    counts = {verdict: run.verdicts[verdict] for verdict in ("fair", "unfair", "undecided")}
    return {"path": str(run.folder), "rows": run.rows, "finished": run.finished, **counts}


def _sized(opening: dict[str, Any]) -> str:
    """Return the size of a model in words."""
    if "predicates" in opening:
        return f"{'+'.join(map(str, opening['predicates']))} predicates{_trees(opening)}"
    return f"hidden layers {','.join(map(str, opening['hidden'])) or 'none'}"


def _text(document: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each thing, kind by kind, and none for kinds that are not there."""
    lines = {
        "models": [f"{one['path']}: {one['kind']}" for one in document["models"]],
        "openings": [f"{one['path']} (secret): {one['spec']}, {_sized(one)}" for one in document["openings"]],
        "commitments": [f"{one['path']}: {one['model_commitment']}" for one in document["commitments"]],
        "keys": [line for one in document["keys"] for line in _key_lines(one)],
        "links of kept keys": [f"{one['path']}: of key {one['key'][:16]}" for one in document["links"]],
        "keys for links": [one["path"] for one in document["link_keys"]],
        "keys for counts by group": [one["path"] for one in document["table_keys"]],
        "challenges of auditors": ends(document["challenges"], _MOST_LISTED),
        "answers to them": ends(document["answers"], _MOST_LISTED),
        "runs": [_run_line(one) for one in document["runs"]],
        "certificates": ends(document["certificates"], _MOST_LISTED),
        "gain certificates": ends(document["gains"], _MOST_LISTED),
        "box certificates": ends(document["boxes"], _MOST_LISTED),
        "bundles": ends(document["bundles"], _MOST_LISTED),
        "query files": [f"{document['queries']:,}, each the applicant's own"] * bool(document["queries"]),
        "tables": ends(document["tables"], _MOST_LISTED),
        "cannot be used": document["unreadable"],
    }
    for kind, entries in lines.items():
        if entries:
            yield kind
            yield from (f"  {line}" for line in entries)
    if not document["complete"]:
        yield "there is more in this folder than was looked at"


def _key_lines(key: dict[str, Any]) -> list[str]:
    """Describe a key: what it proves, who made it, and for which model."""
    sizes = f"hidden layers {','.join(map(str, key['hidden']))}"
    if "predicates" in key:
        sizes = _sized(key)
        sizes += f", {key['slots']} slots" if "slots" in key else ""
        sizes += f", {key['rows']} rows" if "rows" in key else ""
    room = "" if key["scheme"] == "box" else f"K = {key['capacity']}, "
    form = ", kept: its certificates need a link" if key["form"] == "kept" else ""
    made = "made alone (single-party)" if key["setup"] == "single-party" else f"set-up: {key['setup']}"
    whose = "marked as yours" if key["yours"] else "not marked as yours: `prove` refuses it"
    model = f"fits {', '.join(key['openings'])}" if key["openings"] else "fits no opening here"
    return [
        f"{key['path']}",
        f"  scheme {key['scheme']}, {room}{sizes}, {key['proof_system']}{form}",
        f"  {made}; {whose}; {model}",
    ]


def _run_line(run: dict[str, Any]) -> str:
    """Describe a run in numbers."""
    done = run["fair"] + run["unfair"] + run["undecided"]
    counts = ", ".join(f"{run[verdict]:,} {verdict}" for verdict in ("fair", "unfair", "undecided"))
    state = f"{run['rows']:,} rows" if run["finished"] else f"{done:,} of {run['rows']:,} rows, not finished"
    return f"{run['path']}: {state}: {counts}"


def _next(steps: Sequence[tuple[str, list[str]]]) -> Iterator[str]:
    """Yield what comes next, in words and as commands."""
    if steps:
        yield "next"
    for why, words in steps:
        yield f"  {why}"
        yield f"    {shlex.join(words)}"


def _additive(shape: Shape) -> dict[str, Any]:
    """Return the sizes of a score, of a key of scheme trees; nothing for networks."""
    if not shape.additive:
        return {}
    sizes: dict[str, Any] = {"predicates": list(shape.architecture.predicate_counts)}
    if shape.boxes:
        return sizes
    sizes["slots"] = shape.slot_count
    if not shape.has_nodes:
        return sizes
    sets = _sets([one.sets for one in shape.architecture.asked])
    return sizes | {"nodes": list(shape.architecture.node_counts), "rows": shape.row_count} | sets


def _sets(counts: Sequence[int]) -> dict[str, int]:
    """Return how many sets of values all categories together have; nothing where there are none."""
    return {"sets": sum(counts)} if counts else {}


def _trees(sizes: dict[str, Any]) -> str:
    """Say how many trees an ensemble has, and how many sets of values their splits ask."""
    trees = ", {} trees with {} splits".format(*sizes["nodes"]) if "nodes" in sizes else ""
    return trees + (f", {sizes['sets']} sets of values" if "sets" in sizes else "")
