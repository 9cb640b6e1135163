"""The sign-matrix frequency oracle: one bit a user, for domains of up to 128 bits.

Declared in `spec/protocols/sign_matrix.py`. The column of user i is AES-256 of the number i under a
public key: 128 bits a, and the sign of the value x is the parity of a & x. Over uniform columns the
signs of two different values are independent, which is what unbiased estimates and their variance
rest on; that the cipher's columns are as good is assumed. Privacy rests on nothing of the kind.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ReportError, check_kind
from ldp_verified.protocols.hashed_values import HashedValues, SampledOracle, several
from ldp_verified.protocols.one_report import OnceClient
from ldp_verified.protocols.planned import Planned, share_of
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.kept import KeptReports, refuse_repeated
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.reports import SentReports
from ldp_verified.run.kernels.keyed import keyed_blocks
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import parities
from ldp_verified.run.program.aes import encrypted
from ldp_verified.run.program.sign_columns import sign_of_column
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.report_rows import checked_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.value_types import UserValues

    Rng = SupportsIndex | np.random.Generator | WordSource | None
    Unsigned = NDArray[np.unsignedinteger[Any]]
    Words = NDArray[np.uint64]

LARGEST_NUMBER = (1 << 63) - 1


@dataclass(frozen=True, eq=False, repr=False)
class SignReports(SentReports):
    """Reports of users, each with a public number of their own.

    Attributes:
        identity: the protocol, its parameters and thresholds. numbers: uint64 (n,), all different.
        signs: uint8 (n,), 0 for +1 and 1 for -1.
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    numbers: NDArray[np.uint64]
    signs: NDArray[np.uint8]
    simulated: bool

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class SignMatrix(Planned, HashedValues):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's report, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        seed: from which the key of the columns is made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    seed: int = 0

    searches: ClassVar[bool] = False
    law_sha256: ClassVar[str] = "a40a11f70e5e5a5c0e9787ba3300a56e2d20dca29abbd29e043848bb2935559c"

    def __post_init__(self) -> None:
        """Check the parameters."""
        self._check_values()
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_NUMBER))
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"seed": self.seed}

    @property
    def buckets(self) -> int:
        """The number g of buckets, the two signs."""
        return 2

    @property
    def bits_per_report(self) -> int:
        """Bits that a user sends: the number and the sign."""
        return (LARGEST_NUMBER - 1).bit_length() + 1

    @cached_property
    def _key(self) -> bytes:
        return hashlib.sha256(b"ldp_verified sign matrix %d" % self.seed).digest()

    def columns(self, numbers: NDArray[np.uint64]) -> Words:
        """The columns of users, uint64 (n, 2)."""
        return keyed_blocks(self._key, numbers)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integers that words are compared with."""
        return self._randomizer.thresholds

    def program(self) -> Program:
        """The program of a client in another language, which draws its user's number itself.

        Numbers are uniform: two of n users share one with a chance below n^2/2^64, and a state
        refuses the second one. A value is an integer below 2^bits; a string is one of 128 bits,
        `wide_values.encode_texts` says which.
        """
        lie = self.thresholds[0]
        key = self._key
        return sign_of_column("sign_matrix", self.width, lie, lambda number: encrypted(key, number))

    def reports_of(self, numbers: object, simulated: bool = False) -> SignReports:
        """The reports that programs gave as numbers, for a state to check and count.

        Args:
            numbers: integers of shape (n, 2), the public number and the sign of each user, 0 or 1.
                simulated: whether a seed drew them.

        Raises:
            ReportError: there are not as many numbers, or a sign is none. ParameterError:
                `simulated` is no bool.
        """
        rows = checked_rows(numbers, 2, simulated)
        if len(rows) and int(rows[:, 1].max()) > 1:
            raise ReportError("signs", "must be 0 or 1", int(rows[:, 1].max()))
        signs = rows[:, 1].astype(np.uint8)
        return SignReports(self.identity, rows[:, 0].copy(), signs, simulated)

    def influence(self) -> Influence:
        """Return what a report, honest or not, can add to a value's estimated count: attained."""
        weight = Fraction(1, 2) / (self._randomizer.p - Fraction(1, 2))
        return Influence(-weight, weight)

    def detectable_share(self, n: int, miss: float = 1e-3, candidates: int = 1) -> float:
        """A share at which a candidate stands out from those that nobody holds.

        By Bernstein's inequality, where the matrix's signs are independent; `inf` where no share is
        enough.

        Args:
            n: users. miss: the chance of an error. candidates: how many values are looked up.

        Raises:
            ParameterError: n or candidates is no positive integer, or miss is not in (0, 1).
        """
        users = self.check_plan(n, miss)
        check_integer("candidates", candidates, 1, 1 << 128)
        alarm = self.false_alarm(users, candidates, miss / 2)
        worst = max(self.variance_absent, self.variance_held)
        return share_of((alarm + self._deviation(users, worst, miss / 2)) / users)

    def client(self, number: int, rng: Rng = None, book: SpendingBook | None = None) -> SignClient:
        """The side of the user who has this public number.

        Args:
            number: the user's public number.
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return SignClient(self, number, rng, book)

    def privatize(self, values: UserValues, rng: Rng = None, *, first: int = 0) -> SignReports:
        """One report for each of several users, with the numbers first, first + 1, ...

        Args:
            values: strings, or integers where `bits` was given. rng: None for the secure source; a
                seed or generator is for simulation, and marks the reports.
            first: the number of the first user.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: another argument is something else.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(self.encode(values), first, source)

    def simulate(
        self, values: object, counts: object, rng: Rng = None, *, first: int = 0
    ) -> SignReports:
        """The reports of a population, without a loop over users.

        Args:
            values: the distinct values, as in `privatize`. counts: how many users hold each.
            rng, first: as in `privatize`.

        Raises:
            DomainError: as in `privatize`. ParameterError: counts that do not fit, too.
        """
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(self.population(values, counts), first, source)

    def _reports(self, encoded: Words, first: object, source: WordSource) -> SignReports:
        if len(encoded) == 0:
            raise DomainError("values", "must be one value or more")
        numbers = numbers_from(first, len(encoded))
        signs = self.draw_signs(numbers, encoded, source)
        return SignReports(self.identity, numbers, signs, source.simulated)

    def draw_signs(
        self, numbers: NDArray[np.uint64], encoded: Words, source: WordSource
    ) -> NDArray[np.uint8]:
        """Draw what users with these numbers and encoded values send, uint8 (n,)."""
        own = parities(self.columns(numbers), encoded)
        drawn = self._randomizer.sampler().draw(own, source).reshape(len(numbers))
        return drawn.astype(np.uint8)


