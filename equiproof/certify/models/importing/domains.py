"""Specs from declared domains: a file with each model's inputs in order, their ranges and the codes of categories.

Each input is divided by its range, high - low: a column v stands for the raw number (high - low) v. A category is the
rank of its code in the declared order, a non-sensitive number stays inside its range, and a sensitive number takes
every whole number of its range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction

import msgspec

from equiproof.certify.data.spec_builder import MIN_INPUT_BITS
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import FORMAT, MAX_SLICES, VERSION, Feature, Spec, SpecError, checked

INPUT_FRACTION_BITS = 18
"""f_x of declared domains: columns are divided by their ranges, so 2^-18 of one must tell its whole numbers apart."""

Number = int | Decimal

_MAX_INPUT_BITS = 40
_MAX_DIGITS = 20
_EXACT_CONTEXT = Context(prec=4 * _MAX_DIGITS)


class Domain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs of one model: `order` names them, `ranges` and `codes` are by name.

    `protected` are the sensitive ones by default; `labels` are the names of the decisions, where the file has them;
    `label` and `notes` are for people.
    """

    order: tuple[str, ...]
    ranges: dict[str, tuple[Number, Number]]
    protected: tuple[str, ...] = ()
    codes: dict[str, tuple[str, ...]] = {}
    labels: tuple[str, ...] = ()
    label: str = ""
    notes: str = ""


def read_domain(
    data: bytes,
    where: str,
    name: str | None = None,
    *,
    labels: Sequence[str] = (),
    logits: int = 1,
    threshold: str = "0",
    sensitive: Sequence[str] | None = None,
) -> tuple[Spec, Domain]:
    """Read a domain of a file as :func:`parse_domain`, make its spec as :func:`domain_spec`, and return both.

    `labels` defaults to those of the file. Raises ModelImportError naming the file.
    """
    title, domain = parse_domain(data, where, name)
    named = labels or domain.labels
    if not named:
        hint = f" ({shown(domain.label)})" if domain.label else ""
        raise ModelImportError(
            f"{where}: name the decisions with {argument('labels')}, negative first{hint}: they have no names"
        )
    try:
        spec = domain_spec(title, domain, labels=named, logits=logits, threshold=threshold, sensitive=sensitive)
    except (ModelImportError, SpecError) as error:
        raise ModelImportError(f"{where}: {error}") from None
    return spec, domain


def parse_domain(data: bytes, where: str, name: str | None = None) -> tuple[str, Domain]:
    """Read one domain of a file and return it with its name, which may be omitted for a file with one domain.

    Raises ModelImportError naming the file, the domain and the field.
    """
    try:
        domains = msgspec.json.decode(data, type=dict[str, Domain])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ModelImportError(f"{where}: not a file of domains: {shown(str(error))}") from None
    if not domains:
        raise ModelImportError(f"{where}: declares no domain")
    titles = ", ".join(map(shown, list(domains)[:20]))
    if name is None and len(domains) != 1:
        raise ModelImportError(f"{where}: several domains; choose one with {argument('domain')}: {titles}")
    title = name if name is not None else next(iter(domains))
    if title not in domains:
        raise ModelImportError(f"{where}: no domain is called {title!r}; there are {titles}")
    return title, domains[title]


def domain_spec(
    name: str,
    domain: Domain,
    *,
    labels: Sequence[str],
    logits: int = 1,
    threshold: str = "0",
    sensitive: Sequence[str] | None = None,
    input_fraction_bits: int = INPUT_FRACTION_BITS,
) -> Spec:
    """Return the checked spec of a declared domain; `sensitive` names other features than the protected ones.

    Raises ModelImportError where names of order, ranges, codes and sensitive features do not agree, and SpecError.
    """
    sensitive_names = tuple(domain.protected if sensitive is None else sensitive)
    _check_names(name, domain, sensitive_names)
    features = tuple(_feature(name, domain, feature, feature in sensitive_names) for feature in domain.order)
    spec = Spec(
        format=FORMAT,
        version=VERSION,
        name=name,
        input_fraction_bits=input_fraction_bits,
        input_bits=_width(features, input_fraction_bits),
        use_ranges=False,
        features=features,
        labels=tuple(labels),
        logits=logits,
        threshold=threshold,
    )
    return checked(spec)


