"""Where a score decides for the second label: a threshold that is named as a probability, a share, or a score.

The score of a logistic model is the logit of its probability, that of a forest or of a regressor of 0 and 1 its share
less one half.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Scale
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.numbers import read_number

KINDS = ("probability", "share", "score")
"""The names of a threshold; a number without one is a score."""

_DIGITS = 40
"""The digits after the point of a logit that is computed of a probability: as many as a spec holds."""


def logit(probability: Fraction) -> Fraction:
    """Return ln(p / (1 - p)) of a probability between 0 and 1, to 40 digits after the point."""
    with localcontext(prec=2 * _DIGITS):
        odds = probability / (1 - probability)
        value = (Decimal(odds.numerator) / Decimal(odds.denominator)).ln()
        return Fraction(value.quantize(Decimal(1).scaleb(-_DIGITS)))


def threshold_of(text: str, scale: Scale | None) -> str:
    """Return the threshold of a score as a decimal, for `probability=0.7`, `share=0.6`, `score=1.2` or a number.

    `scale` is what the score of the model is, None where it is not known: a probability is then that of a logistic
    model, and a share that of a forest. Raises ModelImportError for another name, for what is no number, for a name
    that the model's score does not go by, and for a model that has a cut itself.
    """
    kind, named, number = text.strip().rpartition("=")
    kind = kind.strip() if named else "score"
    if kind not in KINDS:
        raise ModelImportError(
            f"threshold: name {shown(kind, 40)!r} one of {', '.join(KINDS)}, such as probability=0.7 or share=0.6"
        )
    try:
        value = Fraction(read_number(number.strip()))
    except ValueError:
        raise ModelImportError(f"threshold: {shown(number, 40)!r} is not a number such as 0.7") from None
    if scale == "cut" and value:
        raise ModelImportError("threshold: leave it out, or import the model inside: this model has its own")
    if kind == "score":
        return _decimal(value)
    if not 0 < value < 1:
        raise ModelImportError(f"threshold: {kind}={shown(number, 40)} is not between 0 and 1")
    if scale == "score" or (scale == "logit" and kind == "share"):
        own = "a probability: probability=0.6" if scale == "logit" else "a number of its own kind: score=1.2"
        raise ModelImportError(f"threshold: the score of this model goes by {own}")
    is_logit = scale == "logit" if scale is not None else kind == "probability"
    return _decimal(logit(value) if is_logit else value - Fraction(1, 2))


def _decimal(value: Fraction) -> str:
    """Return a number that has an end as a decimal."""
    with localcontext(prec=2 * _DIGITS):
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():f}"
