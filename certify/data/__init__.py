"""Data sets for training and measuring; see :mod:`certify.data.dataset` for what a data set is."""

from certify.data.dataset import DataError, Dataset, load

__all__ = ["DataError", "Dataset", "load"]
