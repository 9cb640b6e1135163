"""The short form of the campaign: nothing accepted, nothing lost, no error of another's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.campaign import texts
from tests.campaign.whole import SHORT, parts

if TYPE_CHECKING:
    import numpy as np


def test_the_short_campaign_finds_nothing(seed: int) -> None:
    outcomes = list(parts(seed, SHORT))
    assert [line for outcome in outcomes for line in outcome.shown] == []
    for outcome in outcomes:
        assert outcome.tried > 0, outcome.line()
        alone = outcome.name in ("threads", "counters in threads", "forks", "kills")
        assert alone or outcome.refused > 0, outcome.line()


def _anything(data: bytes) -> bytes:
    return data


def _nothing(data: bytes) -> Any:
    raise ValueError(data)


@pytest.mark.parametrize(
    ("read", "kinds"), [(_anything, {"accepted"}), (_nothing, {"lost", "foreign"})]
)
def test_readers_that_take_damage_or_refuse_all_are_seen(
    read: Any, kinds: set[str], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "kept", lambda _: {"planted": [(b"whole", read)]})
    (outcome,) = texts.formats(rng, 20, Path("unused"))
    assert set(outcome.failures) == kinds
