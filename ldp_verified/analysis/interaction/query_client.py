"""One user's device answers one statistical query, with one report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.interaction.plan import LocalQueries
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.analysis.interaction.asking import Function
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng


class QueryClient:
    """A device that answers the query of its group, once.

    Whether it answers depends on the number of the query alone. A function that fails on the
    record, or says something out of bounds, is answered all the same, with the middle or the nearer
    bound as the value. A refusal would tell the server about the record. So nothing that is raised
    while the function runs gets out, neither `SystemExit` nor a `KeyboardInterrupt`: one from a
    keyboard looks like one that the function raised, and has to be repeated.

    What functions a device runs at all is for the deployment to say. Not covered are their running
    time, one that never ends, one that ends or kills the process itself (`os._exit`), and what it
    prints, writes or sends.

    Args:
        plan: of the queries. group: of the user, by the public order; 0..queries-1.
        record: of the user.
        rng: None for the secure source; a seed or a generator is for simulation.

    Raises:
        ParameterError: no such group, or `rng` is something else.
    """

    def __init__(self, plan: LocalQueries, group: int, record: Any, rng: Rng = None) -> None:
        check_kind("plan", plan, LocalQueries)
        self.plan = plan
        self.group = check_integer("group", group, 0, plan.queries - 1)
        self.answered = False
        self._record = record
        self._source = word_source(rng, "query client", *plan.randomizer.identity.named)

    @property
    def spent(self) -> float:
        """The epsilon that the user has spent."""
        return self.plan.randomizer.realized_epsilon if self.answered else 0.0

    def answer(self, number: int, function: Function) -> Reports:
        """Draw the report on one query.

        Args:
            number: of the query; that of the user's group. function: of a record.

        Raises:
            ParameterError: another group's query, or one was answered before. Neither depends on
                the record.
        """
        if number != self.group:
            raise ParameterError(
                "number", f"must be that of the user's group, {self.group}", number
            )
        if self.answered:
            raise ParameterError("answer", "must be called once: one report has all of epsilon")
        self.answered = True
        return self.plan.randomizer.privatize(self._value(function), self._source)

    def _value(self, function: Function) -> Any:
        low, high = self.plan.bounds
        shape = () if self.plan.d is None else (self.plan.d,)
        middle = low + (high - low) / 2
        try:
            found = np.broadcast_to(np.asarray(function(self._record), dtype=np.float64), shape)
        except BaseException:  # also what ends programs: only some records may raise it
            found = np.full(shape, middle)
        return np.clip(np.where(np.isnan(found), middle, found), low, high)
