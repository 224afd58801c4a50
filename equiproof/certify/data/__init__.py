"""Data sets for training and measuring; see :mod:`equiproof.certify.data.dataset` for what a data set is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.lazy import lazily

if TYPE_CHECKING:
    from equiproof.certify.data.catalogue import load
    from equiproof.certify.data.dataset import DataError, Dataset

__all__ = ["DataError", "Dataset", "load"]

_MODULES = {"DataError": "dataset", "Dataset": "dataset", "load": "catalogue"}

if not TYPE_CHECKING:  # a type checker would otherwise accept any name
    __getattr__, __dir__ = lazily(__name__, _MODULES)
