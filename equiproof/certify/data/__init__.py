"""Data sets for training and measuring; see :mod:`equiproof.certify.data.dataset` for what a data set is."""

from equiproof.certify.data.catalogue import load
from equiproof.certify.data.dataset import DataError, Dataset

__all__ = ["DataError", "Dataset", "load"]
