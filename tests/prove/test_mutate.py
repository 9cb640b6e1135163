"""The mutation matrix: what it plants, whom it credits, and that it can fail."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Design,
    Matrix,
    Mechanism,
    Singletons,
    Unbiased,
    Variance,
    exp,
    load,
    n,
    real,
)
from ldp_verified.prove.mutation.expression_changes import variant
from ldp_verified.prove.mutation.mutants import Mutant, mutants
from ldp_verified.prove.mutation.mutate import Judged, MutationReport, equivalent, matrix
from ldp_verified.prove.routes import (
    Checker,
    Opinion,
    RouteSubject,
    certificate,
    checkers,
    coq,
    coq_library,
    enumeration,
    smt,
)

PROOFS = Path(__file__).parents[2] / "proofs"
SPECS = ("grr", "oue", "olh")

eps = real("eps", above=0)
u = exp(eps)
s = exp(eps / 2)


def catalogue(name: str) -> Mechanism:
    return next(m for m in load(name) if m.name == name)


def short_checkers() -> dict[str, Checker]:
    return {**checkers(3), "enumeration": enumeration(3, 5)}


def accepts_all(_: RouteSubject) -> Opinion:
    return Opinion(True)


def rejects_all(_: RouteSubject) -> Opinion:
    return Opinion(False, "no")


def knows_nothing(_: RouteSubject) -> Opinion:
    return Opinion(None, "no idea")


@pytest.mark.parametrize("name", SPECS)
def test_every_wrong_variant_is_rejected_by_two_independent_routes(name: str) -> None:
    """One variant of every kind, structures up to 3 (and 5 where nothing is found).

    Wrong counts that the claims follow escape certificate and solver, which inherit them; the two
    that read the structure see them.
    """
    report = matrix([catalogue(name)], short_checkers(), each=1)
    missed = [(one.mutant.name, one.rejected_by) for one in report.insufficient]
    assert not missed
    assert report.holds
    assert not report.too_strict
    assert not report.unaccepted
    planted = {
        "swap",
        "exponent",
        "term",
        "epsilon",
        "variance",
        "estimator",
        "singularity",
        "text",
    }
    counts = {"multiplicity", "lambda", "consistent multiplicity", "consistent lambda"}
    counts |= {"parameter"}
    more = {
        "oue": {"optimum"},
        "grr": counts | {"comparison"},
        "olh": counts | {"optimum"},
    }
    assert {one.mutant.kind for one in report.wrong} == planted | more[name]
    for one in report.unseen_by_algebra:
        assert one.mutant.kind.startswith("consistent")
        assert one.opinions["certificate"].accepts
        assert one.routes == {"enumeration", "identities"}
    assert bool(report.unseen_by_algebra) is (name != "oue")


@pytest.mark.parametrize(
    "kept", [("certificate",), ("certificate", "smt"), ("enumeration",), ("identities",)]
)
def test_one_route_alone_is_reported_as_insufficient(kept: tuple[str, ...]) -> None:
    asked = {name: check for name, check in short_checkers().items() if name in kept}
    report = matrix([catalogue("grr")], asked, each=1, kinds=["epsilon", "lambda", "variance"])
    assert not report.holds
    assert report.insufficient == report.wrong != ()


def test_two_routes_are_too_few_where_one_sleeps() -> None:
    """Without the block sizes, one route sees a wrong lambda that the claims follow."""
    asked = {"certificate": certificate, "smt": smt, "enumeration": enumeration(3, 3)}
    report = matrix([catalogue("grr")], asked, each=1, kinds=["consistent lambda", "epsilon"])
    assert [one.mutant.kind for one in report.insufficient] == ["consistent lambda"]
    sleepy = {"certificate": accepts_all, "enumeration": enumeration(3, 3)}
    report = matrix([catalogue("grr")], sleepy, each=1, kinds=["epsilon"])
    assert len(report.insufficient) == 1
    assert not report.holds


def test_who_rejects_the_truth_too_gets_no_credit() -> None:
    asked = {"enumeration": enumeration(3, 3), "coq": rejects_all}
    report = matrix([catalogue("grr")], asked, each=1, kinds=["epsilon"])
    assert [one.rejected_by for one in report.insufficient] == [("enumeration",)]
    assert [(m.name, name) for m, name, _ in report.unaccepted] == [("grr", "coq")]


def test_who_cannot_judge_gets_no_credit() -> None:
    asked = {"enumeration": enumeration(3, 3), "coq": knows_nothing}
    report = matrix([catalogue("grr")], asked, each=1, kinds=["epsilon"])
    assert [one.rejected_by for one in report.insufficient] == [("enumeration",)]


COUNTS_ONLY = Mechanism(
    "counts_only",
    parameters=[eps],
    table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4)),
    claims=[LDP(eps, tight=True)],
)


def test_where_no_second_route_exists_it_is_said() -> None:
    """A change that algebra alone rejects is seen once; consistent wrong counts by nobody."""
    kinds = ["epsilon", "consistent lambda"]
    report = matrix([COUNTS_ONLY], {**short_checkers(), "smt": knows_nothing}, each=1, kinds=kinds)
    said = {one.mutant.kind: one.limited for one in report.limited}
    assert said == {
        "epsilon": "one route only: no structure",
        "consistent lambda": "no route: no structure",
    }
    assert report.insufficient == ()
    assert not report.holds


def test_a_missing_structure_excuses_no_checker_that_accepts() -> None:
    asked = {**short_checkers(), "certificate": accepts_all, "smt": accepts_all}
    report = matrix([COUNTS_ONLY], asked, each=1, kinds=["epsilon"])
    assert report.limited == ()
    assert len(report.insufficient) == 1


def test_who_accepts_a_part_only_is_no_second_route() -> None:
    grr = catalogue("grr")
    said = {"certificate": Opinion(False), "enumeration": Opinion(True, partly=True)}
    one = Judged(Mutant("epsilon", "x", grr, grr), "", said, dict.fromkeys(said, Opinion(True)))
    assert one.able == {"algebra"}
    assert one.limited == "one route only: the table cannot be written out"
    said["enumeration"] = Opinion(True)
    assert one.limited == ""
    assert not one.enough


def test_an_answer_that_comes_later_is_waited_for() -> None:
    with ThreadPoolExecutor(1) as pool:
        asked: dict[str, Checker] = {
            "certificate": certificate,
            "coq": lambda subject: pool.submit(certificate, subject),
        }
        report = matrix([catalogue("grr")], asked, each=1, kinds=["epsilon"])
    assert [one.rejected_by for one in report.wrong] == [("certificate", "coq")]


def test_nothing_planted_is_no_pass() -> None:
    assert not matrix([], {}).holds
    assert not matrix([catalogue("grr")], {}, kinds=[]).holds


def test_what_stays_true_is_listed_with_the_reason() -> None:
    report = matrix(
        [catalogue("warner"), catalogue("sue")], short_checkers(), kinds=["swap"], each=1
    )
    found = {one.mutant.control.name: one for one in report.equivalents}
    assert "change names" in found["warner"].equivalent
    assert "another order" in found["sue"].equivalent
    assert report.wrong == ()
    assert not report.too_strict
    assert not report.holds


def test_what_the_vocabulary_refuses_is_listed() -> None:
    report = matrix([catalogue("warner")], {}, kinds=["epsilon"])
    assert [one.mutant.mechanism for one in report.refused] == [None]
    assert "rational function" in report.refused[0].mutant.refused


def test_every_variant_of_a_lattice_can_be_judged() -> None:
    """Ends that are no integers are refused by the vocabulary, not met by a checker."""
    (spec,) = load("truncated_geometric")
    made = [m for m in mutants(spec, 20) if m.kind == "swap"]
    refused = [m.refused for m in made if m.mechanism is None]
    assert [why for why in refused if "must be a sum of products of integers" in why]
    assert all(RouteSubject(m.mechanism).obligations for m in made if m.mechanism is not None)


def test_another_spelling_is_equivalent_and_another_value_is_not() -> None:
    grr = catalogue("grr")
    rest = (LDP(eps), Unbiased())
    table = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
    value = n * u / (u - 1) ** 2
    one, same, other = (
        Mechanism("m", parameters=[eps], table=table, claims=[*rest, Variance(v)])
        for v in (value, n / (u - 2 + 1 / u), value + n / 10**9)
    )
    assert equivalent(RouteSubject(one), RouteSubject(same)) == "another spelling of the same claim"
    assert equivalent(RouteSubject(one), RouteSubject(other)) == ""
    assert equivalent(RouteSubject(grr), RouteSubject(grr))


def test_a_table_of_other_rows_of_which_all_claims_are_true_is_not_wrong() -> None:
    """One attribute in two, its first row turned round: that of another input."""
    (first,) = [m for m in load("attributes") if m.name == "sample_one"]
    (turned,) = [m for m in mutants(first) if m.change == "the first row backwards"]
    assert turned.mechanism is not None
    assert "of another table" in equivalent(RouteSubject(first), RouteSubject(turned.mechanism))


def test_other_counts_are_never_equivalent() -> None:
    """Even where no claim depends on them."""
    grr = variant(catalogue("grr"), claims=())
    assert isinstance(grr.table, Design)
    (wrong,) = (m for m in mutants(grr, each=1) if m.kind == "lambda")
    assert wrong.mechanism is not None
    assert equivalent(RouteSubject(grr), RouteSubject(variant(wrong.mechanism, claims=()))) == ""


def test_a_mechanism_without_claims_gets_the_derived_ones_changed() -> None:
    silent = variant(catalogue("grr"), claims=())
    kinds = {m.kind for m in mutants(silent, each=1)}
    assert {"epsilon", "variance", "estimator"} <= kinds


def test_variants_differ_from_the_declaration_and_from_each_other() -> None:
    found = mutants(catalogue("oue"))
    declared = [m.mechanism for m in found if m.mechanism is not None and m.text is None]
    control = found[0].control
    looks = {
        (repr(m.table), repr(m.claims), frozenset(m.requirements)) for m in [control, *declared]
    }
    assert len(looks) == 1 + len(declared)


def test_a_report_counts_rejections_by_checker() -> None:
    grr = catalogue("grr")
    mutant = Mutant("epsilon", "x", grr, grr)
    said = {"enumeration": Opinion(False), "smt": Opinion(False), "certificate": Opinion(False)}
    true = dict.fromkeys(said, Opinion(True))
    one = Judged(mutant, "", said, true)
    report = MutationReport(tuple(said), (one,), 0.0)
    assert report.rejections == dict.fromkeys(said, 1)
    assert one.routes == {"algebra", "enumeration"}
    assert report.holds
    assert not MutationReport(tuple(said), (Judged(mutant, "", said, said),), 0.0).holds


def test_coq_without_a_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        coq_library(tmp_path, tmp_path / "build")


if shutil.which("coqc") is not None:  # What stands in for this elsewhere is `make kernel`.

    def test_the_kernel_sees_a_wrong_count_that_the_claims_follow(tmp_path: Path) -> None:
        check = coq(coq_library(PROOFS, tmp_path))
        asked = {"certificate": certificate, "coq": check}
        kinds = ["consistent multiplicity", "epsilon"]
        report = matrix([catalogue("grr")], asked, each=1, kinds=kinds)
        assert not report.unaccepted
        by_kind = {one.mutant.kind: one.rejected_by for one in report.results}
        assert by_kind["consistent multiplicity"] == ("coq",)
        assert by_kind["epsilon"] == ("certificate", "coq")

    def test_the_kernel_judges_what_can_be_printed(tmp_path: Path) -> None:
        """A claim without a printed form is left out; the rest is still judged."""
        claims = (LDP(eps, tight=True), LDP(eps / 2, delta=(u - s) / (u + 1)))
        table = Design(2, 1, 0, u / (u + 1), 1 / (u + 1), structure=Singletons(2))
        m = Mechanism("m", parameters=[eps], table=table, claims=claims)
        check = coq(coq_library(PROOFS, tmp_path))
        report = matrix([m], {"coq": check}, kinds=["epsilon"])
        first, second = (
            [one for one in report.wrong if one.mutant.change.startswith(f"claim {number}: ")]
            for number in (1, 2)
        )
        assert first[0].rejected_by == ("coq",)
        said = second[0].opinions["coq"]
        assert (said.accepts, said.partly) == (True, True)
        assert said.why == "claim 2 not printed"
        divided = next(v for v in mutants(catalogue("warner")) if v.kind == "singularity")
        assert divided.mechanism is not None
        of_it = check(RouteSubject(divided.mechanism))
        assert of_it == Opinion(True, "defined not printed", partly=True)
