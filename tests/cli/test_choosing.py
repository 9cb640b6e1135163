"""`choose` ranks by what it is asked to."""

from __future__ import annotations

import pytest

from ldp_verified import CMS, OUE
from ldp_verified.deploy.collect.choose import makers
from ldp_verified.deploy.collect.plan import users_for_error, users_for_quantile
from tests.cli.running import document, run

BASE = ("choose", "--k", 1000, "--epsilon", 1, "--n", "1e5")


@pytest.mark.parametrize(
    ("by", "key"),
    [("worst", "std_error_worst"), ("rare", "std_error_rare"), ("bits", "bits_per_report")],
)
def test_the_ranking_is_sorted(by: str, key: str) -> None:
    found = document(run(*BASE, "--by", by, "--json"))
    values = [row[key] for row in found["ranking"]]
    assert len(values) >= 5
    assert values == sorted(values)
    assert found["n"] == 100_000


def test_the_budget_leaves_out_large_reports() -> None:
    found = document(run(*BASE, "--bits-budget", 32, "--json"))
    assert {row["mechanism"] for row in found["left_out"]} >= {"sue", "oue"}
    assert all(row["bits_per_report"] <= 32 for row in found["ranking"])
    text = run(*BASE, "--bits-budget", 32).stdout
    assert "oue left out: a report has 1,000 bits" in text


def test_server_steps() -> None:
    rows = {r["mechanism"]: r["server_steps"] for r in document(run(*BASE, "--json"))["ranking"]}
    assert rows["grr"] == 100_000 + 1000
    assert rows["oue"] == 100_000 * 16
    assert rows["olh"] == 100_000 * 1000
    assert rows["hadamard_response"] == 100_000 + 1024 * 2 * 10  # 10 passes over 1024 counters
    assert rows["hash_cohorts"] == 100_000 + 3**8 * 3 * 8  # 3^7 functions with 3 buckets each


def test_figures_that_are_the_same_are_shown_once() -> None:
    found = document(run(*BASE, "--json"))
    assert found["same_figures"]["keep_or_uniform"] == "grr"
    assert "keep_or_uniform" not in {row["mechanism"] for row in found["ranking"]}
    shown = run(*BASE).stdout
    assert shown.count("keep_or_uniform") == shown.count("grr (also keep_or_uniform) ") == 1
    assert shown.count("histogram_rr") == shown.count("sue (also histogram_rr) ") == 1


def test_a_plan_shows_figures_that_are_the_same_once() -> None:
    """The table named one randomizer twice, as the best one and as the second."""
    shown = run("choose", "--k", 40, "--epsilon", 1, "--target-error", 0.02).stdout
    assert shown.count("histogram_rr") == shown.count("sue (also histogram_rr) ") == 1
    assert "with sue." in shown


