"""How much a sensitive value gains a person at least, everywhere nearby: the network of two copies, and its search."""

from equiproof.certify.gain.pair import gain_at, paired
from equiproof.certify.gain.search import Case, GainError, GainEvidence, GainSearch, check, farthest, first_of, most

__all__ = [
    "Case",
    "GainError",
    "GainEvidence",
    "GainSearch",
    "check",
    "farthest",
    "first_of",
    "gain_at",
    "most",
    "paired",
]
