"""What the checks of one run share: verifications, made once per mechanism, and Coq's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ldp_verified.claims.theorems import accepted_theorems
from ldp_verified.language import Mechanism
from ldp_verified.language.claims import Claim
from ldp_verified.prove import Verdict, Verification, verify

Tell = Callable[[str, float, float | None], None]


@dataclass
class Context:
    """Questions first, answers afterwards.

    Attributes:
        coq: whether Coq's kernel is asked about mechanisms too (it is slow); about general theorems
            it is asked in any case, where it is installed.
        largest: structures are enumerated up to this size.
    """

    coq: bool = False
    largest: int = 6
    _mechanisms: dict[int, Mechanism] = field(default_factory=dict)
    _claims: dict[int, list[Claim]] = field(default_factory=dict)
    _verified: dict[int, Verification] = field(default_factory=dict)
    _theorems: set[str] = field(default_factory=set)
    _accepted: dict[str, str] | None = None

    def announce(self, mechanism: Mechanism, claim: Claim | None) -> None:
        """A claim about a mechanism will be asked for; None: about its laws only."""
        key = id(mechanism)
        self._mechanisms[key] = mechanism
        wanted = self._claims.setdefault(key, [])
        if claim is not None and not any(claim is each for each in wanted):
            wanted.append(claim)

    def announce_theorem(self, name: str) -> None:
        """A theorem of the library will be asked for."""
        self._theorems.add(name)

    def prepare(self, tell: Tell = lambda _, __, ___: None) -> None:
        """Answer everything that was announced."""
        waiting = [key for key in self._mechanisms if key not in self._verified]
        total = len(waiting) + 1
        tell("asking Coq's kernel about the library", 0, total)
        self.theorem("")
        for done, key in enumerate(waiting):
            tell(f"verifying {self._mechanisms[key].name}", done + 1, total)
            self._verify(key)

    def _verify(self, key: int) -> Verification:
        if key not in self._verified:
            mechanism = self._mechanisms[key]
            asked = Mechanism(
                mechanism.name,
                title=mechanism.title,
                parameters=mechanism.parameters,
                table=mechanism.table,
                claims=self._claims[key],
                assuming=mechanism.assuming,
                origin=mechanism.origin,
            )
            self._verified[key] = verify(asked, self.largest, coq=self.coq)
        return self._verified[key]

    def verification(self, mechanism: Mechanism) -> Verification:
        """Everything found out about a mechanism."""
        return self._verify(id(mechanism))

    def verdicts(self, mechanism: Mechanism, claim: Claim | None) -> tuple[Verdict, ...]:
        """The verdicts on one announced claim; on the laws where it is None."""
        found = self._verify(id(mechanism)).verdicts
        if claim is None:
            return tuple(each for each in found if each.claim is None)
        position = next(i for i, c in enumerate(self._claims[id(mechanism)]) if c is claim)
        return tuple(each for each in found if each.claim == position)

    def theorem(self, name: str) -> str | None:
        """None where Coq's kernel accepted the theorem just now, else why it is not known."""
        if self._accepted is None:
            self._accepted = accepted_theorems(sorted(self._theorems))
        if not name:
            return None
        return self._accepted.get(name, "it was not announced")
