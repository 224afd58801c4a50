"""The report of `groups` against fairlearn and aif360: both read the same numbers from the same decisions."""

import logging
import math
import random

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics

from equiproof.audits.context import AuditContext
from equiproof.audits.groups.plugin import Groups
from tests.support import LOANS, applicant, network


@pytest.fixture
def aif360():
    """The classes of aif360 that read rows; on import it warns of packages for what is not used here."""
    logging.disable(logging.WARNING)
    try:
        from aif360.datasets import BinaryLabelDataset
        from aif360.metrics import ClassificationMetric
    finally:
        logging.disable(logging.NOTSET)
    return BinaryLabelDataset, ClassificationMetric


def audited(seed, rows=400):
    """The report's estimates by measure and group, with the rows' labels, exact decisions and sexes."""
    rng = random.Random(seed)
    found = [applicant(LOANS, rng) | {"sex": rng.choice("fm")} for _ in range(rows)]
    labels = [int(rng.random() < (0.7 if row["sex"] == "m" else 0.4)) for row in found]
    options = {"people": "0", "draws": "20"}
    where = AuditContext(
        network=network(LOANS, (2,), seed), spec=LOANS, commitment="", rows=found, labels=labels, options=options
    )
    table = [[*q, *LOANS.domain_table[s]] for q, s in zip(where.queries, where.slices, strict=True)]
    estimates = {(one.measure, one.group): one.value for one in Groups().run(where).estimates}
    return estimates, np.array(labels), where.decisions(np.array(table)), [row["sex"] for row in found]


def fairlearns(labels, decided, sexes):
    """What fairlearn reads of parity and odds."""
    given = {"y_true": labels, "y_pred": decided, "sensitive_features": sexes}
    return {
        "statistical parity difference": metrics.demographic_parity_difference(**given),
        "disparate impact": metrics.demographic_parity_ratio(**given),
        "equalized odds difference": metrics.equalized_odds_difference(**given),
        "true positive rate difference": metrics.equal_opportunity_difference(**given),
    }


def aif360s(classes, labels, decided, sexes):
    """What aif360 reads of them, women as its unprivileged group: differences have signs there."""
    dataset, metric = classes
    sex = np.array([float(one == "m") for one in sexes])
    true, own = (
        dataset(
            df=pd.DataFrame({"sex": sex, "label": values.astype(float)}),
            label_names=["label"], protected_attribute_names=["sex"],
        )
        for values in (labels, decided)
    )  # fmt: skip
    read = metric(true, own, unprivileged_groups=[{"sex": 0.0}], privileged_groups=[{"sex": 1.0}])
    ratio = read.disparate_impact()
    return {
        "statistical parity difference": abs(read.statistical_parity_difference()),
        "disparate impact": min(ratio, 1 / ratio),
        "equalized odds difference": read.equalized_odds_difference(),
        "true positive rate difference": abs(read.true_positive_rate_difference()),
        "false positive rate difference": abs(read.false_positive_rate_difference()),
    }, {
        ("selection rate", "f"): read.selection_rate(privileged=False),
        ("selection rate", "m"): read.selection_rate(privileged=True),
        ("true positive rate", "f"): read.true_positive_rate(privileged=False),
        ("true positive rate", "m"): read.true_positive_rate(privileged=True),
        ("false positive rate", "f"): read.false_positive_rate(privileged=False),
        ("false positive rate", "m"): read.false_positive_rate(privileged=True),
    }  # fmt: skip


@pytest.mark.parametrize("seed", [14, 20])
def test_both_libraries_read_the_reports_numbers(seed, aif360):
    """Gaps, ratio and rates by group are those of fairlearn and of aif360, for the committed integers' decisions."""
    estimates, labels, decided, sexes = audited(seed)
    assert 0.05 < (decided == 1).mean() < 0.95
    theirs, rates = aif360s(aif360, labels, decided, sexes)
    for name, value in [*fairlearns(labels, decided, sexes).items(), *theirs.items()]:
        assert math.isclose(estimates[f"{name} by sex (granted)", ()], value, abs_tol=1e-12), name
    for (name, sex), value in rates.items():
        assert math.isclose(estimates[f"{name} (granted)", (("sex", sex),)], value, abs_tol=1e-12), name
