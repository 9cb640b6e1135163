"""Share verifications, made once per mechanism, and Coq's answers among the checks of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ldp_verified.check.claims.theorems import Stated, accepted_statements, accepted_theorems
from ldp_verified.kinds import Kind
from ldp_verified.language import Mechanism
from ldp_verified.language.claims import Claim
from ldp_verified.prove import Verdict, Verification, verify

Tell = Callable[[str, float, float | None], None]


@dataclass
class Context:
    """Collect the questions of a run first, then answer them together.

    Attributes:
        coq: whether Coq's kernel is asked about mechanisms too (it is slow); about general theorems
            it is asked in any case, where it is installed.
        largest: structures are enumerated up to this size.
    """

    coq: bool = False
    largest: int = 6
    _mechanisms: list[Mechanism] = field(default_factory=list)
    _claims: list[list[Claim]] = field(default_factory=list)
    _keys: dict[int, int] = field(default_factory=dict)
    _verified: dict[int, Verification] = field(default_factory=dict)
    _apart: dict[tuple[int, int | None], Verification] = field(default_factory=dict)
    _theorems: set[str] = field(default_factory=set)
    _stated: list[Stated] = field(default_factory=list)
    _accepted: dict[str, str] | None = None
    _followed: dict[Stated, str] | None = None
    _alive: list[Mechanism] = field(default_factory=list)

    def announce(self, mechanism: Mechanism, claim: Claim | None) -> None:
        """A claim about a mechanism will be asked for; None: about its laws only."""
        wanted = self._claims[self._key(mechanism)]
        if claim is not None and claim not in wanted:
            wanted.append(claim)

    def _key(self, mechanism: Mechanism) -> int:
        """The number of a mechanism: the same for equal declarations, whoever loaded them."""
        key = self._keys.get(id(mechanism))
        if key is None:
            known = (i for i, each in enumerate(self._mechanisms) if _same(each, mechanism))
            key = next(known, len(self._mechanisms))
            if key == len(self._mechanisms):
                self._mechanisms.append(mechanism)
                self._claims.append([])
            # The object is kept alive with its number, or another one could get its id.
            self._alive.append(mechanism)
            self._keys[id(mechanism)] = key
        return key

    def announce_theorem(self, name: str) -> None:
        """A theorem of the library will be asked for."""
        self._theorems.add(name)

    def announce_statement(self, stated: Stated) -> None:
        """Return whether a statement follows from a theorem will be asked for."""
        if stated not in self._stated:
            self._stated.append(stated)

    def prepare(self, tell: Tell = lambda _, __, ___: None) -> None:
        """Answer everything that was announced, Coq's kernel being asked meanwhile."""
        waiting = [key for key in range(len(self._mechanisms)) if key not in self._verified]
        total = len(waiting) + 1
        with ThreadPoolExecutor(1) as pool:
            kernel = pool.submit(self.theorem, "")
            for done, key in enumerate(waiting):
                tell(f"verifying {self._mechanisms[key].name}", done, total)
                self._verify(key)
            tell("waiting for Coq's kernel", len(waiting), total)
            kernel.result()

    def _verify(self, key: int) -> Verification:
        if key not in self._verified:
            self._verified[key] = self._asked(key, self._claims[key])
        return self._verified[key]

    def _asked(self, key: int, claims: Sequence[Claim]) -> Verification:
        mechanism = self._mechanisms[key]
        asked = Mechanism(
            mechanism.name,
            title=mechanism.title,
            parameters=mechanism.parameters,
            table=mechanism.table,
            claims=claims,
            assuming=mechanism.assuming,
            origin=mechanism.origin,
        )
        # What was noted while the declaration was made has cancelled from the table by now.
        needed = [*asked.requirements, *mechanism.requirements]
        asked = asked.with_requirements(needed)
        # What is written of these verdicts is kept, and must not depend on what is drawn.
        return verify(asked, self.largest, coq=self.coq, derived=False, draw_points=False)

    def _about(self, key: int, position: int | None) -> tuple[Verdict, ...]:
        """The verdicts on one claim, or on the laws.

        What one claim divides by may be 0, as in a formula that a document misprints. That is no
        fault of the table's, nor of another claim's: then each is asked about by itself.
        """
        joint = self._verify(key).verdicts
        defined = all(v.status.for_all for v in joint if v.obligation == Kind.DEFINED)
        if defined or not self._claims[key]:
            return tuple(each for each in joint if each.claim == position)
        place = (key, position)
        if place not in self._apart:
            own = [] if position is None else [self._claims[key][position]]
            self._apart[place] = self._asked(key, own)
        wanted = None if position is None else 0
        return tuple(each for each in self._apart[place].verdicts if each.claim == wanted)

    def verification(self, mechanism: Mechanism) -> Verification:
        """Everything found out about a mechanism."""
        return self._verify(self._key(mechanism))

    def verdicts(self, mechanism: Mechanism, claim: Claim | None) -> tuple[Verdict, ...]:
        """The verdicts on one announced claim; on the laws where it is None."""
        key = self._key(mechanism)
        return self._about(key, None if claim is None else self._claims[key].index(claim))

    def theorem(self, name: str) -> str | None:
        """Empty where Coq's kernel accepted the theorem just now, else why it is not known."""
        if self._accepted is None:
            self._accepted = accepted_theorems(sorted(self._theorems))
        if not name:
            return None
        return self._accepted.get(name, "it was not announced")

    def statement(self, stated: Stated) -> str:
        """Empty where Coq's kernel took the statement from its theorem just now, else why not."""
        if self._followed is None:
            self._followed = accepted_statements(self._stated)
        return self._followed.get(stated, "it was not announced")


def _same(one: Mechanism, other: Mechanism) -> bool:
    """Return whether two declarations are of the same table over the same parameters."""
    return (
        one.name == other.name
        and one.parameters == other.parameters
        and one.assuming == other.assuming
        and one.table == other.table
    )
