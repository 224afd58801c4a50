"""`equiproof demo`: the whole path on one data set, printing each command that it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equiproof.commands.common import DEFAULT_DATASET, DataDir, DatasetName, OneHot, Sensitive


def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder that the demo fills; an earlier demo is replaced.")] = (
        Path("demo")
    ),
    dataset: DatasetName = DEFAULT_DATASET,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    data_dir: DataDir = None,
) -> None:
    """Train, commit, set up, prove and verify for three applicants: one fair, one barely, one unfair."""
    from equiproof.demo import run_demo

    run_demo(out, dataset, data_dir, sensitive, one_hot=one_hot)
