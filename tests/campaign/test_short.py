"""The short form of the campaign: nothing accepted, nothing lost, no error of another's."""

from __future__ import annotations

from tests.campaign.whole import SHORT, parts


def test_the_short_campaign_finds_nothing(seed: int) -> None:
    outcomes = list(parts(seed, SHORT))
    assert [line for outcome in outcomes for line in outcome.shown] == []
    for outcome in outcomes:
        assert outcome.tried > 0, outcome.line()
        alone = outcome.name in ("threads", "counters in threads", "forks", "kills")
        assert alone or outcome.refused > 0, outcome.line()
