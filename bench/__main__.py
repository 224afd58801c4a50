"""Measure the product's suites, keep their results, and write docs/benchmarks.md and docs/benchmarks/ from them.

`python -m bench case NAME` measures one line of the paper's table here and now, and keeps nothing. Research suites are
measured by `python -m research`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench import command
from bench.harness import BenchError
from bench.paper import case
from bench.suites import PRODUCT
from equiproof.certify.data.dataset import DataError


def main(words: Sequence[str] | None = None) -> int:
    """Measure the named suites and write the pages, or measure one case; return the exit status."""
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["case"]:
            case.main(words[1:])
        else:
            command.run(PRODUCT, words, __doc__ or "")
    except (BenchError, DataError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
