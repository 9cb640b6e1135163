"""`--as gaussian` without a sigma: what is fitted, what is refused, what counts could not show.

The fit has level 1e-6. Of 100,000 residuals the limits of `a` are 0.06 apart from it on either
side; the planted claims miss theirs by 0.08 or more.
"""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.analysis.account.gaussian import gaussian_delta
from ldp_verified.check.audit.rules.gaussian import delta_of, fit, judged
from ldp_verified.check.audit.run import Claim
from ldp_verified.errors import ParameterError
from tests.broken.audit.normal import CLASSICAL, DELTA, ENOUGH, EPSILON
from tests.cli.running import document, run

HOME = "tests.broken.audit.normal:"
CLAIM = Claim(EPSILON, DELTA)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("a", [0.1, 1.0, 4.0])
def test_delta_is_that_of_the_accountant(epsilon: float, a: float) -> None:
    assert delta_of(epsilon, a) == pytest.approx(gaussian_delta(epsilon, 1 / a), rel=1e-9)
    assert delta_of(epsilon, 0.0) == 0.0


@pytest.mark.parametrize(
    ("sigma", "rules"), [(CLASSICAL * 0.95, ["LDP016"]), (ENOUGH, []), (2.0, [])]
)
def test_the_fit_decides_what_counts_cannot(sigma: float, rules: list[str]) -> None:
    """A fixed seed: normal noise is taken for something else in 2 of 10,000 fits."""
    rng = np.random.default_rng(42)
    inputs = rng.integers(0, 2, size=100_000)
    found = fit(inputs, inputs + rng.normal(0.0, sigma, size=100_000), 2)
    assert found.wrong == ""
    assert found.lower < 1 / sigma < found.upper
    findings, notes = judged(found, CLAIM, (0, 1), 100_000)
    assert [each.rule for each in findings] == rules
    (words,) = [*(each.message for each in findings), *notes]
    assert "assumed" in words
    if rules:
        assert "cannot be decided by counts at this n" in words
    else:
        assert "counts can show no violation at any n" in words
        assert "the claim holds" in words


def test_what_is_not_normal_is_refused(rng: np.random.Generator) -> None:
    """Each departure is missed with probability far below 1e-9 at 20,000 samples."""
    inputs = rng.integers(0, 3, size=20_000)
    for noise, said in (
        (rng.laplace(0.0, 0.3, size=20_000), "kurtosis"),
        (rng.normal(0.0, 0.3, size=20_000) * (1 + (inputs == 2)), "noise"),
        (rng.integers(-3, 4, size=20_000) / 10, "values only"),
    ):
        findings, notes = judged(fit(inputs, inputs + noise, 3), CLAIM, (0, 1, 2), 20_000)
        assert findings == []
        assert "not normal" in notes[0]
        assert said in notes[0]


def test_what_cannot_be_fitted_is_an_error() -> None:
    inputs = np.arange(200) % 2
    for outputs in (np.zeros(200), np.full(200, np.nan)):
        with pytest.raises(ParameterError, match="--as gaussian"):
            fit(inputs, outputs, 2)
    with pytest.raises(ParameterError, match="50 of each input"):
        fit(inputs[:90], np.random.default_rng(1).normal(size=90), 2)


def test_the_command_says_what_it_assumes() -> None:
    options = ["--epsilon", EPSILON, "--delta", DELTA, "--inputs", "0,1", "--as", "gaussian"]
    options += ["-n", 40_000, "--no-checks", "--json"]
    # Normal noise is taken for something else with a chance of 2e-4.
    runs = (document(run("audit", f"{HOME}far_too_little", *options)) for _ in range(4))
    found = next(each for each in runs if each["exit_code"] != 3)
    assert (found["exit_code"], found["findings"][0]["rule"]) == (1, "LDP016")
    found = document(run("audit", f"{HOME}heavy", *options))
    assert found["exit_code"] == 3
    assert "LDP016" not in found["skipped"]
    found = document(run("audit", "tests.broken.audit.ending:told", *options, "--inputs", "0..3"))
    assert found["exit_code"] in (2, 3)  # four values only: no normal noise
    found = document(run("audit", f"{HOME}enough", *options, "--anytime"))
    assert found["error"]["argument"] == "--as gaussian"
