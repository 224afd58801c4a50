"""Make scorecards of invented rows with one library, and write its tables, its objects' attributes and its scores.

Run by scorecard_tables.sh, which installs the libraries. Rows and seeds are fixed, so files change with releases only.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

NUMBERS = ("age", "income", "savings")
CODE = -9
"""A code for savings that are not known."""


def invented(count: int = 240) -> tuple[Any, Any]:
    """Return rows, and 1 for each that was not paid back."""
    numpy, pandas = map(importlib.import_module, ("numpy", "pandas"))
    random = numpy.random.default_rng(7)
    age = random.integers(19, 75, count)
    income = numpy.round(numpy.exp(random.normal(7.7, 0.5, count)), 2)
    savings = numpy.round(random.exponential(2000, count)).astype(int)
    purpose = random.choice(["car", "house", "it's other", "travel; leisure"], count, p=[0.4, 0.3, 0.1, 0.2])
    sex = random.choice(["female", "male"], count)
    good = (age - 45) / 12 + (numpy.log(income) - 7.7) * 2 + (savings > 1500) * 0.8 + (purpose == "house") * 0.7
    good = good + (sex == "male") * 0.5 + random.logistic(0, 1, count)
    table = {"age": age, "income": income, "savings": savings, "purpose": purpose, "sex": sex}
    return pandas.DataFrame(table), (good < 0).astype(int)


def scored(rows: Any, ends: Mapping[str, list[float]], score: Callable[[Any], Any]) -> list[dict[str, Any]]:
    """Return rows with their scores: the first 40, and rows at, just below and just above each end of a bin."""
    pandas = importlib.import_module("pandas")
    kept = rows.head(40).to_dict("records")
    for name, own in ends.items():
        whole = name != "income"
        for place, end in enumerate(own):
            # Whole numbers around an end; floats around it elsewhere.
            near = [math.floor(end), math.ceil(end)] if whole else [end, math.nextafter(end, -1), round(end, 2)]
            kept += [kept[place] | {name: value} for value in near]
    table = pandas.DataFrame(kept).astype({"income": float})
    plain = json.loads(table.to_json(orient="records", double_precision=15))
    exact = table.to_dict("records")
    total = [float(one) for one in score(table)]
    return [
        row | {name: own[name] for name in NUMBERS} | {"score": one}
        for row, own, one in zip(plain, exact, total, strict=True)
    ]


def write(folder: Path, name: str, document: Any) -> None:
    """Write a file: text as it is, other data as JSON."""
    text = document if isinstance(document, str) else json.dumps(document, indent=1) + "\n"
    (folder / name).write_text(text)


def optbinning(folder: Path) -> None:
    """Write cards of optbinning: rounded points in tables, exact ones in objects, and special codes."""
    library = importlib.import_module("optbinning")
    linear = importlib.import_module("sklearn.linear_model")
    rows, bad = invented()
    scale = {"pdo": 20, "odds": 50, "scorecard_points": 600}

    def fitted(table: Any, codes: Any = None, **options: Any) -> Any:
        process = library.BinningProcess(list(table), categorical_variables=["purpose", "sex"], special_codes=codes)
        card = library.Scorecard(
            process, linear.LogisticRegression(), scaling_method="pdo_odds", scaling_method_params=scale, **options
        )
        return card.fit(table, bad)

    coded = rows.assign(savings=rows["savings"].where(rows["savings"] > 300, CODE))
    cards = {
        "rounded": (rows, fitted(rows, rounding=True)),
        "exact": (rows, fitted(rows)),
        "intercept": (rows, fitted(rows, intercept_based=True)),
        "codes": (coded, fitted(coded, codes={"not known": [CODE]})),
    }
    for name, (table, card) in cards.items():
        binned = {one: card.binning_process_.get_binned_variable(one) for one in table}
        ends = {one: [float(end) for end in binned[one].splits] for one in NUMBERS}
        attributes = {
            "rows": card.table("summary")[["Variable", "Points"]].to_dict("list"),
            "intercept": float(card.intercept_),
            "binnings": {
                one: {"dtype": own.dtype, "special_codes": own.special_codes, "splits": [
                    float(part) if one in NUMBERS else list(map(str, part)) for part in own.splits
                ]}
                for one, own in binned.items()
            },
        }  # fmt: skip
        write(folder, f"optbinning-{name}-object.json", attributes)
        write(folder, f"optbinning-{name}-rows.json", scored(table, ends, card.score))
    for style in ("detailed", "summary"):
        write(folder, f"optbinning-rounded-{style}.csv", cards["rounded"][1].table(style).to_csv())
    write(folder, "optbinning-intercept-detailed.csv", cards["intercept"][1].table("detailed").to_csv())
    old = rows.astype({"purpose": object, "sex": object})
    write(folder, "optbinning-arrays-detailed.csv", fitted(old, rounding=True).table("detailed").to_csv(index=False))


def scorecardpy(folder: Path) -> None:
    """Write a card of scorecardpy in two ways, and one with a code and a row of missing values."""
    library = importlib.import_module("scorecardpy")
    linear = importlib.import_module("sklearn.linear_model")
    pandas = importlib.import_module("pandas")
    rows, bad = invented()
    coded = rows.assign(savings=rows["savings"].where(rows["savings"] > 300, CODE).astype(float))
    coded.loc[:20, "savings"] = float("nan")
    for name, table, codes in (("plain", rows, None), ("codes", coded, {"savings": [str(CODE)]})):
        data = table.assign(bad=bad)
        bins = library.woebin(data, "bad", special_values=codes, no_cores=1, print_step=0)
        weights = library.woebin_ply(data, bins, print_step=0)
        inputs = weights.drop(columns="bad")
        card = library.scorecard(bins, linear.LogisticRegression().fit(inputs, weights["bad"]), inputs.columns)
        write(folder, f"scorecardpy-{name}.csv", pandas.concat(card, ignore_index=True).to_csv(index=False))
        if codes is None:
            write(folder, "scorecardpy-indexed.csv", pandas.concat(card).to_csv())
        breaks = {
            one: [float(text) for text in bins[one]["breaks"] if text not in ("inf", "missing", f"{CODE}.0", str(CODE))]
            for one in NUMBERS
        }
        score = lambda some, card=card: library.scorecard_ply(some, card, print_step=0)["score"]  # noqa: E731
        write(folder, f"scorecardpy-{name}-rows.json", scored(table.dropna(), breaks, score))


def toad(folder: Path) -> None:
    """Write a card of toad: its export as JSON and CSV, its object, and the scores of both."""
    library = importlib.import_module("toad")
    pandas = importlib.import_module("pandas")
    rows, bad = invented()
    combiner = library.transform.Combiner()
    combiner.fit(rows.assign(bad=bad), y="bad", method="chi", min_samples=0.1)
    transformer = library.transform.WOETransformer()
    weights = transformer.fit_transform(combiner.transform(rows), bad)
    card = library.ScoreCard(combiner=combiner, transer=transformer).fit(weights, pandas.Series(bad))
    exported = card.export()
    write(folder, "toad.json", exported)
    card.export(to_csv=str(folder / "toad.csv"))
    rules = {
        name: {"bins": rule["bins"].tolist(), "scores": rule["scores"].tolist()} for name, rule in card.rules.items()
    }
    write(folder, "toad-object.json", rules)
    ends = {name: rules[name]["bins"] for name in NUMBERS}
    write(folder, "toad-object-rows.json", scored(rows, ends, card.predict))
    loaded = library.ScoreCard().load(exported)
    write(folder, "toad-rows.json", scored(rows, ends, loaded.predict))


if __name__ == "__main__":
    _MAKERS = {"optbinning": optbinning, "scorecardpy": scorecardpy, "toad": toad}
    _folder = Path(sys.argv[2])
    _folder.mkdir(exist_ok=True)
    _MAKERS[sys.argv[1]](_folder)
