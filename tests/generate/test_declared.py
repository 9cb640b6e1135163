"""Small parameters are chosen where none are given."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.generate.declared import SOME_FUNCTION, file_of, made_at, sample_arguments
from ldp_verified.language import integer, load_protocol, real
from ldp_verified.language.protocol import Protocol, Round, Sends, x


def test_small_ones_are_chosen_and_given_ones_are_taken() -> None:
    found = sample_arguments(load_protocol("bitstogram"), {"bits": 3})
    assert found["bits"] == 3
    assert found["eps"] == 1.0
    assert found["T"] == 2
    assert found["h"] == SOME_FUNCTION
    with pytest.raises(ParameterError, match=r"--set: must name one of .*, got 'nothing'"):
        sample_arguments(load_protocol("bitstogram"), {"nothing": 3})


def test_bounds_are_kept() -> None:
    from ldp_verified.language import load

    (grr,) = load("grr")
    eps_, k = grr.parameters
    eps = real("eps", above=2, below=3)
    few = integer("few", at_least=0, at_most=1)
    sent = Sends(grr, of=x, at={eps_: eps, k: 2 + few})
    found = sample_arguments(Protocol("p", [eps, few], 2, [Round([sent])], eps), {})
    assert 2 < found["eps"] < 3
    assert found["few"] == 1


def test_an_object_is_made() -> None:
    made = made_at("prefix_extending", {"levels": 3})
    assert made.levels == 3
    assert made.group_count == 4
    assert file_of("prefix_extending").name == "prefix_extending.py"
    with pytest.raises(ParameterError, match="levels: must be integer levels >= 1, got 0"):
        made_at("prefix_extending", {"levels": 0})
