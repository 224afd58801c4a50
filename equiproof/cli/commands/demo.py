"""`equiproof demo`: the whole path on one data set, printing each command that it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equiproof.cli.commands.common import DEFAULT_DATASET, DataDir, DatasetName, OneHot, Sensitive


def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="The folder for the demo's files; replaces an earlier demo.")] = (
        Path("demo")
    ),
    dataset: DatasetName = DEFAULT_DATASET,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    train: Annotated[
        bool, typer.Option("--train", help="Train the model again (needs PyTorch) instead of using the one provided.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Certify three applicants: fair, barely fair and unfair.

    Commits to a model, makes keys, proves and verifies, and refuses a forged certificate.
    """
    from equiproof.cli.demo import run_demo

    run_demo(context.obj, out, dataset, data_dir, sensitive, one_hot=one_hot, train=train)