def numbers_from(first: object, n: int) -> NDArray[np.uint64]:
    """The public numbers of n users, uint64 (n,): first, first + 1, ...

    Raises:
        ParameterError: `first` is no integer, or some number is none.
    """
    begin = check_integer("first", first, 0, LARGEST_NUMBER - n)
    return np.arange(begin, begin + n, dtype=np.uint64)


class SignClient(OnceClient[SignMatrix, SignReports]):
    """One user's side of the protocol: it reports once. See `OnceClient`.

    Args:
        protocol: the parameters. number: the user's own, public, and not chosen by the value.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: a bad argument.
    """

    of = SignMatrix

    def __init__(
        self,
        protocol: SignMatrix,
        number: int,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        self.number = check_integer("number", number, 0, LARGEST_NUMBER - 1)
        super().__init__(protocol, rng, book)

    @property
    def _price(self) -> tuple[float, str]:
        return self.protocol.epsilon, f"SignMatrix, number {self.number}"

    def _checked(self, value: Any) -> NDArray[np.uint64]:
        return self.protocol.encode([value], "value")

    def _drawn(self, checked: NDArray[np.uint64]) -> SignReports:
        return self.protocol._reports(checked, self.number, self._source)


class SignState(KeptReports):
    """Reports that were seen: numbers and signs, 9 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: SignMatrix, simulated: bool = False) -> None:
        check_kind("protocol", protocol, SignMatrix)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.protocol.identity

    @property
    def n(self) -> int:
        """The number of reports seen."""
        return self.rows

    def _none(self) -> tuple[Unsigned, ...]:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint8)

    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        self._require_shapes(("numbers", "signs"), columns)
        numbers, signs = columns
        if len(signs) and int(signs.max()) > 1:
            raise ReportError("signs", "must be 0 or 1", int(signs.max()))
        if len(numbers) and int(numbers.max()) >= LARGEST_NUMBER:
            raise ReportError("numbers", "must be below 2^63 - 1", int(numbers.max()))
        return numbers.copy(), signs.copy()

    def _refuse_together(self, parts: Sequence[tuple[Unsigned, ...]]) -> None:
        refuse_repeated([numbers for numbers, _ in parts])

    def update(
        self, reports: SignReports, batch: str | None = None, repeated: str = "refuse"
    ) -> SignState:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Args:
            reports: of this protocol. batch, repeated: as in `State.update`.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: the batch was counted already.
            ReportError: they belong to another protocol or parameters, are malformed, a user
                reports twice, or they are simulated while others are real.
        """
        origin = self._require_own(reports, SignReports)
        self._add((reports.numbers, reports.signs), origin, batch, repeated)
        return self

    def estimate(self, values: object) -> Estimate:
        """Unbiased counts of any values that are fixed before the reports are looked at.

        Args:
            values: several values of the domain, each once, public ones.

        Raises:
            DomainError: one is none of the domain, or there are none.
            ParameterError: one stands there twice.
            ReportError: no report has been seen.
        """
        listed = several(values)
        encoded = self.protocol.encode(listed)
        check_each_once(listed)
        numbers, signs = self.columns
        n = len(numbers)
        if n == 0:
            raise ReportError("state", "must hold reports", 0)
        columns = self.protocol.columns(numbers)
        counted = [np.count_nonzero(parities(columns, value) == signs) for value in encoded]
        oracle = SampledOracle(self.protocol, n, n, len(listed))
        return Estimate(oracle, n, np.array(counted, dtype=np.int64), bool(self.simulated), listed)
