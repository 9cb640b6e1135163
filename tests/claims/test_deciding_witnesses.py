"""Every refutation of the register, its witness evaluated again from what is printed of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.report.claims import as_markdown
from ldp_verified.check.claims import Context, Reading, RulingKind, chosen, load_documents
from tests.broken.claims import TWINS
from tests.claims.witnesses import shows

PAGE = Path(__file__).resolve().parents[2] / "CLAIMS.md"


def refuted() -> list[tuple[str, Reading]]:
    """The readings and corrections that CLAIMS.md calls refuted, with their ids."""
    page = PAGE.read_text(encoding="utf-8")
    found = []
    for _, _, entry in chosen(load_documents(), []):
        start = page.index(f"**{entry.id}** ")
        own = page[start : page.find("\n\n**", start)]
        for part in entry.parts:
            found += [
                (entry.id, reading)
                for reading in (*part.readings, *part.corrections)
                if any(
                    as_markdown(f"- {before}{reading.statement}: ") + "**refuted" in own
                    for before in ("", "reading: ", "corrected: ")
                )
            ]
    return found


def test_every_refutation_is_one_when_evaluated_again() -> None:
    readings = refuted()
    page = PAGE.read_text(encoding="utf-8")
    assert len(readings) == page.count("**refuted ") >= 25
    context = Context()
    for _, reading in readings:
        reading.check.announce(context)
    context.prepare()
    for name, reading in readings:
        ruling = reading.check.decide(context)
        assert ruling.kind is RulingKind.REFUTED, (name, reading.words)
        assert ruling.witness is not None
        assert shows(reading.check, ruling.witness), (name, reading.words, ruling.witness)


@pytest.mark.parametrize(
    "twin", ["A9 at 3 gamma", "A8 with half of the error", "E7 with half of the noise"]
)
def test_a_witness_that_was_tampered_with_shows_nothing(twin: str) -> None:
    check = TWINS[twin]()
    check.announce(context := Context())
    witness = check.decide(context).witness
    assert witness is not None
    assert shows(check, witness)
    places = {"gamma": "1/1000000", "n": "1", "delta": "999/1000", "d": "999/1000"}
    moved = {k: places.get(k, v) for k, v in witness.parameters.items()}
    assert moved != witness.parameters
    object.__setattr__(witness, "parameters", moved)
    try:
        assert not shows(check, witness)
    except AssertionError:
        # The printed probabilities are not those of the table there.
        assert twin == "A9 at 3 gamma"
