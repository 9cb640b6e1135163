"""The text that describes a deployment: canonical JSON, and the object that it describes.

Nothing in a descriptor is believed: the mechanism is made anew from its arguments, and whatever
else the text says (law, thresholds, payload) has to be what this program finds.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified import protocols
from ldp_verified.deploy.device_formats import MESSAGING, Memo, Messages, OfRappor
from ldp_verified.deploy.formats import Format, Plain
from ldp_verified.deploy.plane_format import OnPlane
from ldp_verified.deploy.protocol_formats import Grouped, Placed, SignFormat
from ldp_verified.deploy.tuple_formats import OneOf, Together
from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.protocols import (
    SHE,
    BoxWavelet,
    DuchiVector,
    KeyValues,
    Longitudinal,
    PaddedSampling,
    ParityTables,
    PlaneNoise,
    RangeProtocol,
    Rappor,
    SafeRegions,
    SampleOne,
    SignMatrix,
    SphereVector,
)
from ldp_verified.protocols.attribute_scheme import Attributes
from ldp_verified.protocols.best_response import BestResponse
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.grouped_states import GROUP_STATES
from ldp_verified.protocols.joint_tables import least_variance
from ldp_verified.protocols.range_grid import least_variance_of_cells
from ldp_verified.protocols.shown import IF_GIVEN, left_out
from ldp_verified.run import mechanisms
from ldp_verified.run.aggregate.packing import Field, PackedShape, numbers_shape
from ldp_verified.run.kernels import PROGRAM_VERSION, SAME_ANSWERS
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.realize import Randomizer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer
from ldp_verified.spellings import meant, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION: Final = 1
LONGEST: Final = 1 << 24
"""Characters of a descriptor, at most."""

MOST_PROTOCOL: Final = 100
_PROTOCOLS: Final = (
    "LGRR LSUE LOSUE LOUE LSOUE LOLOHA DBitFlip SHE DuchiVector SphereVector Gaussian Rappor "
    "Split SampleOne SampleAmongFakes SampleAmongFakeBits "
    "PrefixExtending PrefixCohorts TreeHist BitReduction BitGroups Bitstogram Hashtogram "
    "PrivateExpanderSketch "
    "SuccinctHistogram SequenceFragments SignMatrix PaddedResponse PaddedHashing "
    "SamplingSuccinctHistogram SamplingRappor "
    "SafeRegions CandidateCounts CandidateSizes ChangeTree VotedMean RangeTree RangeWavelet "
    "BoxWavelet ParityTables KeyValueResponse KeyValueBits KeyValueSymbols PlaneNoise "
    "HPGR"
)
CLASSES: Final[dict[str, type]] = {
    **{name: getattr(mechanisms, name) for name in mechanisms.__all__},
    **{name: getattr(protocols, name) for name in _PROTOCOLS.split()},
}
"""What can be deployed, by name."""

OF_SCHEMES: Final[dict[str, type]] = {
    name: getattr(protocols, name) for name in ("JointTables", "RangeGrid", "RangeHierarchy")
}
"""What is made by name too, and deployed as its `scheme`."""


_CHOICES: Final = {each.__name__: each for each in (least_variance, least_variance_of_cells)}
"""Functions that choose the mechanism of an attribute, by name."""

_NO_ARGUMENTS: Final = (
    *(LdpError, TypeError, ValueError, ArithmeticError),
    *(AttributeError, LookupError, MemoryError, RecursionError),
)
"""What a constructor may raise when it is given whatever JSON holds."""


def spelled(record: dict[str, Any]) -> str:
    """JSON in its one spelling: keys sorted, no spaces, ASCII."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _format_of(made: Any) -> Format | None:
    """How reports of a mechanism or protocol are written; None where it is not known."""
    match made:
        case Randomizer():
            return Plain(made, made.layout.shape)
        case BoundedRandomizer():
            return Plain(made, numbers_shape(made.outputs, made.sampler().dtype))
        case SHE():
            number = Field(made.k, made.number.outputs)
            return Plain(made, PackedShape((number,), made.sampler().dtype))
        case DuchiVector():
            return Plain(made, numbers_shape(1 << made.d, np.dtype(np.uint64)))
        case SphereVector():
            return Plain(made, numbers_shape(1 << made.bits_per_report, np.dtype(np.uint64)))
        case _ if type(made) in MESSAGING:
            return Messages(made, numbers_shape(made.codes, smallest_dtype(made.codes)))
        case Longitudinal():
            return Memo(made)
        case Rappor():
            return OfRappor(made)
        case SampleOne():
            return OneOf(made)
        case Attributes():
            return Together(made)
        case PaddedSampling():
            return Plain(made, made.inner.layout.shape)
        case KeyValues():
            return Plain(made, made.oracle.layout.shape)
        case RangeProtocol() | ParityTables() | BoxWavelet():
            return Plain(made, made.layout.shape)
        case SignMatrix():
            return SignFormat(made)
        case SafeRegions():
            return Placed(made)
        case PlaneNoise():
            return OnPlane(made)
        case GroupedHashing() if type(made) in GROUP_STATES:
            return Grouped(made)
    return None


