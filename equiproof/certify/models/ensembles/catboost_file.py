"""The JSON of CatBoost's model files, as types: members that could carry meaning and are unknown are refused."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from equiproof.certify.models.ensembles.members import decoded

LIBRARY = "CatBoost"

NEWEST = (1, 2, 10)
"""The newest release whose files were tested."""

Part = TypeVar("Part")


class _Closed(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Part of a file all of whose members are known: another one could change what a model decides."""


class NumberInfo(_Closed):
    """A feature of numbers."""

    flat_feature_index: int
    feature_index: int
    feature_id: str = ""
    feature_name: str = ""
    borders: list[float] = []
    has_nans: bool = False
    nan_value_treatment: str = "AsIs"


class CategoryInfo(msgspec.Struct):
    """A feature of categories; `feature_index` is what splits name."""

    flat_feature_index: int
    feature_id: str = ""
    feature_index: int = -1


class Hash(_Closed):
    """A value of some category, and its hash; only a file that was saved with a Pool has them."""

    hash: int
    value: str


class FeaturesInfo(msgspec.Struct):
    """The inputs of a model, by kind."""

    float_features: list[NumberInfo] = []
    categorical_features: list[CategoryInfo] = []
    cat_features_hash: list[Hash] = []
    text_features: list[msgspec.Raw] = []
    embedding_features: list[msgspec.Raw] = []


class SplitPart(_Closed):
    """What a split asks: a number, or a category (`value`), or statistics of the target (`ctr_target_border_idx`)."""

    split_type: str
    float_feature_index: int | None = None
    border: float | None = None
    split_index: int | None = None
    cat_feature_index: int | None = None
    value: int | None = None
    ctr_target_border_idx: int | None = None


class SymmetricPart(_Closed):
    """A symmetric tree: its splits, and a value for each way through them."""

    leaf_values: list[float]
    splits: list[SplitPart] | None = None
    leaf_weights: list[float] = []


class NodePart(_Closed):
    """A split with both sides, or a leaf with its value."""

    split: SplitPart | None = None
    left: NodePart | None = None
    right: NodePart | None = None
    value: float | None = None
    weight: float | None = None


class Classes(msgspec.Struct):
    """The names of the classes; the file numbers them in this order."""

    class_names: list[int | float | str | bool] = []
    classes_count: int = 0


class Loss(msgspec.Struct):
    """What was trained for."""

    type: str


class Parameters(msgspec.Struct):
    """The parameters of the training that matter."""

    loss_function: Loss | None = None


class ModelInfo(msgspec.Struct):
    """What the library writes about a model."""

    class_params: Classes | None = None
    params: Parameters | None = None
    binclass_probability_threshold: str | float | None = None
    catboost_version_info: str = ""


class ModelFile(_Closed):
    """A whole file."""

    features_info: FeaturesInfo
    scale_and_bias: tuple[float, list[float] | float]
    model_info: ModelInfo = msgspec.field(default_factory=ModelInfo)
    oblivious_trees: msgspec.Raw = msgspec.Raw(b"")
    trees: msgspec.Raw = msgspec.Raw(b"")
    ctr_data: msgspec.Raw = msgspec.Raw(b"")


def read_part(data: bytes, kind: type[Part]) -> Part:
    """Decode JSON as a type; raises ModelImportError naming a member that is not known, and where it stands."""
    return decoded(data, kind, LIBRARY, ".".join(map(str, NEWEST)))
