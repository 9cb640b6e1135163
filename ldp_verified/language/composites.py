"""Composites: mechanisms made of others for which no table form is written out.

Their epsilon follows from the epsilons that their parts claim, by a theorem that is proved once for
all randomizers (`proofs/lib/Combine.v`). What such an epsilon is worth is what the claims of the
parts are worth: `ldp_verified.prove.verify_composite` looks at those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.declarations import note
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.names import check_word
from ldp_verified.language.parameters import Domain
from ldp_verified.language.privacy import LDP

THEOREMS = {
    "together": "LDP.Combine.compose_ldp",
    "alongside": "LDP.Combine.parallel_ldp",
    "public": "LDP.Combine.mixture_ldp",
    "then": "LDP.Combine.post_ldp",
    "encoded": "LDP.Combine.encode_first_ldp",
}
"""Combinator -> the theorem of Coq from which its epsilon follows."""


@dataclass(frozen=True)
class Composite:
    """Several mechanisms combined.

    An upper bound on epsilon, never claimed to be tight. Parameters of the parts that have the same
    name are the same, so they have the same domain, assumptions included.

    Attributes:
        name: an identifier.
        combinator: "together": one report of each on the same value, each perhaps chosen in view of
            those before; epsilons add up. "alongside": one report of each on attributes of their
            own, for two users who differ in one attribute; the largest. "public": a public choice
            of one of them, on the same value or on attributes of their own; the largest. "then":
            any further processing of the one part's reports; its epsilon. "encoded": the one part
            on any function of the value; its epsilon.
        parts: the mechanisms, each with an `LDP` claim without delta.
    """

    name: str
    combinator: str
    parts: tuple[Mechanism, ...]

    def __post_init__(self) -> None:
        """Check the combinator and the parts.

        Raises:
            SpecError: an unknown combinator, a number of parts that it does not take, a part that
                claims no epsilon, or parts that let one parameter range over different domains.
        """
        object.__setattr__(self, "parts", tuple(self.parts))
        check_word("name", self.name)
        if self.combinator not in THEOREMS:
            raise SpecError("combinator", f"must be one of {', '.join(THEOREMS)}", self.combinator)
        single = self.combinator in ("then", "encoded")
        if (len(self.parts) != 1) if single else (len(self.parts) < 2):
            rule = "must be one mechanism" if single else "must be two or more mechanisms"
            raise SpecError("parts", rule, len(self.parts))
        ranges: dict[str, Domain] = {}
        for part in self.parts:
            self._claim(part)
            for parameter, domain in part.domains.items():
                # What is proved of a part holds on its own domain only.
                if ranges.setdefault(parameter.name, domain) != domain:
                    both = [d.describe(parameter.name) for d in (ranges[parameter.name], domain)]
                    rule = f"must give {parameter.name} one domain, assumptions included"
                    raise SpecError("parts", rule, " and ".join(both))
        note(self)

    @staticmethod
    def _claim(part: Mechanism) -> LDP:
        """The first `LDP` claim without delta."""
        for claim in part.claims:
            if isinstance(claim, LDP) and claim.delta == 0:
                return claim
        raise SpecError("parts", "must claim LDP(epsilon) each", part.name)

    @property
    def theorem(self) -> str:
        """The theorem, by its name in Coq."""
        return THEOREMS[self.combinator]

    @property
    def epsilon(self) -> Any:
        """The epsilon of the whole, as an expression in the parameters of the parts."""
        symbols = {p.name: p for part in reversed(self.parts) for p in part.parameters}
        each = [
            self._claim(part).epsilon.xreplace({p: symbols[p.name] for p in part.parameters})
            for part in self.parts
        ]
        return sympy.Add(*each) if self.combinator == "together" else sympy.Max(*each)

    @property
    def claims(self) -> tuple[tuple[Mechanism, int], ...]:
        """(part, position of the claim that the epsilon rests on)."""
        return tuple((part, part.claims.index(self._claim(part))) for part in self.parts)
