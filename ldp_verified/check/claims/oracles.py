"""Frequency oracles and lists of heavy hitters, as far as small cases show what is between them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, product

from sympy import Gt, Le, Rational

from ldp_verified.check.claims.numeric import AllOf, Case, Cases
from ldp_verified.check.claims.tables import Relation
from ldp_verified.language import integer, real

VALUES, USERS = 3, 1
HALF = Rational(1, 2)
TAUS = (Fraction(1, 2), Fraction(1))
ANSWERS = tuple(Fraction(i, 2) for i in range(-1, 4))


def lists_of_oracles(factor: int) -> Cases:
    """Claim that some list has an error of at most factor tau, whatever the oracle answers.

    A list names at most n values, and stands for 0 elsewhere. Looked at for one user, three values
    and answers that are multiples of 1/2.

    Args:
        factor: the error of the list in units of tau, that of the oracle.
    """
    taus, answers = (", ".join(map(str, each)) for each in (TAUS, ANSWERS))
    where = f"{USERS} user, {VALUES} values, tau = {taus}, answers {answers}"
    said = f"whatever an oracle with error tau answers, some list has error at most {factor} tau"
    return Cases(said, lambda: _cases(factor), where)


def _cases(factor: int) -> Iterable[Case]:
    truths = [t for t in product(range(USERS + 1), repeat=VALUES) if sum(t) == USERS]
    for tau in TAUS:
        for answers in product(ANSWERS, repeat=VALUES):
            possible = [
                t for t in truths if all(abs(a - b) <= tau for a, b in zip(answers, t, strict=True))
            ]
            if not possible:
                continue
            best = min(
                max((t[x] for t in possible for x in range(VALUES) if x not in named), default=0)
                for named in combinations(range(VALUES), USERS)
            )

            def again(answers: tuple[Fraction, ...] = answers, tau: Fraction = tau) -> bool:
                return any(_good(named, answers, tau, factor) for named in range(VALUES))

            yield Case(
                {"n": USERS, "tau": tau},
                best <= factor * tau,
                again,
                {"answers": ", ".join(map(str, answers)), "error of the best list": best},
                f"the oracle answers ({', '.join(map(str, answers))}), all within tau = {tau} of "
                f"each of {len(possible)} possible truths; every list of {USERS} value is off by "
                f"{best} for one of them",
            )


def _good(named: int, answers: tuple[Fraction, ...], tau: Fraction, factor: int) -> bool:
    """Return whether naming one value leaves out none above factor tau, whatever the truth is."""
    for holder in range(VALUES):
        truth = [int(x == holder) for x in range(VALUES)]
        if any(abs(answers[x] - truth[x]) > tau for x in range(VALUES)):
            continue
        if any(truth[x] > factor * tau for x in range(VALUES) if x != named):
            return False
    return True


def listed_above_tau() -> AllOf:
    """Listed are the values with an estimate above tau: each is held, and others have 2 tau."""
    tau = real("tau", above=0)
    above, below = real("est", above=tau), real("est", at_most=tau)
    seen, left_out = real("f_x", at_least=above - tau), real("f_x", at_most=below + tau)
    return AllOf(
        Relation(Gt(seen, 0), (tau, above, seen)),
        Relation(Le(left_out, 2 * tau), (tau, below, left_out)),
    )


def found_by_bits(*, strict: bool) -> Relation:
    """Claim that the own bit has the larger estimate in a cell whose value is above 2 tau.

    Args:
        strict: whether it is above; else at least 2 tau.
    """
    tau = real("tau", above=0)
    f_x = real("f_x", above=2 * tau) if strict else real("f_x", at_least=2 * tau)
    own, other = real("est_own", at_least=f_x - tau), real("est_other", at_most=tau)
    return Relation(Gt(own, other), (tau, f_x, own, other))


def missed_by_bits() -> Relation:
    """A value of which some bit has the smaller estimate has a frequency of 2 tau at most."""
    tau = real("tau", above=0)
    other = real("est_other", at_most=tau)
    own = real("est_own", at_most=other)
    f_x = real("f_x", at_most=own + tau)
    return Relation(Le(f_x, 2 * tau), (tau, other, own, f_x))


def cells_apart() -> Relation:
    """Bound the chance that two of n values share one of n^2 cells by 1/2: pairs times 1/n^2."""
    users = integer("users", at_least=1)
    return Relation(Le(users * (users - 1) / (2 * users**2), HALF, evaluate=False), (users,))


def cells_at_most_users() -> Relation:
    """Claim that n^2 cells are n at most."""
    users = integer("users", at_least=2)
    return Relation(Le(users**2, users, evaluate=False), (users,))
