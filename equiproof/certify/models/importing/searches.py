"""scikit-learn's searches over parameters: what decides is the estimator that a search was refitted with."""

from __future__ import annotations

from typing import Any

from equiproof.certify.models.importing.errors import ModelImportError

_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def chosen(model: Any) -> Any:
    """Return the best estimator of a search, another object itself; raises ModelImportError for an unfitted search."""
    kind = type(model)
    if kind.__module__.partition(".")[0] != "sklearn" or kind.__name__ not in _SEARCHES:
        return model
    if not hasattr(model, "best_estimator_"):
        raise ModelImportError(f"{kind.__name__}: fit it with refit=True: it has no best_estimator_")
    return model.best_estimator_