def checked_format(made: object) -> Format:
    """How the reports of what is deployed are written.

    Raises:
        ParameterError: it is no object of one of `CLASSES`.
    """
    found = _format_of(made) if CLASSES.get(type(made).__name__) is type(made) else None
    if found is None:
        rule = "must be a mechanism of the catalogue, or one of its protocols"
        if OF_SCHEMES.get(type(made).__name__) is type(made):
            rule = "must be deployed as its scheme, which draws the reports"
        raise ParameterError("mechanism", rule, type(made))
    return found


def record_of(
    made: Any, protocol: str | None, round_: int, program: int, accepts: Sequence[int]
) -> dict[str, Any]:
    """Return the content of a descriptor.

    Raises:
        ParameterError: an argument out of its range.
    """
    shown = checked_format(made)
    if protocol is not None and (
        not isinstance(protocol, str)
        or not 1 <= len(protocol) <= MOST_PROTOCOL
        or not protocol.isprintable()
    ):
        raise ParameterError("protocol", "must be a short text, or None", protocol)
    if not isinstance(accepts, tuple | list) or not accepts:
        raise ParameterError("accepts", "must be program versions, one at least", accepts)
    versions = sorted({check_integer("accepts", each, 1, 1 << 31) for each in accepts})
    if check_integer("program", program, 1, 1 << 31) not in versions:
        raise ParameterError("accepts", f"must hold the program's version {program}", accepts)
    tables = [
        {
            "name": identity.mechanism,
            "law": identity.law_hash or None,
            "thresholds": [str(threshold) for threshold in identity.thresholds],
        }
        for identity in shown.identities
    ]
    return {
        "ldp_verified": "deployment",
        "version": VERSION,
        "mechanism": type(made).__name__,
        "arguments": {
            f.name: _to_json(f.name, getattr(made, f.name))
            for f in fields(made)
            if f.init and not left_out(made, f)
        },
        "tables": tables,
        "payload": shown.payload,
        "payload_bits": shown.bits,
        "program": program,
        "accepts": versions,
        "protocol": protocol,
        "round": check_integer("round", round_, 0, (1 << 31) - 1),
    }


