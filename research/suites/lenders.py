"""Models as lenders have them: trained on missing values and on categories, and boosters that others have published.

Three questions: what such a model costs, beside the same one trained on one-hot columns and filled-in values; how many
of 8,000 applicants get a certificate or a counterexample, and whether the library decides neighbors inside the balls
alike; and whether large public models are read as they are.
"""

from __future__ import annotations

import csv
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isqrt, sqrt
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
import pandas as pd
import xgboost

from bench.harness import BenchError, median
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Row, encode_rows
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.imported import ImportedScore, bound_score, on_fine_grid
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import EnsembleSearch
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked
from equiproof.prover.estimate import TooLargeError, estimate
from equiproof.prover.evidence import find_evidence
from equiproof.prover.imports import ImportedModel, import_model
from equiproof.prover.opening import Opening
from equiproof.prover.scored_opening import set_counts
from research.suites.target_models import Room

Results = Mapping[str, Any]

ROOM = Room(32, 120, 576)
LARGE_ROOM = Room(8, 192, 640)
"""The room of keys for our models and for the public ones."""

LACKING = 0.08
"""The share of each feature with missing values that is missing."""

PUBLIC = {
    "adult": ("race,sex", tuple(itertools.product((200, 300, 500), (5, 6)))),
    "churn": ("gender", tuple(itertools.product((200, 300, 500), (5, 6)))),
    "german_credit": ("PersonalStatusSex", tuple(itertools.product((500, 800), (5, 6)))),
    "pimadiabetes": ("Age", tuple(itertools.product((200, 300, 500), (5, 6)))),
}
"""The sensitive columns of the data sets of ENSENSE, and trees and depth of their models (github.com/formal-trust-AI/
ensense, folder `models`), whose clone is the folder `ensense` of the data sets."""

DATASETS = {"german": ("duration", "credit_amount", "savings", "employment_since"),
            "adult": ("hours-per-week", "capital-gain", "workclass", "occupation")}  # fmt: skip
"""The features of which values are taken away."""

