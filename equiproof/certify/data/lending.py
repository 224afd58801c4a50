"""The default data set: lending applications drawn from a known causal structure.

    age -> education, years_employed, savings      sex ─ proxy ─> years_employed, income
    education, years_employed -> income            citizenship ─ proxy ─> income
    income -> savings, debt, loan_amount           purpose -> loan_amount -> term
    income, savings, debt, loan_amount, term, years_employed, education -> decision
    sex (with age) ─ bias ─> decision              citizenship ─ bias ─> decision

Sex (and citizenship, where requested) is drawn independently of everything else, so it can reach the decision only
through the arrows that carry a strength. `bias` is the direct one, in log-odds: a lender who expects careers to break
marks women down and men up before the age of 40, and the other way round after; far from 40 the sexes differ by `bias`.
`proxy` is the indirect one: at 1, women have careers shorter by a third and incomes lower by a fifth. With both at 0
the decision is independent of sex; with `bias` at 0, it is so given the other features. The draws depend on neither
strength, so two data sets of one seed differ only where a strength has an effect. Amounts are in EUR, rounded as on a
form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from equiproof.certify.data.dataset import DataError, Dataset, Row, split_rows
from equiproof.certify.data.features import CategoryEncoding, check_sensitive, choose
from equiproof.certify.data.spec_builder import build_spec
from equiproof.circuits.spec import Feature

# Imported only where rows are drawn: naming the data set works without numpy.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    _Floats = npt.NDArray[np.float64]
    _Columns = dict[str, npt.NDArray[np.generic]]

DEFAULT_ROWS = 4000
DEFAULT_SEED = 0
DEFAULT_BIAS = 2.0
DEFAULT_PROXY = 0.2

LABELS = ("refused", "granted")
EDUCATION = ("none", "secondary", "vocational", "bachelor", "master")
PURPOSES = ("car", "education", "furniture", "renovation")
SEXES = ("female", "male")
CITIZENSHIPS = ("domestic", "foreign")

_FEATURES = (
    Feature("age", "numeric", "scaled", sensitive=False, unit="years", range=("18", "75"), whole=True),
    Feature("education", "categorical", "rank", sensitive=False, domain=EDUCATION),
    Feature("years_employed", "numeric", "scaled", sensitive=False, unit="years", range=("0", "57"), whole=True),
    Feature("income", "numeric", "scaled", sensitive=False, unit="EUR/month", range=("600", "12000"), whole=True),
    Feature("savings", "numeric", "scaled", sensitive=False, unit="EUR", range=("0", "60000"), whole=True),
    Feature("debt", "numeric", "scaled", sensitive=False, unit="EUR", range=("0", "60000"), whole=True),
    Feature("loan_amount", "numeric", "scaled", sensitive=False, unit="EUR", range=("1000", "60000"), whole=True),
    Feature("term", "numeric", "scaled", sensitive=False, unit="months", range=("6", "96"), whole=True),
    Feature("purpose", "categorical", "one-hot", sensitive=False, domain=PURPOSES),
    Feature("sex", "categorical", "rank", sensitive=True, domain=SEXES),
)
_CITIZENSHIP = Feature("citizenship", "categorical", "rank", sensitive=True, domain=CITIZENSHIPS)

SENSITIVE = ("sex",)
DEFAULT_FEATURES = tuple(feature.name for feature in _FEATURES)
"""The names of the features that are always drawn."""

FEATURES = tuple(feature.name for feature in (*_FEATURES, _CITIZENSHIP))
"""The names of all features; citizenship is drawn only where it is requested."""


def make_lending(
    rows: int = DEFAULT_ROWS,
    *,
    seed: int = DEFAULT_SEED,
    bias: float = DEFAULT_BIAS,
    proxy: float = DEFAULT_PROXY,
    citizenship: bool = False,
    sensitive: Sequence[str] | None = None,
    encoding: CategoryEncoding = "rank",
) -> Dataset:
    """Return `rows` generated applications with their decisions; the same arguments give the same rows.

    `bias` and `proxy` are the strengths of the direct and the indirect arrow of sex; with `citizenship`, a second
    sensitive feature is added, whose foreign quarter loses half of `bias` in log-odds. `sensitive` names the sensitive
    features instead, citizenship among them or not; a sensitive number has the values that were drawn as its domain.
    With "one-hot", education takes one column per value too. Raises DataError for fewer than 20 rows, for strengths
    that are not in 0 to 10 (bias) and 0 to 1 (proxy), and for unknown feature names.
    """
    import numpy as np

    sensitive_names = (
        tuple(sensitive) if sensitive is not None else (*SENSITIVE, *(("citizenship",) if citizenship else ()))
    )
    check_sensitive("lending", sensitive_names, FEATURES)
    citizenship = citizenship or "citizenship" in sensitive_names
    if not 0 <= bias <= 10 or not 0 <= proxy <= 1:
        raise DataError(f"lending: bias {bias:g} and proxy {proxy:g}; want bias in 0 to 10 and proxy in 0 to 1")
    train, test = split_rows(rows, "lending")
    columns, log_odds = _draw(np.random.Generator(np.random.PCG64(seed)), rows, bias, proxy, citizenship)
    features = (*_FEATURES, _CITIZENSHIP) if citizenship else _FEATURES
    names = [feature.name for feature in features]
    table: tuple[Row, ...] = tuple(
        dict(zip(names, values, strict=True))
        for values in zip(*(columns[name].tolist() for name in names), strict=True)
    )
    uniform = np.random.Generator(np.random.PCG64([seed, 1])).random(rows)
    labels = tuple((uniform < 1 / (1 + np.exp(-log_odds))).astype(int).tolist())
    declared = choose(features, table, sensitive_names, encoding)
    spec = build_spec("lending", declared, table, train, LABELS, unscaled=("sex", "citizenship"))
    return Dataset("lending", table, labels, train, test, spec)


def _draw(
    rng: np.random.Generator, rows: int, bias: float, proxy: float, citizenship: bool
) -> tuple[_Columns, _Floats]:
    """Draw the features in causal order; return them and the log-odds of a grant, shape (rows,)."""
    import numpy as np

    noise = rng.standard_normal((8, rows))
    uniform = rng.random((4, rows))
    female = uniform[0] < 0.5
    foreign = (uniform[1] < 0.25) & citizenship
    age = _rounded(42 + 13 * noise[0], 1, 18, 75)
    education = _rounded(1.8 + 1.1 * noise[1] - 0.8 * (age < 23), 1, 0, 4)
    career = (age - 17) * (0.35 + 0.6 * uniform[2]) * (1 - 0.33 * proxy * female)
    years = _rounded(career, 1, 0, 57)
    log_income = 7.45 + 0.13 * education + 0.012 * years + 0.3 * noise[2] - 0.22 * proxy * (female + foreign)
    income = _rounded(np.exp(log_income), 10, 600, 12000)
    relative = np.log(income / 2300)
    savings = _rounded(np.exp(8.3 + 0.9 * relative + 0.02 * (age - 42) + 0.8 * noise[3]), 100, 0, 60000)
    debt = _rounded(4000 * np.exp(0.6 * relative) * (noise[4] + 0.2), 100, 0, 60000)
    purpose = np.minimum(uniform[3] * 4, 3).astype(int)
    typical = np.array([9.4, 9.1, 8.6, 9.6])[purpose]
    loan = _rounded(np.exp(typical + 0.4 * relative + 0.45 * noise[5]), 100, 1000, 60000)
    term = _rounded(48 + 18 * np.log(loan / 10000) + 9 * noise[6], 6, 6, 96)
    columns: _Columns = {
        "age": age.astype(int),
        "education": np.array(EDUCATION)[education.astype(int)],
        "years_employed": years.astype(int),
        "income": income.astype(int),
        "savings": savings.astype(int),
        "debt": debt.astype(int),
        "loan_amount": loan.astype(int),
        "term": term.astype(int),
        "purpose": np.array(PURPOSES)[purpose],
        "sex": np.array(SEXES)[1 - female.astype(int)],
        "citizenship": np.array(CITIZENSHIPS)[foreign.astype(int)],
    }
    burden = (loan / term + debt / 48) / income
    merit = 1.5 * relative + 0.6 * np.log((savings + 1000) / 5000) + 0.06 * (years - 14) + 0.25 * (education - 2)
    direct = bias * ((0.5 - female) * np.tanh((40 - age) / 8) - 0.5 * foreign)
    return columns, 3.2 * merit - 14.4 * (burden - 0.22) + direct


def _rounded(values: _Floats, step: float, low: float, high: float) -> _Floats:
    """Round to multiples of `step` inside [low, high], shape (rows,)."""
    import numpy as np

    return np.clip(np.round(values / step) * step, low, high)
