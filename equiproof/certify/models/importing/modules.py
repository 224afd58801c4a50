"""torch: nn.Sequential of Linear and ReLU, and of modules without effect in a trained network.

At the end may stand what makes probabilities of logits: one half of a Sigmoid is the logit 0, and a Softmax leaves the
order of several logits as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from equiproof.certify.models.importing.batch_norm import batch_norm
from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.source import Source

_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_ENDS = (nn.Sigmoid, nn.Softmax, nn.LogSoftmax)
"""The modules that make probabilities, or their logarithms, of logits."""

_NEUTRAL = (nn.Identity, nn.Dropout, nn.Flatten)
"""The modules that may stand behind probabilities."""


def read_module(model: Any) -> Source:
    """Read a module; raises ModelImportError naming the module that cannot be imported exactly, and its place.

    Derived classes and hooks are refused, since they may compute something else.
    """
    if not isinstance(model, nn.Module):
        raise ModelImportError(f"a {type(model).__name__} is no module of torch")
    steps: list[Step] = []
    end = ""
    for module, where in _parts(model, ""):
        if end and type(module) not in _NEUTRAL:
            raise ModelImportError(f"{where}: takes the probabilities of {end}, which are read at the end only")
        if type(module) in _ENDS:
            _refuse_rows(module, where)
            end = where
            continue
        if type(module) not in _READERS:
            raise ModelImportError(
                f"{where} is not read; only Linear, ReLU, BatchNorm1d, Identity, Dropout, Flatten and nn.Sequential of "
                "them are, with a Sigmoid or Softmax at the end"
            )
        steps += _READERS[type(module)](module, where)
    first = next((step for step in steps if isinstance(step, Affine)), None)
    if first is None:
        raise ModelImportError(f"a {type(model).__name__} without an nn.Linear is not read")
    return Source("torch", first.inputs, tuple(steps))


def ends_in_sigmoid(model: Any) -> bool:
    """Return whether a module that was read gives the probabilities of a Sigmoid."""
    kinds = [type(module) for module, _ in _parts(model, "") if type(module) not in _NEUTRAL]
    return kinds[-1:] == [nn.Sigmoid]


def _parts(module: nn.Module, path: str) -> Iterator[tuple[nn.Module, str]]:
    """Yield the modules that a module is made of, each with its name for messages."""
    where = f"{type(module).__name__} {path!r}" if path else type(module).__name__
    # Torch has no public function that lists hooks.
    hooks = (vars(module)[name] for name in ("_forward_hooks", "_forward_pre_hooks"))
    if any(hooks) or "forward" in vars(module):
        raise ModelImportError(f"{where}: remove its hooks, which may change what it computes")
    if type(module) is not nn.Sequential:
        yield module, where
        return
    # Not named_children, which skips a module that occurs twice.
    for index, part in enumerate(module):
        yield from _parts(part, f"{path}.{index}" if path else str(index))


def _refuse_rows(module: Any, where: str) -> None:
    """Raise ModelImportError for shares of anything but the logits of one row."""
    if type(module) is not nn.Sigmoid and module.dim not in (1, -1):
        raise ModelImportError(f"{where}: dim={module.dim} mixes rows; only dim=1 is read")


def _linear(module: Any, where: str) -> list[Step]:
    """Read x W^T + b."""
    biases = [0.0] * module.out_features if module.bias is None else _numbers(module.bias, where)
    return [Affine.dense(_numbers(module.weight, where), biases, where)]


def _relu(_module: Any, where: str) -> list[Step]:
    """Read max(x, 0)."""
    return [Relu(where)]


def _nothing(module: Any, where: str) -> list[Step]:
    """Read a module without effect in a trained network."""
    if type(module) is nn.Dropout and module.training:
        raise ModelImportError(f"{where}: the model is in training mode; call eval() first")
    if type(module) is nn.Flatten and (module.start_dim, module.end_dim) not in ((1, -1), (1, 1)):
        raise ModelImportError(f"{where}: start_dim {module.start_dim} mixes rows; only start_dim=1 is read")
    return []


def _normalisation(module: Any, where: str) -> list[Step]:
    """Read a BatchNorm1d with the mean and variance of its training."""
    if module.training or module.running_var is None:
        raise ModelImportError(f"{where}: normalises by the rows it is given; call eval() first")
    width = module.num_features
    factors = [1.0] * width if module.weight is None else _numbers(module.weight, where)
    shifts = [0.0] * width if module.bias is None else _numbers(module.bias, where)
    means = _numbers(module.running_mean, where)
    variances = _numbers(module.running_var, where)
    return [batch_norm(factors, shifts, means, variances, module.eps, where)]


def _numbers(tensor: torch.Tensor, where: str) -> list[Any]:
    """Return a tensor's numbers as Python floats, which hold every type of floats exactly."""
    if tensor.dtype not in _FLOATS:
        raise ModelImportError(f"{where}: weights of {tensor.dtype}; want plain floats")
    numbers: list[Any] = tensor.detach().cpu().double().tolist()
    return numbers


_READERS: Mapping[type[nn.Module], Callable[[Any, str], list[Step]]] = {
    nn.Linear: _linear,
    nn.ReLU: _relu,
    nn.BatchNorm1d: _normalisation,
    nn.Identity: _nothing,
    nn.Dropout: _nothing,
    nn.Flatten: _nothing,
}
