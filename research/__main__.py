"""Measure research suites, keep their results, and write research/pages and docs/benchmarks.md from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench import command
from bench.harness import BenchError
from equiproof.certify.data.dataset import DataError
from research.catalogue import RESEARCH


def main(words: Sequence[str] | None = None) -> int:
    """Measure the named suites and write the pages; return the exit status."""
    try:
        command.run(RESEARCH, sys.argv[1:] if words is None else words, __doc__ or "")
    except (BenchError, DataError, OSError) as error:
        print(f"research: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
