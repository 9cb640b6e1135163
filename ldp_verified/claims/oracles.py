"""Frequency oracles and lists of heavy hitters, as far as small cases show what is between them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, product

from ldp_verified.claims.numeric import Case, Cases

VALUES, USERS = 3, 1
TAUS = (Fraction(1, 2), Fraction(1))


def lists_of_oracles(factor: int) -> Cases:
    """Whatever an oracle with error tau answers, some list has an error of at most factor tau.

    A list names at most n values, and stands for 0 elsewhere. Looked at for one user, three values
    and answers that are multiples of 1/2.
    """
    where = f"{USERS} user, {VALUES} values, tau = 1/2 and 1, answers -1/2, 0, 1/2, 1, 3/2"
    said = f"whatever an oracle with error tau answers, some list has error at most {factor} tau"
    return Cases(said, lambda: _cases(factor), where)


def _cases(factor: int) -> Iterable[Case]:
    truths = [t for t in product(range(USERS + 1), repeat=VALUES) if sum(t) == USERS]
    grid = [Fraction(i, 2) for i in range(-1, 4)]
    for tau in TAUS:
        for answers in product(grid, repeat=VALUES):
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
    """The same for one list, truth by truth."""
    for holder in range(VALUES):
        truth = [int(x == holder) for x in range(VALUES)]
        if any(abs(answers[x] - truth[x]) > tau for x in range(VALUES)):
            continue
        if any(truth[x] > factor * tau for x in range(VALUES) if x != named):
            return False
    return True