def read(text: object) -> tuple[Any, dict[str, Any]]:
    """(what is deployed, the record) of a descriptor's text.

    Raises:
        ReportError: the text is none, not in its one spelling, or says something else than this
            program finds; or it is for other programs.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise ReportError("descriptor", "must be a text of at most 2^24 characters", type(text))
    try:
        record = read_json(text)
    except NotJsonError:
        record = None
    if not isinstance(record, dict) or record.get("ldp_verified") != "deployment":
        raise ReportError("descriptor", "is no deployment in JSON")
    if record.get("version") != VERSION:
        rule = f"must have format version {VERSION}"
        raise ReportError("descriptor", rule, record.get("version"))
    if spelled(record) != text:
        rule = "must be in its one spelling: keys sorted, no spaces, no line end behind it"
        raise ReportError("descriptor", rule)
    made = _made(record.get("mechanism"), record.get("arguments"))
    try:
        agreed = (record[name] for name in ("protocol", "round", "program", "accepts"))
        found = record_of(made, *agreed)
    except (KeyError, ParameterError) as error:
        raise ReportError("descriptor", f"is incomplete or wrong: {error}") from None
    for name in sorted(record.keys() | found.keys()):
        if spelled({"": record.get(name)}) != spelled({"": found.get(name)}):
            what = "law or thresholds" if name == "tables" else name
            rule = f"says another {what} than this program finds for its arguments"
            raise ReportError("descriptor", rule)
    if SAME_ANSWERS.isdisjoint(found["accepts"]):
        rule = f"is for program versions {found['accepts']}; this is {PROGRAM_VERSION}"
        raise ReportError("descriptor", rule)
    return made, record


def made_of(name: str, arguments: dict[str, Any]) -> Any:
    """An object of a class that can be deployed, or whose scheme can be.

    Args:
        name: of the class, in any case: "grr", "LOLOHA", "range_grid".
        arguments: of its constructor, with lists for tuples.

    Raises:
        ParameterError: there is no such class, it has no such arguments, or they make no object.
    """
    every = CLASSES | OF_SCHEMES
    found = meant(name, every)
    cls: Any = None if found is None else every[found]
    if cls is None:
        raise ParameterError("name", _names_near(name), name)
    known = [f.name for f in fields(cls) if f.init]
    needed = [f.name for f in fields(cls) if f.init and f.default is MISSING]
    wrong = [each for each in arguments if each not in known]
    if wrong:
        raise ParameterError(wrong[0], f"is no argument of {name}: it has {', '.join(known)}")
    lacking = [each for each in needed if each not in arguments]
    if lacking:
        rule = f"must be given for {name}: its arguments are {', '.join(known)}"
        raise ParameterError(lacking[0], rule)
    try:
        return cls(**{key: _argument(key, value) for key, value in arguments.items()})
    except ParameterError:
        raise
    except _NO_ARGUMENTS as error:
        problem = type(error).__name__
    raise ParameterError("arguments", f"make no {name}: {problem}")


def _names_near(name: str) -> str:
    """Say what a name must be, where it is none: the names that are nearest to it."""
    known = {plain(each): each for each in CLASSES | OF_SCHEMES}
    near = [known[each] for each in difflib.get_close_matches(plain(name), known, n=3)]
    shown = f"such as {' or '.join(near)}" if near else "which docs/catalogue.md lists"
    return f"must name a class of the catalogue or of its protocols, {shown}"


def _made(name: object, arguments: object) -> Any:
    cls: Any = CLASSES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ReportError("descriptor", "must name a mechanism that this program has", name)
    known = {f.name: f.metadata for f in fields(cls) if f.init}
    needed = {name for name, metadata in known.items() if metadata != IF_GIVEN}
    if not isinstance(arguments, dict) or not needed <= set(arguments) <= set(known):
        raise ReportError("descriptor", f"must give all arguments of {name}, and no others")
    try:
        return made_of(cls.__name__, arguments)
    except LdpError as error:
        problem = str(error)
    raise ReportError("descriptor", f"has arguments that make no {name}: {problem}")


def _to_json(argument: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, type) and CLASSES.get(value.__name__) is value:
        return {"class": value.__name__}
    for name, choice in _CHOICES.items():
        if value is choice:
            return {"choice": name}
    if isinstance(value, BestResponse):
        return {"best response within bits": value.longest}
    if isinstance(value, tuple | list):
        return [_to_json(argument, each) for each in value]
    if value is None or type(value) in (int, float, str):
        return value
    raise ParameterError(
        argument,
        "must be a number, a text, a class or one of our choices to be deployed",
        type(value),
    )


def _argument(name: str, value: Any) -> Any:
    """An argument from JSON; that of attributes is a mapping, from their names.

    Raises:
        ParameterError: a mapping in it stands for nothing.
    """
    try:
        if name == "attributes" and isinstance(value, dict):
            return {own: _of_json(each) for own, each in value.items()}
        return _of_json(value)
    except ParameterError:
        raise
    except _NO_ARGUMENTS:
        rule = (
            "must be a number, a text, null or a list of them, or what a descriptor writes for a "
        )
        rule += 'fraction, a class or a choice, such as {"fraction": "1/3"}'
    raise ParameterError(name, rule, value)


def _of_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_of_json, value))
    if not isinstance(value, dict):
        return value
    if set(value) == {"fraction"} and isinstance(value["fraction"], str):
        found = Fraction(value["fraction"])
        if str(found) == value["fraction"]:
            return found
    if set(value) == {"class"} and value["class"] in CLASSES:
        return CLASSES[value["class"]]
    if set(value) == {"choice"} and value["choice"] in _CHOICES:
        return _CHOICES[value["choice"]]
    if set(value) == {"best response within bits"}:
        return BestResponse(value["best response within bits"])
    raise ValueError(value)
