"""The chain of operators of an ONNX network while it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass
class Flow:
    """The state of the chain: the name of its last result, and the number of its columns.

    `ended` names the operator that made probabilities of the logits, behind which nothing else may stand, and `scale`
    says what a single logit is.
    """

    name: str
    width: int
    ended: str = ""
    scale: Literal["logit", "score"] = "logit"
