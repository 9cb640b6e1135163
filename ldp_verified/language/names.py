"""The rule for names: whoever reads a parameter's name reads the same one.

A name passes through Python's parser, sympy, SMT-LIB, Coq and the fields of a generated class. It
is a word of ASCII letters, digits and underscores that means nothing else in any of them, so that
two names are never taken for one. The verifier has a rule of its own
(`prove.certificates.polynomials`).
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.errors import SpecError


@dataclass(frozen=True)
class Origin:
    r"""The file that a mechanism was read from.

    Attributes:
        path: the file, as given. module: its name without .py. sha256: of its text with \n ends.
    """

    path: str
    module: str
    sha256: str


WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

SHIFTED = "t_"
"""What the names begin with that the certificate verifier makes of others."""

PYTHON = frozenset({*keyword.kwlist, *keyword.softkwlist} - {"_"})
COQ = frozenset(
    """
    as at by cofix else end exists exists2 fix for forall fun if IF in let match mod return then
    using where with Prop Set SProp Type Definition Theorem Lemma Proof Qed Section End
    """.split()  # noqa: SIM905  a table of words reads better
)
SMT = frozenset(
    """
    BINARY DECIMAL HEXADECIMAL NUMERAL STRING as let exists forall match par assert push pop reset
    exit echo and or not xor ite distinct true false Real Int Bool div mod abs to_real to_int is_int
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log sqrt pi euler
    """.split()  # noqa: SIM905  a table of words reads better
)

LETTERS = frozenset(
    [
        "epsilon",
        "n",
        "f",
        "k",
        "g",
        "t",
        "p",
        "q",
        "u",
        "omega",
        "prime",
        "buckets",
        "p_star",
        "q_star",
    ]
)
"""Names of a generated class's own formulas; see `field_name`."""

CLASS = frozenset(
    """
    own own_labels categories name law_sha256 exponent root parameters domains cell_sizes
    claim_sizes claimed_ratios claimed_exponents
    cells support worst_ratio variance_per_user ideal variance oracle layout
    thresholds realizations realized_epsilon gap saturated sampler bits_per_report pmf labels
    privatize privatize_stream identity reports empty aggregate arguments pattern no_estimator
    outputs table rows ideal_rows weights blocks containing cuts vectors size
    odds field support_sizes privatize_in_threads simulate_counts load for_epsilon at_epsilon
    seed height shared self cls rng value values
    bounds grid pieces density measured steps inputs decoding no_mean distribution instance_of
    counted bounded chance_below load_counted
    program client variables worst_variance mean_estimate report_mean report_square influence
    evidence reports_of estimated_rows
    """.split()  # noqa: SIM905  a table of words reads better
)
"""Names that mean something else in a generated class."""

_MEANINGS = (
    (PYTHON, "is a word of Python's own"),
    (COQ, "is a word of Coq's own"),
    (SMT, "is a word of SMT-LIB's own"),
    (CLASS, "means something else in the class"),
    (frozenset(vars(builtins)), "is a function of Python's own"),
)


def check_word(argument: str, name: Any) -> str:
    """A name of anything: an identifier in ASCII that Python reads back as itself.

    Raises:
        SpecError: it is none.
    """
    if not (isinstance(name, str) and WORD.fullmatch(name)):
        rule = "must be an identifier of ASCII letters, digits and underscores, a letter first"
        raise SpecError(argument, rule, name)
    if name in PYTHON:
        raise SpecError(argument, "needs another name: this one is a word of Python's own", name)
    return str(name)


def check_labels(argument: str, labels: Any, size: int) -> tuple[Any, ...]:
    """Different labels of inputs or outputs; 0, 1, ... where None are given.

    Raises:
        SpecError: they are not so many different ones, or no list of what can be compared.
    """
    try:
        found = tuple(range(size) if labels is None else labels)
        different = len(set(found))
    except TypeError:
        found, different = (), 0
    if not len(found) == different == size:
        raise SpecError(argument, f"must be {size} different labels", labels)
    return found


def check_parameter(argument: str, name: Any) -> str:
    """The name of a parameter or of an input.

    Raises:
        SpecError: it is no word, or means something else where it is read.
    """
    check_word(argument, name)
    for words, meaning in _MEANINGS:
        if name in words:
            raise SpecError(argument, f"needs another name: this one {meaning}", name)
    if name.startswith(SHIFTED):
        rule = f"must not begin with {SHIFTED}, as the verifier's own names do"
        raise SpecError(argument, rule, name)
    return str(name)


def field_name(name: str) -> str:
    """Return the parameter's name in a generated class: `p_` if `p` is already taken there."""
    return f"{name}_" if name in LETTERS else name


def check_fields(names: Sequence[str]) -> None:
    """Names of parameters that stay different in a generated class: `g` is `g_` there.

    Raises:
        SpecError: two of them would be one.
    """
    fields = [field_name(name) for name in names]
    twice = [name for name in names if fields.count(field_name(name)) > 1]
    if twice:
        rule = "must have names that stay different with an underscore behind g, k, p, q and such"
        raise SpecError("parameters", rule, twice)
