"""Additive models of real size for benchmarks: histogram boosting of depth 1, trained and rounded on a spec's grid."""

from __future__ import annotations

from collections import defaultdict
from math import floor

from sklearn.ensemble import HistGradientBoostingClassifier

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.circuits.spec import JUMP_BITS

_BITS = 12
"""The fractional bits of jumps, fewer where the largest jump needs the room."""


def stumps(data: Dataset, count: int, seed: int) -> AdditiveModel:
    """Return `count` boosted stumps for the integer columns of a data set of two labels, trained on its training rows.

    Columns are integers already, so that a threshold's floor decides as the threshold does; equal thresholds are one
    predicate. Jumps are rounded after they are added up.
    """
    columns, labels = encode_rows(data.spec, data.rows), data.label_array()
    trained = HistGradientBoostingClassifier(
        max_iter=count, max_depth=1, learning_rate=0.1, early_stopping=False, random_state=seed
    ).fit(columns[list(data.train)], labels[list(data.train)])
    jumps: dict[tuple[int, int], float] = defaultdict(float)
    bias = float(trained._baseline_prediction[0, 0])  # noqa: SLF001 - the fitted trees have no public form
    for (tree,) in trained._predictors:  # noqa: SLF001
        root = tree.nodes[0]
        if root["is_leaf"]:
            bias += float(root["value"])
            continue
        left, right = (float(tree.nodes[int(root[side])]["value"]) for side in ("left", "right"))
        bias += left
        jumps[int(root["feature_idx"]), floor(root["num_threshold"])] += right - left
    largest = max(map(abs, jumps.values()))
    bits = next(bits for bits in range(_BITS, -1, -1) if largest * (1 << bits) < (1 << (JUMP_BITS - 1)) - 1)
    rounded = {place: round(jump * (1 << bits)) for place, jump in sorted(jumps.items())}
    kept = {place: jump for place, jump in rounded.items() if jump}
    return AdditiveModel(
        columns=tuple(column for column, _ in kept),
        thresholds=tuple(threshold for _, threshold in kept),
        jumps=tuple(kept.values()),
        bias=round(bias * (1 << bits)),
        plain=data.spec.plain_columns,
        sensitive=data.spec.sensitive_columns,
        input_fraction_bits=data.spec.input_fraction_bits,
        value_fraction_bits=bits,
    )
