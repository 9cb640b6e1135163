"""The table of who checks what: the checkers, and the cells of each.

A cell is a kind of obligation and a form of table.
A route registers a rule for each cell that it decides, in the file that decides it. A cell without
one is open, and says why. Nothing here decides anything, and no route reads another one's rules.

Checkers that a module of `ldp_verified.prove.added` registers stand in the same table, after those
of this package. `added` says what they may do.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, cast

from ldp_verified.kinds import Kind, TableForm


@dataclass(frozen=True)
class Checker:
    """One checker.

    Attributes:
        name: as verdicts say it.
        group: the group of checkers that it proves with; empty where it only refutes or agrees.
        shares: what it has in common with whom.
        route: how the matrix of planted errors counts it; empty where that does not ask it.
        like: the checker whose cells it has, where it has none of its own.
    """

    name: str
    group: str
    shares: str
    route: str = ""
    like: str = ""


CHECKERS: tuple[Checker, ...] = (
    Checker(
        "certificate",
        "algebra",
        "reads the derived pair tables or moments; its obligations are also what smt is asked",
        "algebra",
    ),
    Checker(
        "smt",
        "algebra",
        "is asked the obligations of certificate, by way of z3",
        "algebra",
        like="certificate",
    ),
    Checker(
        "counting",
        "algebra",
        "counts the members of the classes of the derived pair tables symbolically",
    ),
    Checker(
        "kernel checker",
        "algebra",
        "reads the statement and the certificate, with code that Coq proved correct",
    ),
    Checker(
        "coq",
        "coq",
        "reads generated theorems about the randomizer; shares only the declaration with algebra",
        "coq",
    ),
    Checker(
        "enumeration",
        "",
        "expands the declared table at small sizes; reads no pair table and nothing derived",
        "enumeration",
    ),
    Checker(
        "identities",
        "",
        "counts the blocks of the declared structure; reads no pair table",
        "identities",
    ),
)
"""The checkers of this package; those that prove come first.

The checkers of one group read the same obligations.
"""

ADDED: dict[str, Checker] = {}
"""Name -> checker that a module of the package `WHERE` registered by `addition.add`."""

WHERE = "ldp_verified.prove.added"
"""The package whose modules are imported to find further checkers."""


@cache
def _discover() -> None:
    """Import every module of the package of added checkers, in the order of their names."""
    for found in pkgutil.iter_modules(importlib.import_module(WHERE).__path__):
        importlib.import_module(f"{WHERE}.{found.name}")


def everyone() -> tuple[Checker, ...]:
    """Return all checkers, the added ones last.

    Raises:
        InternalError: an added checker registers as what it is not.
    """
    _discover()
    return known()


def known() -> tuple[Checker, ...]:
    """Return the checkers that are registered so far; looks for no others."""
    return (*CHECKERS, *ADDED.values())


def named(name: str) -> Checker:
    """Return the registered checker of a name.

    Raises:
        KeyError: there is none.
    """
    return {each.name: each for each in known()}[name]


def proving(shown: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the names of the checkers that prove something, in the order of the table.

    Args:
        shown: checker -> whether it proves it.

    Raises:
        ValueError: one of them is no checker, or belongs to no group: it proves nothing.
    """
    groups = {each.name: each.group for each in known()}
    wrong = [name for name, yes in shown.items() if yes and not groups.get(name)]
    if wrong:
        raise ValueError(f"{wrong[0]}: not a checker, or in no group that proves")
    return tuple(name for name in groups if shown.get(name))


def route_of(name: str) -> str:
    """Return the route of a checker, as the matrix of planted errors counts it."""
    found = {each.name: each for each in known()}.get(name)
    return name if found is None or not found.route else found.route


@dataclass(frozen=True)
class Open:
    """A cell without a rule.

    Attributes:
        reason: why nobody here decides it.
    """

    reason: str


Rule = TypeVar("Rule")
Made = TypeVar("Made")


class Rules(Generic[Rule]):
    """The cells of one checker, kept by its route.

    Args:
        checker: its name.

    Raises:
        ValueError: it is no checker, has the cells of another one, or has cells already.
    """

    def __init__(self, checker: str) -> None:
        own = {each.name for each in known() if not each.like}
        if checker not in own or checker in RULES:
            raise ValueError(f"{checker}: not a checker, or its cells are kept elsewhere")
        self.checker = checker
        self._rules: dict[tuple[str, TableForm], Rule | Open] = {}
        self._kinds: dict[str, tuple[Kind, ...]] = {}
        RULES[checker] = self

    def rule(
        self, kinds: Sequence[Kind], forms: Sequence[TableForm], *, words: Sequence[str] = ()
    ) -> Callable[[Made], Made]:
        """Register what decides these kinds for tables of these forms.

        Args:
            kinds: of obligation. forms: of table.
            words: by which it is looked up where that is not the kind: what a statement calls the
                claim.

        Raises:
            ValueError: a cell has a rule already.
        """

        def register(made: Made) -> Made:
            self._fill(kinds, forms, words, cast("Rule", made))
            return made

        return register

    def leave_open(
        self,
        kinds: Sequence[Kind],
        forms: Sequence[TableForm],
        reason: str,
        *,
        words: Sequence[str] = (),
    ) -> None:
        """Say why some cells have no rule; see `rule`."""
        self._fill(kinds, forms, words, Open(reason))

    def _fill(
        self,
        kinds: Sequence[Kind],
        forms: Sequence[TableForm],
        words: Sequence[str],
        made: Rule | Open,
    ) -> None:
        for word in words or kinds:
            self._kinds.setdefault(word, tuple(kinds) if words else (Kind(word),))
            for form in forms:
                if (word, form) in self._rules:
                    raise ValueError(f"{self.checker}: two rules for {word} of {form}")
                self._rules[word, form] = made

    def find(self, word: str, *forms: TableForm) -> Rule | Open:
        """The rule of a cell, or why there is none.

        Args:
            word: the kind, or what a statement calls the claim.
            forms: those that the table may have; the first one with an entry decides.
        """
        for form in forms:
            if (word, form) in self._rules:
                return self._rules[word, form]
        return Open(f"{self.checker} has no rule for {word} of {' or '.join(forms)}")

    def kinds_of(self, word: str) -> tuple[Kind, ...]:
        """The kinds of obligation that a word of a statement stands for.

        Raises:
            KeyError: no form has a rule for it, and it is no kind either.
        """
        if word not in self._kinds and word in set(Kind):
            return (Kind(word),)
        return self._kinds[word]

    def cell(self, kind: Kind, form: TableForm) -> Open | None:
        """Why a kind is not decided for a form; None where some rule decides it."""
        words = [word for word, kinds in self._kinds.items() if kind in kinds]
        found = [self.find(word, form) for word in words or [kind]]
        reasons = [each for each in found if isinstance(each, Open)]
        return None if len(reasons) < len(found) else reasons[0]


RULES: dict[str, Rules[Any]] = {}
"""Checker -> its cells, once the modules of its route are imported."""


def cell(checker: Checker, kind: Kind, form: TableForm) -> Open | None:
    """Why a checker does not decide a kind for a form; None where it has a rule."""
    return RULES[checker.like or checker.name].cell(kind, form)


def undecided(kind: str, form: TableForm) -> str:
    """Why no checker has a rule for a kind and form; empty where one has."""
    reasons = [cell(each, Kind(kind), form) for each in everyone()]
    if any(reason is None for reason in reasons):
        return ""
    given = [reason.reason for reason in reasons if reason is not None]
    return f"no checker has a rule for {kind} of {form}: {'; '.join(dict.fromkeys(given))}"
