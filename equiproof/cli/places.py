"""What is looked at before a long command begins: that its files can be written, and that none of them is another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from equiproof.circuits.files import refuse_unwritable

LONG = frozenset(
    {
        *(
            "demo",
            "train",
            "spec",
            "import",
            "inspect",
            "commit",
            "setup",
            "certify",
            "predict",
            "prove",
            "recourse",
            "repair",
        ),
        *(
            "data fetch",
            "audit run",
            "mitigate",
            "circuit prove",
            "gain prove",
            "box prove",
            "box verify-many",
            "table setup",
            "table challenge",
            "table prove",
            "verify-many",
            "keys check",
        ),
        *("ceremony new", "ceremony contribute", "ceremony finish", "ceremony beacon", "ceremony import"),
    }
)
"""The commands that may take longer than two seconds."""

_FILES = ("out", "page", "query_out", "box_out", "instance_out", "html", "plot", "resume")
_FOLDERS = ("out_dir", "to")

_NEW_FOLDERS = {
    "demo": ("out",),
    "train": ("out",),
    "import": ("out",),
    "commit": ("out",),
    "recourse": ("out",),
    "repair": ("out",),
    "setup": ("keys",),
    "table setup": ("keys",),
    "circuit prove": ("keys",),
    "audit run": ("resume",),
    "mitigate": ("retrain",),
    "ceremony new": ("folder",),
    "ceremony contribute": ("folder",),
    "ceremony beacon": ("folder",),
    "ceremony finish": ("folder", "keys"),
}
"""By command, the options that name a folder in which it writes, beside those that do in every command."""


def refuse_at_once(command: str, values: Mapping[str, Any], options: Mapping[str, str]) -> None:
    """Raise OSError for a place where a long command could not write in the end.

    Also typer's own error for two options that name the same file, one of which is written. `values` are those of the
    command by parameter, and `options` how parameters that are paths are spelled.
    """
    if command not in LONG:
        return
    paths = {name: Path(value) for name, value in values.items() if name in options and isinstance(value, str | Path)}
    folders = {*_FOLDERS, *_NEW_FOLDERS.get(command, ())}
    for name, path in paths.items():
        if name in folders:
            refuse_unwritable(path)
        elif name in _FILES:
            refuse_unwritable(path.parent)
            _refuse_same(name, paths, options)


def _refuse_same(name: str, paths: Mapping[str, Path], options: Mapping[str, str]) -> None:
    """Raise typer's own error for another option that names the file which an option has written."""
    for other, path in paths.items():
        if other != name and path.resolve() == paths[name].resolve():
            first, second = (options[one] for one in options if one in (name, other))
            raise typer.BadParameter(f"{first} and {second} name the same file")