def beyond_range(domain: Domain) -> tuple[str, ...]:
    """Return a note for each category whose number of codes differs from its range; the range only gives the scale."""
    return tuple(
        f"{name}: {len(codes)} codes, range {low} to {high}; the range gives the scale, the codes the values"
        for name, codes in domain.codes.items()
        for low, high in [domain.ranges[name]]
        if len(codes) != high - low + 1
    )


def _check_names(name: str, domain: Domain, sensitive: Sequence[str]) -> None:
    """Raise ModelImportError for names that are in one part of the domain and missing in another."""
    order = set(domain.order)
    for what, names in (("order", domain.order), ("the sensitive features", sensitive)):
        doubled = [one for position, one in enumerate(names) if one in names[:position]]
        if doubled:
            raise ModelImportError(f"domain {name!r}: {what} names {doubled[0]!r} twice")
    parts: Mapping[str, set[str]] = {
        "ranges": set(domain.ranges) ^ order,
        "codes": set(domain.codes) - order,
        "the sensitive features": set(sensitive) - order,
    }
    for what, wrong in parts.items():
        if wrong:
            raise ModelImportError(
                f"domain {name!r}: order and {what} do not agree on {', '.join(map(shown, sorted(wrong)[:20]))}"
            )
    if not sensitive:
        raise ModelImportError(f"domain {name!r}: no sensitive feature; name them with {argument('sensitive')}")


def _feature(name: str, domain: Domain, feature: str, sensitive: bool) -> Feature:
    """Return one feature, divided by its range."""
    where = f"domain {name!r}, range of {feature!r}"
    low, high = (_decimal(end, where) for end in domain.ranges[feature])
    if low >= high:
        raise ModelImportError(f"{where}: {low} to {high} is no range")
    scale = format(_EXACT_CONTEXT.subtract(high, low), "f")
    if feature in domain.codes:
        if low:
            raise ModelImportError(f"{where}: begins at {low}; codes are numbered from 0")
        return Feature(feature, "categorical", "rank", sensitive, scale=scale, domain=domain.codes[feature])
    if not sensitive:
        return Feature(feature, "numeric", "scaled", sensitive, scale=scale, range=(f"{low:f}", f"{high:f}"))
    if low % 1 or high % 1 or high - low >= MAX_SLICES:
        raise ModelImportError(f"{where}: a sensitive number takes whole values, at most {MAX_SLICES} of them")
    values = tuple(str(value) for value in range(int(low), int(high) + 1))
    return Feature(feature, "numeric", "scaled", sensitive, scale=scale, domain=values)


def _decimal(number: Number, where: str) -> Decimal:
    """Return a number of bounded length."""
    value = Decimal(number) if isinstance(number, Decimal) or abs(number) < 1 << 64 else Decimal("nan")
    if not value.is_finite() or len(value.as_tuple().digits) > _MAX_DIGITS or abs(value.adjusted()) > _MAX_DIGITS:
        raise ModelImportError(f"{where}: want numbers of at most {_MAX_DIGITS} digits")
    return value


def _width(features: Sequence[Feature], input_fraction_bits: int) -> int:
    """Return the smallest signed width, at least 18, of every column value that the domain allows."""
    largest = max(
        (
            abs(end) / Fraction(feature.scale)
            for feature in features
            for ends in ENCODINGS[feature.encoding].ends(feature)
            for end in ends or ()
        ),
        default=Fraction(0),
    )
    integer = math.ceil(largest * (1 << input_fraction_bits)) + 1
    return min(max(MIN_INPUT_BITS, integer.bit_length() + 1), _MAX_INPUT_BITS)
