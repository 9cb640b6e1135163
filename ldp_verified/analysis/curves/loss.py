"""Trade-off curve, privacy-loss distribution and delta(eps) of one table at given parameters.

The trade-off curve is about tests of "x' was the input" against "x was". It gives the least
probability of the second error for each probability of the first (Neyman, Pearson 1933). Dong,
Roth, Su (2022), Gaussian differential privacy, call it f.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ldp_verified.derive import Facts
from ldp_verified.errors import ParameterError
from ldp_verified.generate import class_name
from ldp_verified.language import Line
from ldp_verified.run import mechanisms
from ldp_verified.run.realize.parameters import number_or_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.language import Mechanism
    from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer


@dataclass(frozen=True)
class LossCurve:
    """The privacy loss of a mechanism at given parameters.

    Attributes:
        parameters: name -> value. epsilon: the largest loss; math.inf if an output is possible
            under one input only.
        losses, masses: for each type of pair, ln(P(y|x)/P(y|x')) of its classes of outputs in
            decreasing order, and their probabilities under x; shapes (classes,).
        pairs: the types of pairs in words.
    """

    parameters: dict[str, float]
    epsilon: float
    pairs: tuple[str, ...]
    losses: tuple[NDArray[np.float64], ...]
    masses: tuple[NDArray[np.float64], ...]

    def _under_other(self, pair: int) -> NDArray[np.float64]:
        """The probabilities under x'."""
        found: NDArray[np.float64] = self.masses[pair] * np.exp(-self.losses[pair])
        return found

    def trade_off(self, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        """The least probability of calling x wrongly x', over all pairs.

        Args:
            alpha: probability of calling x' wrongly x, in [0, 1], shape (m,).

        Returns:
            beta, shape (m,).
        """
        curves = []
        for pair, masses in enumerate(self.masses):
            other = self._under_other(pair)
            across = np.concatenate([[0.0], np.cumsum(other), [1.0]])
            up = np.concatenate([[0.0], np.cumsum(masses), [1.0]])
            # At alpha = 0 the outputs that x' cannot give are already called x.
            free = masses[np.isinf(self.losses[pair])].sum()
            beta = 1.0 - np.interp(alpha, across, up)
            curves.append(np.minimum(beta, 1.0 - free))
        found: NDArray[np.float64] = np.clip(np.min(curves, axis=0), 0.0, 1.0)
        return found

    def delta(self, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
        """The smallest delta of (eps, delta)-LDP, over all pairs; shape of `epsilons`."""
        worst = np.zeros(len(epsilons))
        for pair, masses in enumerate(self.masses):
            other = self._under_other(pair)
            gaps = masses[:, None] - np.exp(epsilons)[None, :] * other[:, None]
            worst = np.maximum(worst, np.maximum(gaps, 0.0).sum(axis=0))
        return worst


def loss_curve(mechanism: Mechanism, values: Mapping[str, Any]) -> LossCurve:
    """Evaluate the loss distribution of every type of pair.

    Args:
        mechanism: any with finitely many outputs.
        values: parameter name -> number, as text or number, one for each parameter of the table;
            exact where they are rational.

    Raises:
        ParameterError: it is on the line and has no class; or a parameter is missing, unknown, no
            number or outside its domain.
    """
    if isinstance(mechanism.table, Line):
        return _of_numbers(mechanism, values)
    facts = Facts(mechanism)
    if not facts.pair_tables:
        rule = "must be a table with finitely many outputs, not a density on the line"
        raise ParameterError("SPEC", rule, mechanism.name)
    point = _point(mechanism, values)
    pairs, losses, masses = [], [], []
    for position, table in enumerate(facts.pair_tables):
        found = []
        for atom in facts.loss(position):
            ratio, mass = (_number(x, point) for x in (atom.ratio, atom.mass))
            if mass > 0:
                found.append((math.log(ratio) if ratio < math.inf else math.inf, mass))
        found.sort(reverse=True)
        pairs.append(table.pair)
        losses.append(np.array([loss for loss, _ in found]))
        masses.append(np.array([mass for _, mass in found]))
    epsilon = max(float(each[0]) for each in losses)
    shown = {name: float(_rational(name, value)) for name, value in values.items()}
    return LossCurve(shown, epsilon, tuple(pairs), tuple(losses), tuple(masses))


def _of_numbers(mechanism: Mechanism, values: Mapping[str, Any]) -> LossCurve:
    """The loss of the ends of the interval, of the table that the catalogue's class draws from."""
    cls: Any = getattr(mechanisms, class_name(mechanism.name), None)
    if cls is None or cls.law_sha256 != mechanism.law_hash:
        rule = "must be a table with finitely many outputs, or a class of numbers of the catalogue"
        raise ParameterError("SPEC", rule, mechanism.name)
    eps = mechanism.generator.eps
    name = "eps" if eps is None else eps.name
    if set(values) != {name}:
        rule = f"must give {name} and nothing else, as in {name}=2: the class works out the rest"
        raise ParameterError("--set", rule, ", ".join(values))
    value = float(_rational(name, values[name]))
    made: NumericRandomizer = cls(value)
    masses = [(p, q) for p, q in made.losses()[0] if p]
    ratios = [math.log(p / q) for p, q in masses]
    return LossCurve(
        {name: value},
        made.realized_epsilon,
        ("the ends of the interval",),
        (np.array(ratios),),
        (np.array([float(p) for p, _ in masses]),),
    )


def _number(value: Any, point: Mapping[Any, Any]) -> float:
    return math.inf if value == sympy.oo else float(sympy.sympify(value).subs(dict(point)))


def exact_point(mechanism: Mechanism, values: Mapping[str, Any]) -> dict[Any, Any]:
    """Parameter -> exact number, epsilon itself included; sizes that follow from them too.

    Raises:
        ParameterError: a parameter is missing, unknown, no number or outside its domain.
    """
    _point(mechanism, values)  # all the checks
    known = {p.name: p for p in mechanism.parameters}
    return {known[name]: _rational(name, value) for name, value in values.items()}


def _point(mechanism: Mechanism, values: Mapping[str, Any]) -> dict[Any, Any]:
    """Variable of the algebraic table -> number."""
    known = {p.name: p for p in mechanism.parameters}
    for name in values:
        if name not in known:
            raise ParameterError("--set", f"must name one of {', '.join(known) or 'none'}", name)
    generator, used = mechanism.generator, _used(mechanism)
    point: dict[Any, Any] = {}
    exact: dict[Any, Any] = {}
    for name, parameter in known.items():
        is_epsilon = parameter == generator.eps
        if name not in values:
            if is_epsilon or parameter in used:
                domain = mechanism.domains[parameter].describe(name)
                raise ParameterError("--set", f"must give {name}, as in {name}=2: {domain}")
            continue
        value = exact[parameter] = _rational(name, values[name])
        if not mechanism.domains[parameter].contains(value, exact):
            rule = f"must satisfy {mechanism.domains[parameter].describe(name)}"
            raise ParameterError(name, rule, values[name])
        if is_epsilon:
            point[generator.symbol] = sympy.exp(value / generator.root).evalf()
        else:
            point[parameter] = value
    return point


def _rational(name: str, value: Any) -> Any:
    exact = number_or_text(value)
    if exact is None:
        raise ParameterError(name, "must be a number", value)
    return sympy.Rational(exact)


def _used(mechanism: Mechanism) -> set[Any]:
    """The variables that the loss distribution depends on."""
    facts = Facts(mechanism)
    atoms = [atom for pair in range(len(facts.pair_tables)) for atom in facts.loss(pair)]
    return {
        symbol
        for atom in atoms
        for value in (atom.ratio, atom.mass)
        for symbol in sympy.sympify(value).free_symbols
    }
