"""Values outside the domain that can occur: echoed, marked or refused they break the claim.

Null of the twins: a client that puts every unknown value in place of one that it knows keeps the
claim, level 1e-6 for each run, repeated where it alarms (1e-12).
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.audit.budget import Want
from ldp_verified.check.audit.rules.outside import LEAST, outside, wanted
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.isolated import asked_here
from ldp_verified.check.audit.targets.targets import Target, read_target
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.seeds import numpy_generator
from tests.broken.audit.randomizers import grr
from tests.cli.running import document, run

if TYPE_CHECKING:
    import numpy as np

K = 4


def echoed(value: int, rng: np.random.Generator) -> Any:
    """Sends a value that it does not know in clear."""
    return grr(value, K, 1.0, rng) if 0 <= value < K else value


def marked(value: int, rng: np.random.Generator) -> Any:
    """Sends one mark for all values that it does not know."""
    return grr(value, K, 1.0, rng) if 0 <= value < K else "other"


def refused(value: int, rng: np.random.Generator) -> Any:
    """Fails on a value that it does not know."""
    if not 0 <= value < K:
        raise ValueError("unknown")
    return grr(value, K, 1.0, rng)


def mapped(value: int, rng: np.random.Generator) -> Any:
    """Reports a value that it does not know as the last one: the clean twin."""
    return grr(min(max(value, 0), K - 1), K, 1.0, rng)


def found(client: Any, rng: np.random.Generator) -> list[Any]:
    ask = asked_here(lambda value: client(value, rng)).each
    seed = int(rng.integers(1 << 30))
    return outside(ask, range(K), (100, -7), Claim(1.0), seed, 8000)


@pytest.mark.parametrize("client", [echoed, marked, refused])
def test_a_value_that_the_output_gives_away(client: Any, rng: np.random.Generator) -> None:
    (finding,) = found(client, rng)
    assert (finding.rule, finding.violates) == ("LDP014", True)
    assert finding.replay == {"values": ["100", "-7"]}


def test_a_client_that_maps_unknown_values_is_clean(rng: np.random.Generator) -> None:
    assert found(mapped, rng) == [] or found(mapped, rng) == []


def test_the_warning_says_how_to_decide_and_the_option_decides(tmp_path: Path) -> None:
    saved = tmp_path / "finding.json"
    target = "tests.broken.audit.targets:unchecked"
    words = ["audit", target, "--epsilon", 1, "--inputs", "0..1", "-n", 8000, "--json"]
    warned = document(run(*words, "--level", "1e-9"))
    assert warned["exit_code"] in (0, 3)
    assert any("--outside" in each["message"] for each in warned["findings"])
    assert warned["skipped"]["LDP014"] == "is asked for by --outside"
    decided = document(run(*words, "--outside", "[1000000]", "--save", saved))
    assert decided["exit_code"] == 1
    assert "LDP014" in {each["rule"] for each in decided["findings"]}
    assert json.loads(saved.read_text())["target"]["outside"] == [1000000]


def test_without_checks_it_is_not_looked_at_and_says_so() -> None:
    target = "tests.broken.audit.targets:unchecked"
    words = [
        "audit",
        target,
        "--epsilon",
        1,
        "--inputs",
        "0..1",
        "-n",
        400,
        "--no-checks",
        "--json",
    ]
    assert document(run(*words))["skipped"]["LDP014"] == "is asked for by --outside"


def test_named_values_and_the_calls_for_them() -> None:
    target = Target("callable", "a:b", (0, 1), outside=(5, (1, 2)))
    assert read_target(json.loads(json.dumps(target.document()))) == target
    assert isinstance(wanted(2), Want)
    assert wanted(2).least == 2 * wanted(1).least
    with pytest.raises(ParameterError, match="--outside"):
        Target("program", "a", (0, 1), outside=(5,))


def test_half_an_echo_is_seen_with_the_fewest_calls() -> None:
    """Half of them show some 125 echoes against none: at 1e-6 the bound is about 2."""
    rng = numpy_generator(secrets.randbits(64), "half")

    def one(value: int) -> int:
        if value < K:
            return grr(value, K, 1.0, rng)
        return value if rng.random() < 0.5 else int(rng.integers(K))

    (found,) = outside(lambda values: [one(v) for v in values], (0, 1), (7,), Claim(1.0), 1, LEAST)
    assert found.rule == "LDP014"