@pytest.mark.parametrize("asked", [(), ("--target-error", 0.02)])
def test_what_stands_below_the_table_is_about_its_columns(asked: tuple[object, ...]) -> None:
    """Each line below the heading begins with the title of a column."""
    above, _, below = run("choose", "--k", 40, "--epsilon", 1, *asked).stdout.partition(
        "What the columns mean"
    )
    explained = [line.partition(":")[0].strip() for line in below.splitlines() if line[:2] == "  "]
    assert explained
    assert all(title in above for title in explained)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("choose", "--k", 10, "--epsilon", -1), "epsilon"),
        (("choose", "--k", 10, "--epsilon", 1, "--bits-budget", 1), "must be at least 4"),
        (("choose", "--k", 10, "--epsilon", 1, "--n", "0.5"), "--n: must be a whole number"),
        (("choose", "--k", 10), "--epsilon: must be given"),
        (("choose", "--k", 10, "--epsilon", 1, "--target-error", 0), "--target-error: must be"),
        (("choose", "--k", 10, "--epsilon", 1, "--detect-share", 2), "--detect-share: must be"),
        (("choose", "--k", 10, "--epsilon", 1, "--zipf", -1), "--zipf: must be a number in 0..10"),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 0.1, "--zipf", 1),
            "--zipf: must be left out",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 0.1, "--bits-budget", 1),
            "--bits-budget: must be at least 4",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 0.1, "--quantile", 1),
            "--quantile: must be",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--detect-share", 0.1, "--quantile", 0.5),
            "--quantile: goes with --target-error only",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--share", 0.1),
            "--share: goes with --target-error",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 1),
            "--target-error: must be a share",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--n", 5, "--target-error", 0.1),
            "--epsilon: with --target-error give --epsilon (to learn how many users) or --n",
        ),
        (("choose", "--k", 10, "--target-error", 0.1), "give --epsilon (to learn how"),
        (("choose", "--k", 9, "--detect-share", 0.1), "--epsilon: with --detect-share give"),
        (
            ("choose", "--k", 9, "--n", 5, "--detect-share", 0.1, "--target-error", 0.1),
            "--target-error: give exactly one of --target-error (how close must a share be?) and",
        ),
        (
            ("choose", "--k", 9, "--epsilon", 1, "--target-error", 2, "--quantile", 0.5),
            "--target-error: must be a share",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 0.1, "--level", 1),
            "--level: must be",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--target-error", 0.1, "--share", 2),
            "--share: must be",
        ),
        (
            ("choose", "--k", 10, "--epsilon", 1, "--detect-share", 0.1, "--share", 0.2),
            "--share: goes with --target-error only",
        ),
    ],
)
def test_bad_input(arguments: tuple[object, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_sketches_are_ranked_at_sizes_that_are_stated() -> None:
    found = document(run(*BASE, "--json"))
    rows = {r["mechanism"]: r for r in found["ranking"]}
    assert (rows["cms"]["bits_per_report"], rows["hcms"]["bits_per_report"]) == (16 + 1024, 27)
    assert rows["cms"]["server_steps"] == 100_000 * 16 + 65_536 * 1000
    assert rows["hcms"]["server_steps"] == 100_000 + 65_536 * (1024 * 2 * 10 + 1000)
    made = CMS(1.0, 1000, 1024, 65_536)
    assert rows["cms"]["std_error_rare"] == pytest.approx(made.variance(100_000) ** 0.5)
    assert sorted(found["notes"]) == ["cms", "hcms"]
    text = " ".join(run(*BASE).stdout.split())
    assert "cms, hcms: 1,024 buckets and 65,536 rows drawn once" in text
    # A server has counters for every row: `collect` takes sketches at no sizes of its own.
    assert {"cms", "hcms"}.isdisjoint(makers())


@pytest.mark.parametrize(
    "asked", [("--epsilon", 1, "--target-error", 0.02), ("--n", "1e5", "--target-error", 0.02)]
)
def test_users_and_epsilon_for_an_error(asked: tuple[object, ...]) -> None:
    found = document(run("choose", "--k", 40, *asked, "--json"))
    assert "within 0.02" in found["question"]
    rows = {row["mechanism"]: row for row in found["plans"]}
    assert rows["cms"]["theorem"] == "Chebyshev"
    made = OUE(rows["oue"]["epsilon"], 40)
    assert rows["oue"]["users"] == users_for_error(made, 0.02).users
    key = "users" if "--epsilon" in asked else "epsilon"
    values = [row[key] for row in found["plans"]]
    assert values == sorted(values)
    text = " ".join(run("choose", "--k", 40, *asked).stdout.split())
    assert "by normal approximation" in text
    assert f"{rows['oue']['users']:,}" in text


def test_users_that_see_a_rare_value() -> None:
    asked = ("choose", "--k", 40, "--epsilon", 1, "--detect-share", 0.01)
    found = document(run(*asked, "--bits-budget", 16, "--json"))
    assert {"grr", "olh"} <= {row["mechanism"] for row in found["plans"]}
    assert all(row["bits_per_report"] <= 16 for row in found["plans"])
    assert "a share 0.01 holds is above" in found["question"]


def test_users_for_a_median_and_the_epsilon_for_a_rare_value() -> None:
    found = document(
        run(
            "choose", "--k", 16, "--epsilon", 1, "--target-error", 0.05, "--quantile", 0.5, "--json"
        )
    )
    assert "under which a share 0.5 of the users lies" in found["question"]
    rows = {row["mechanism"]: row for row in found["plans"]}
    assert rows["oue"]["users"] == users_for_quantile(OUE(1.0, 16), 0.05).users
    text = run("choose", "--k", 16, "--n", "1e5", "--detect-share", 0.05).stdout
    assert "A value that a share 0.05 holds is above" in " ".join(text.split())


def test_a_method_that_makes_counts_consistent_is_recommended() -> None:
    asked = ("choose", "--k", 30, "--epsilon", 1, "--n", 3000, "--zipf", 1.5)
    found = document(run(*asked, "--json"))["consistency"]
    methods = {row["method"]: row["rms"] for row in found["methods"]}
    assert found["least"] == min(methods, key=lambda name: methods[name])
    assert methods["norm-sub"] < methods["raw"]
    text = " ".join(run(*asked).stdout.split())
    assert f'Least error: estimate.consistent("{found["least"]}").' in text


def test_where_nothing_is_enough_it_is_said() -> None:
    found = run("choose", "--k", 40, "--epsilon", 0.01, "--target-error", 0.0001)
    assert found.exit_code == 1
    text = " ".join(found.stdout.split())
    assert "Nothing does this: no number of users up to 10,000,000,000 is enough" in text
    found = run("choose", "--k", 40, "--n", 10, "--target-error", 0.0001)
    assert found.exit_code == 1
    assert "no epsilon up to 16 is enough" in " ".join(found.stdout.split())


def test_the_answer_comes_before_the_table() -> None:
    asked = ("choose", "--k", 40, "--epsilon", 1, "--target-error", 0.02)
    text, found = run(*asked).stdout, document(run(*asked, "--json"))
    best = found["plans"][0]
    assert found["answer"] == f"The fewest users are {best['users']:,}, with {best['mechanism']}."
    assert text.index(found["question"]) < text.index(found["answer"]) < text.index("mechanism  ")
    found = document(run("choose", "--k", 40, "--n", "1e5", "--target-error", 0.02, "--json"))
    assert found["answer"].startswith("The least epsilon is ")