SIZES = ((100, 3), (100, 4), (200, 3))


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` rows of each public model with `seconds` for one search; our own table, and `each` of its searches."""

    points: int = 20
    seconds: float = 10.0
    jobs: int = 1
    applicants: int = 8000
    neighbors: int = 10_000
    each: float = 1.0


def plan(data_dir: Path | None, options: Options) -> Plan:
    """Return a part for each model. Raises BenchError for several processes: searches are timed."""
    options.one_by_one("lenders", "searches")
    asked = options.of(Question())
    parts: dict[str, Any] = {
        f"cost-{dataset}-{trees}x{depth}": partial(cost, dataset, trees, depth, data_dir)
        for dataset in DATASETS
        for trees, depth in SIZES
    }
    parts["table"] = partial(table_of_applicants, asked)
    for dataset, (_, sizes) in PUBLIC.items():
        for trees, depth in sizes:
            parts[f"public-{dataset}-{trees}x{depth}"] = partial(public, dataset, trees, depth, asked, data_dir)
    return Plan(asked.as_data(), parts)


def cost(dataset: str, trees: int, depth: int, data_dir: Path | None) -> dict[str, Any]:
    """Train on categories and missing values, and on one-hot columns of the same rows with filled-in values."""
    data = load(dataset, data_dir)
    lacking = DATASETS[dataset]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(data.rows)
    frame = frame.assign(**{name: frame[name].mask(rng.random(len(frame)) < LACKING) for name in lacking})
    train, labels = list(data.train), np.asarray(data.labels)
    spec = with_columns(data.spec, "one-hot", lacking)
    native = typed(frame, data.spec)
    model = fitted(native.iloc[train], labels[train], trees, depth)
    found = {"kind": "cost", "dataset": dataset, "trees": trees, "depth": depth}
    found["native"] = counted(model, spec, rows_of(frame))
    found["ranked"] = counted(model, with_columns(data.spec, "rank", lacking), rows_of(frame))
    filled = native.copy()
    for name in lacking:
        fill = filled[name].mode()[0] if isinstance(filled[name].dtype, pd.CategoricalDtype) else filled[name].median()
        filled[name] = filled[name].fillna(fill)
    hot = pd.get_dummies(filled, prefix_sep="=", dtype=float)
    plain = fitted(hot.iloc[train], labels[train], trees, depth)
    plain.get_booster().feature_names = list(hot.columns)
    complete = with_columns(data.spec, "one-hot", ())
    found["one_hot"] = counted(plain.get_booster(), complete, rows_of(filled))
    return found


def with_columns(spec: Spec, encoding: str, lacking: Sequence[str]) -> Spec:
    """Return a spec whose categories have an encoding, and some of whose values may be missing."""
    features = []
    for feature in spec.features:
        changed: dict[str, Any] = {"missing": Missing()} if feature.name in lacking else {}
        if feature.kind == "categorical":
            changed |= {"encoding": encoding, "mean": "0", "scale": "1"}
        features.append(msgspec.structs.replace(feature, **changed))
    return checked(msgspec.structs.replace(spec, features=tuple(features)))


def typed(frame: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return a table with categories for those of the spec, and floats for its numbers."""
    columns = {}
    for feature in spec.features:
        own = frame[feature.name]
        columns[feature.name] = (
            pd.Categorical(own, categories=list(feature.domain))
            if feature.kind == "categorical"
            else pd.to_numeric(own).astype(float)
        )
    return pd.DataFrame(columns)


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """Return a table as raw rows, None for a missing value."""
    names = list(frame.columns)
    values = [[None if pd.isna(one) else one for one in frame[name]] for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def fitted(frame: pd.DataFrame, labels: Any, trees: int, depth: int) -> xgboost.XGBClassifier:
    """Train as the library does by default, but for the numbers of trees and splits, and the rate."""
    model = xgboost.XGBClassifier(
        n_estimators=trees, max_depth=depth, learning_rate=0.1, enable_categorical=True, random_state=0, n_jobs=1
    )
    return model.fit(frame, labels)


def counted(model: Any, spec: Spec, rows: Sequence[Row]) -> dict[str, Any]:
    """Import a model, and count the constraints of a key for it, of the same leaves, slots and rows for all."""
    read = read_ensemble(model)
    if not isinstance(read, Ensemble):
        raise BenchError("not a model of trees")
    imported = on_fine_grid(lambda fine: bound_score(read, fine, rows=rows), spec, is_fixed=False)
    shape = shape_of(imported, ROOM)
    return {
        "splits": sum(len(tree.splits) for tree in read.trees),
        "by_sets": sum(split.among is not None for tree in read.trees for split in tree.splits),
        "predicates": list(imported.model.predicates),
        "nodes": ensemble_of(imported).nodes.sizes[1],
        **constraints_of(shape),
    }


def ensemble_of(imported: ImportedScore) -> EnsembleModel:
    """Return the committed trees; raises BenchError for a model without any."""
    if not isinstance(imported.model, EnsembleModel):
        raise BenchError("every tree of the model reads one column")
    return imported.model


def shape_of(imported: ImportedScore, room: Room) -> Shape:
    """Return the shape of a key with this room, or as much of it as the model can use."""
    own = ensemble_of(imported)
    slots, rows = min(room.slots or 1, own.predicates[0]), min(room.rows, own.nodes.sizes[1])
    return ensemble_shape(imported.spec, own.predicates, own.nodes.sizes, slots, rows, room.leaves, set_counts(own))


def constraints_of(shape: Shape) -> dict[str, Any]:
    """Count the constraints of a key; None for one that is too large to be compiled."""
    try:
        return {"constraints": estimate(shape).constraints}
    except TooLargeError as error:
        return {"constraints": None, "too_large": str(error)}


class Outcome(NamedTuple):
    """What an applicant gets: "certificate", "counterexample" or why neither; the squared radius, and the seconds."""

    kind: str
    radius_squared: int
    seconds: float


def outcome(opening: Opening, shape: Shape, query: Sequence[int], seconds: float) -> Outcome:
    """Search as the prover does under a key."""
    begun = time.perf_counter()
    found = find_evidence(opening, shape, query, seconds, None)
    took = time.perf_counter() - begun
    if isinstance(found, Counterexample):
        return Outcome("counterexample", 0, took)
    if not isinstance(found.search, EnsembleSearch):
        raise TypeError("want a model of trees")
    return Outcome("certificate" if found.search.radius_squared > 0 else "nothing", found.search.radius_squared, took)


PURPOSES = ("business", "car", "education", "furniture", "holiday", "medical", "repair", "wedding")
WORK = ("employee", "official", "retired", "self-employed", "unemployed")
HOUSING = ("family", "own", "rent")
AGES = ("under 30", "30 to 59", "60 and more")


def applicants(count: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Return a table of applicants, one in seven of whom lacks a value, and whether each paid back.

    Thin files have no score of a bureau, and months since a late payment are there for those who were late once.
    """
    rng = np.random.default_rng(seed)
    work = rng.choice(WORK, count, p=(0.55, 0.1, 0.15, 0.12, 0.08))
    income = np.round(np.exp(rng.normal(7.7, 0.45, count)) * np.where(work == "unemployed", 0.45, 1.0), -1)
    frame = pd.DataFrame(
        {
            "income": income,
            "debt_ratio": np.round(rng.beta(2, 5, count), 2),
            "amount": np.round(np.exp(rng.normal(8.6, 0.8, count)), -2),
            "months": rng.choice((12, 24, 36, 48, 60, 84), count),
            "bureau_score": np.clip(np.round(rng.normal(620, 90, count)), 300, 850),
            "employed_months": np.where(work == "unemployed", np.nan, np.round(rng.exponential(60, count))),
            "purpose": pd.Categorical(rng.choice(PURPOSES, count), categories=PURPOSES),
            "work": pd.Categorical(work, categories=WORK),
            "housing": pd.Categorical(rng.choice(HOUSING, count, p=(0.15, 0.45, 0.4)), categories=HOUSING),
            "age": pd.Categorical(rng.choice(AGES, count, p=(0.25, 0.55, 0.2)), categories=AGES),
            "sex": pd.Categorical(rng.choice(("female", "male"), count), categories=("female", "male")),
        }
    )
    thin = rng.random(count) < 0.05
    frame["bureau_score"] = frame["bureau_score"].mask(thin)
    frame["housing"] = frame["housing"].mask(rng.random(count) < 0.03)
    burden = frame["amount"] / frame["months"] / frame["income"]
    merit = (
        0.012 * (frame["bureau_score"].fillna(590) - 620) - 2.2 * frame["debt_ratio"] - 1.5 * burden
        + 0.25 * np.log1p(frame["employed_months"].fillna(0)) + 0.4 * (frame["housing"] == "own")
        - 0.5 * frame["purpose"].isin(("business", "holiday", "wedding")) - 0.5 * thin
    )  # fmt: skip
    return frame, (merit + rng.logistic(0, 0.7, count) > 0).astype(int).to_numpy()


def spec_of_applicants(frame: pd.DataFrame) -> Spec:
    """Return the spec of the table: numbers in steps of a standard deviation, one column a value of categories."""
    features = []
    for name in frame.columns:
        own = frame[name]
        missing = Missing() if own.isna().any() else msgspec.UNSET
        if isinstance(own.dtype, pd.CategoricalDtype):
            domain = tuple(own.cat.categories)
            features.append(
                Feature(name, "categorical", "one-hot", name in ("age", "sex"), domain=domain, missing=missing)
            )
            continue
        mean, scale = (format(number, ".4g") for number in (own.mean(), own.std()))
        features.append(Feature(name, "numeric", "scaled", False, plain_text(mean), plain_text(scale), missing=missing))
    return drafted_spec(features)


def plain_text(number: str) -> str:
    """Return a number without an exponent."""
    return str(np.format_float_positional(float(number), trim="-"))


def drafted_spec(features: Sequence[Feature]) -> Spec:
    """Return a spec of these features with two labels, on a grid that tells whole numbers of money apart."""
    return checked(Spec(FORMAT, VERSION, "applicants", 14, 22, False, tuple(features), ("refused", "granted"), 1))


def table_of_applicants(question: Question) -> dict[str, Any]:
    """Train on 20,000 applicants, search for others, and have the library decide neighbors inside the balls."""
    past, paid = applicants(20_000, 1)
    frame, _ = applicants(question.applicants, 2)
    model = fitted(past, paid, 100, 3)
    spec = spec_of_applicants(past)
    rows = texts(frame)
    imported = bound_score(read_ensemble(model), spec, rows=rows)
    own = model.predict(frame, output_margin=True) > 0
    encoded = encode_rows(spec, rows)
    differing = int(((committed_scores(imported.model, encoded) > 0) != own).sum())
    opening, shape = Opening.of(ensemble_of(imported), spec, blinding=1), shape_of(imported, ROOM)
    outcomes = [outcome(opening, shape, query, question.each) for query in encoded[:, : spec.plain_columns].tolist()]
    certified = [place for place, one in enumerate(outcomes) if one.kind == "certificate"]
    lacks = frame.isna().any(axis=1).to_numpy()
    radii = [sqrt(outcomes[place].radius_squared) / spec.scale_unit for place in certified]
    return {
        "kind": "table",
        "applicants": len(rows),
        "lacking": int(lacks.sum()),
        "differing": differing,
        "outcomes": dict(Counter(one.kind for one in outcomes)),
        "of_lacking": dict(Counter(one.kind for one, lacking in zip(outcomes, lacks, strict=True) if lacking)),
        "radius": median(radii, 4),
        "seconds": median([one.seconds for one in outcomes], 4),
        "slowest": round(max(one.seconds for one in outcomes), 2),
        **constraints_of(shape),
        **neighbors_of(model, spec, frame.iloc[certified], [outcomes[one] for one in certified], question),
    }


def texts(frame: pd.DataFrame) -> list[Row]:
    """Return a table as raw rows, numbers as texts."""
    return [{str(name): cast("str", text_of(value)) for name, value in row.items()} for row in frame.to_dict("records")]


def neighbors_of(
    model: Any, spec: Spec, frame: pd.DataFrame, outcomes: Sequence[Outcome], question: Question
) -> dict[str, Any]:
    """Draw people inside balls, of any group, and count whom the library decides otherwise than the middle."""
    rng = random.Random(question.seed)  # noqa: S311 - a sample, no secret
    numbers = [feature for feature in spec.plain_features if feature.kind == "numeric"]
    drawn: list[dict[str, Any]] = []
    owners: list[int] = []
    while len(drawn) < question.neighbors:
        place = rng.randrange(len(frame))
        person = frame.iloc[place].to_dict()
        moved = moved_inside(person, numbers, outcomes[place].radius_squared, spec, rng)
        if moved is not None:
            drawn.append(moved | {"age": rng.choice(AGES), "sex": rng.choice(("female", "male"))})
            owners.append(place)
    people = pd.DataFrame(drawn, columns=list(frame.columns))
    for name in frame.columns:
        people[name] = people[name].astype(frame[name].dtype)
    decided = model.predict(people, output_margin=True) > 0
    theirs = (model.predict(frame, output_margin=True) > 0)[owners]
    return {"neighbors": len(drawn), "decided_otherwise": int((decided != theirs).sum())}


def moved_inside(
    person: Mapping[str, Any], numbers: Sequence[Feature], radius_squared: int, spec: Spec, rng: random.Random
) -> dict[str, Any] | None:
    """Return somebody near the ball's edge, or None where rounding to the table's numbers has left the ball."""
    stated = [feature for feature in numbers if not pd.isna(person[feature.name])]
    way = [rng.gauss(0, 1) * (rng.random() < 0.5) for _ in stated]
    length = sqrt(sum(one * one for one in way))
    if not length:
        return None
    share = rng.choice((1.0, 0.99, 0.9, 0.5)) * sqrt(radius_squared) / spec.scale_unit / length
    moved = dict(person)
    for feature, one in zip(stated, way, strict=True):
        moved[feature.name] = person[feature.name] + one * share * float(feature.scale)
    before, after = (spec.encode({name: text_of(value) for name, value in row.items()}) for row in (person, moved))
    distance = sum((one - other) ** 2 for one, other in zip(before, after, strict=True))
    return moved if 0 < distance < radius_squared else None


def text_of(value: Any) -> str | None:
    """Return a value as the text of a raw row."""
    return None if pd.isna(value) else value if isinstance(value, str) else plain_text(repr(float(value)))


def published_rows(dataset: str, trees: int, depth: int, data_dir: Path | None) -> tuple[Path, list[dict[str, Any]]]:
    """Return the file of a public model, and the rows of its test with the library's decisions as `decision`.

    Raises BenchError where the models are missing.
    """
    folder = (data_dir or Path()) / "ensense" / "models"
    path = folder / dataset / f"{dataset}_t{trees}_d{depth}.json"
    if not path.is_file():
        raise BenchError(f"{path}: clone github.com/formal-trust-AI/ensense as `ensense` into the folder of data sets")
    with (folder / "dataset" / dataset / "test.csv").open(newline="", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    columns = list(rows[0])[:-1]
    booster = xgboost.Booster(model_file=path)
    matrix = np.array([[float(row[name]) for name in columns] for row in rows])
    own = booster.predict(xgboost.DMatrix(matrix, feature_names=booster.feature_names), output_margin=True) > 0
    return path, [
        {name: row[name] for name in columns} | {"decision": ("refused", "granted")[int(one)]}
        for row, one in zip(rows, own, strict=True)
    ]


def import_published(dataset: str, path: Path, table: Sequence[dict[str, Any]]) -> ImportedModel:
    """Import a public model, compared with the library's decisions on all rows of its test."""
    return import_model(
        path, table, columns=list(table[0])[:-1], sensitive=PUBLIC[dataset][0].split(","),
        labels=("refused", "granted"), decisions="decision", levels="exact",
    )  # fmt: skip


def public(dataset: str, trees: int, depth: int, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Import a public model, compare it with the library on all rows of its test, and search around random ones."""
    path, table = published_rows(dataset, trees, depth, data_dir)
    begun = time.perf_counter()
    imported = import_published(dataset, path, table)
    seconds = time.perf_counter() - begun
    bound = imported.bound
    if not isinstance(bound, ImportedScore):
        raise BenchError(f"{path}: not a model of trees")
    (compared,) = imported.document()["compared"]
    shape = shape_of(bound, LARGE_ROOM)
    opening = Opening.of(ensemble_of(bound), bound.spec, blinding=1)
    queries = [bound.spec.encode(table[row]) for row in shuffled(list(range(len(table))), question.seed)]
    outcomes = [outcome(opening, shape, query, question.seconds) for query in queries[: question.points]]
    radii = [isqrt(one.radius_squared) / bound.spec.scale_unit for one in outcomes if one.kind == "certificate"]
    return {
        "kind": "public",
        "dataset": dataset,
        "trees": trees,
        "depth": depth,
        "rows": compared["rows"],
        "differing": compared["differing"] + compared["differing_integers"],
        "import_s": round(seconds, 1),
        "predicates": list(bound.model.predicates),
        "nodes": ensemble_of(bound).nodes.sizes[1],
        "slices": len(bound.spec.domain_table),
        "outcomes": dict(Counter(one.kind for one in outcomes)),
        "radius": median(radii, 4) if radii else None,
        "seconds": median([one.seconds for one in outcomes], 3),
        "slowest": round(max(one.seconds for one in outcomes), 2),
        **constraints_of(shape),
    }


def _parts(results: Results, kind: str) -> Iterator[Mapping[str, Any]]:
    return (part for part in results["parts"].values() if part["kind"] == kind)


def costs(results: Results) -> str:
    """Write one line per model: splits, nodes and constraints of the three ways, and the ratios to one-hot columns."""
    lines = []
    for part in _parts(results, "cost"):
        native, ranked, hot = (part[name] for name in ("native", "ranked", "one_hot"))
        lines.append(
            (
                f"{part['dataset']}, {part['trees']} x {part['depth']}",
                f"{native['splits']:,} ({native['by_sets']:,})",
                f"{native['nodes']:,}",
                f"{ranked['nodes']:,}",
                f"{hot['nodes']:,}",
                f"{native['constraints']:,}",
                f"{ranked['constraints']:,}",
                f"{hot['constraints']:,}",
                f"{native['constraints'] / hot['constraints']:.2f}",
            )
        )
    names = ("model", "splits (by sets)", "nodes, one-hot spec", "nodes, ranked spec", "nodes of the other model",
             "constraints, one-hot spec", "ranked spec", "of the other model", "ratio")  # fmt: skip
    return markdown(names, lines)


def people(results: Results) -> str:
    """Write what the applicants of the table get, and how the library decides their neighbors."""
    (part,) = _parts(results, "table")
    kinds = ("certificate", "counterexample", "nothing")
    beside = f"{part['decided_otherwise']} of {part['neighbors']:,}"
    lines = [
        (who, f"{sum(found.values()):,}", *(f"{found.get(kind, 0):,}" for kind in kinds), neighbors)
        for who, found, neighbors in (("all", part["outcomes"], beside), ("who lack a value", part["of_lacking"], ""))
    ]
    names = ("applicants", "number", "certificate", "counterexample", "neither", "neighbors decided otherwise")
    return markdown(names, lines)


def published(results: Results) -> str:
    """Write one line per public model."""
    lines = [
        (
            f"{part['dataset']}, {part['trees']} x {part['depth']}",
            f"{part['predicates'][0]:,} + {part['predicates'][1]}",
            f"{part['nodes']:,}",
            str(part["slices"]),
            f"{part['differing']} of {part['rows']:,}",
            f"{part['import_s']}",
            " + ".join(str(part["outcomes"].get(kind, 0)) for kind in ("certificate", "counterexample", "nothing")),
            "-" if part["radius"] is None else f"{part['radius']:.4f}",
            f"{part['seconds']} / {part['slowest']}",
            "too large" if part["constraints"] is None else f"{part['constraints']:,}",
        )
        for part in _parts(results, "public")
    ]
    names = ("model", "predicates", "nodes", "slices", "decided otherwise", "import, s",
             "certificates + counterexamples + neither", "radius", "search, s", "constraints")  # fmt: skip
    return markdown(names, lines)
