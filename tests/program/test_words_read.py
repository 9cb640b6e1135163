"""How many words are read: the joint law with the report, enumerated, and whether it says more.

Nothing is ever drawn in another way when words run out or are rejected: a program has no fallback
but to read on. So the number of words is all that rejection shows. Every language reads the same
number for each sequence of words (`test_c.py`, `test_javascript.py`, `test_rust_and_wasm.py` and
`test_memory.py` compare it with the interpreter's), hence has this joint law.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.run.program.form import Draw, Private, When
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.parts import word_of
from tests.broken.lazy import lazy_k_rr_twice, lazy_k_rr_wide, lazy_one_hot
from tests.program.enumerated import CASES, at_small_width, case, table_of, words_of
from tests.program.joint import joint_law, says_more, worst_delta, worst_ratio
from tests.program.kept import (
    KEPT,
    KeptCase,
    alike,
    every_pair,
    interpreted_twice,
    is_the_table,
    pairs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.program import Program
    from tests.program.joint import Joint

PAGE = Path(__file__).parents[2] / "docs" / "devices.md"

TELLS = {
    "geometric": "geometric noise",
    "she": "SHE",
    "staircase": "staircase",
}
"""Cases in which the number of words says more than the report, and what the page calls them."""

VARYING = ("dbitflip_two", "change_tree", "change_tree_shares")
"""Clients that keep answers, and reject words, or read one for a sign where a block ends."""

STATED = Path(__file__).with_name("JOINT.txt")
"""Of each case both epsilons. Write it again with `python -m tests.program.test_words_read`."""


def shown_left() -> str:
    """What the page says of mass that is not resolved."""
    text = PAGE.read_text(encoding="utf-8")
    return " ".join(text.split("at the end of the longest tapes")[1].split("\n\n")[0].split())


@pytest.mark.parametrize("name", CASES)
def test_the_number_of_words_has_one_law_for_all_values(name: str) -> None:
    """Alone it says nothing of the value; what it says beside the report is as the page has it."""
    program, _ = at_small_width(name)
    length = words_of(name)
    found = [joint_law(program, value, length) for value in range(program.values)]
    alone = []
    for value, (law, left) in enumerate(found):
        assert sum(law.values()) + left == 1
        for report in {report for report, _ in law}:
            mass = sum(share for (each, _), share in law.items() if each == report)
            assert mass <= table_of(name, value)[report]
        counts = {words for _, words in law}
        alone.append(
            {n: sum(share for (_, words), share in law.items() if words == n) for n in counts}
        )
    (left,) = {left for _, left in found}
    assert (f"`{name}` {left} after {length} words" in shown_left()) == (left > 0)
    assert all(each == alone[0] for each in alone)
    assert says_more([law for law, _ in found]) == (name in TELLS)


def at_most(joint: Fraction | None, alone: Fraction | None) -> bool:
    """Return whether report and words together cost no more than the report; None is infinite."""
    return alone is None or (joint is not None and joint <= alone)


def both_ratios(name: str) -> tuple[Fraction | None, Fraction | None]:
    """exp(epsilon) of the reports alone, and of reports and words, within the longest tapes."""
    if name in KEPT:
        tables: list[Any] = [KEPT[name].table(*pair) for pair in pairs(KEPT[name])]
        return worst_alike(name, tables), worst_alike(name, [*joint_law_of_pairs(name).values()])
    program, _ = at_small_width(name)
    laws = [joint_law(program, value, words_of(name))[0] for value in range(program.values)]
    return worst_ratio([table_of(name, value) for value in range(program.values)]), worst_ratio(
        laws
    )


def worst_alike(name: str, laws: list[Any]) -> Fraction | None:
    """The largest ratio among pairs of values whose public parts are the same."""
    found = [worst_ratio([laws[place] for place in group]) for group in alike(KEPT[name])]
    known = [ratio for ratio in found if ratio is not None]
    return max(known) if len(known) == len(found) else None


def joint_laws(name: str) -> Iterator[Joint]:
    """The laws of a report and its words, or of two reports and theirs."""
    if name in KEPT:
        yield from joint_law_of_pairs(name).values()
        return
    program, _ = at_small_width(name)
    for value in range(program.values):
        yield joint_law(program, value, words_of(name))[0]


def stated(name: str, ratios: tuple[Fraction | None, Fraction | None]) -> str:
    """The line of a case: log of the ratios, rounded; `inf` where something is ruled out."""
    alone, joint = ("inf" if ratio is None else f"{math.log(ratio):.6f}" for ratio in ratios)
    what = "two reports" if name in KEPT else "a report"
    more = ""
    if name in TELLS:
        ratio = ratios[0]
        assert ratio is not None
        program, _ = at_small_width(name)
        found = [joint_law(program, value, words_of(name)) for value in range(program.values)]
        least = worst_delta([law for law, _ in found], ratio)
        most = least + max(left for _, left in found)
        more = f", delta at {alone} between {float(least):.3f} and {float(most):.3f}"
    if ratios[0] is None:
        laws = [*joint_laws(name)]
        more = ", which tells more" if says_more(laws) else ", which tells no more than they do"
    return f"{name}: epsilon of {what} {alone}, with the number of words {joint}{more}"


@pytest.mark.parametrize("name", [*CASES, "staircase", *KEPT])
def test_report_and_words_cost_no_more_than_the_report(name: str) -> None:
    """But for the cases that the page names."""
    alone, joint = both_ratios(name)
    assert stated(name, (alone, joint)) in STATED.read_text(encoding="utf-8").splitlines()
    assert at_most(joint, alone) == (name not in TELLS)


def test_both_epsilons_are_stated_of_every_case_and_no_other() -> None:
    lines = STATED.read_text(encoding="utf-8").splitlines()
    assert sorted(line.split(":")[0] for line in lines) == sorted([*CASES, "staircase", *KEPT])


def lazy_of(name: str) -> Program:
    """The program of a case as it was when it read no more words than a report needs."""
    made, realization = case(name)
    width = realization.width
    if name == "grr_wide":
        return lazy_k_rr_wide(made.k, realization.thresholds[0], width)
    return lazy_one_hot(made.k, realization.thresholds, width)


@pytest.mark.parametrize("name", ["grr_wide", "sue", "oue"])
def test_a_client_that_reads_no_more_than_it_needs_is_rejected(name: str) -> None:
    """Its reports have the right law; with the number of words they rule values out."""
    wrong = lazy_of(name)
    laws = [joint_law(wrong, value, words_of(name))[0] for value in range(wrong.values)]
    for value, law in enumerate(laws):
        for report, right in table_of(name, value).items():
            assert sum(mass for (each, _), mass in law.items() if each == report) <= right
    assert says_more(laws)
    assert not at_most(worst_ratio(laws), both_ratios(name)[0])


def test_the_page_names_all_that_say_more() -> None:
    text = PAGE.read_text(encoding="utf-8").split("- Running time.")[1].split("\n- ")[0]
    assert all(" ".join(what.split()) in " ".join(text.split()) for what in TELLS.values())


def joint_law_of_pairs(name: str) -> dict[tuple[int, int], Joint]:
    """The law of (two reports, their words) for each pair of values, from all tapes.

    Words are the number of the first report above 8 bits, and that of both.
    """
    return laws_of(every_pair(name), KEPT[name])


def laws_of(answers: list[Any], kept: KeptCase) -> dict[tuple[int, int], Joint]:
    """The same of answers to all tapes, for all pairs of values."""
    both = list(pairs(kept))
    tapes = 1 << (kept.program.width * kept.words)
    found: dict[tuple[int, int], Joint] = {}
    for place, pair in enumerate(both):
        counts = Counter(answer for answer in answers[place :: len(both)] if answer is not None)
        found[pair] = {answer: Fraction(times, tapes) for answer, times in counts.items()}
    return found


@pytest.mark.parametrize("name", KEPT)
def test_words_of_two_reports_tell_no_more_than_they_do(name: str) -> None:
    """The joint law of both reports and the words of each, as every language reads them.

    Where none is rejected, all reports of one number read as many, whatever values and history are.
    """
    laws = joint_law_of_pairs(name)
    for pair, law in laws.items():
        table = KEPT[name].table(*pair)
        for report in {report for report, _ in law}:
            mass = sum(share for (each, _), share in law.items() if each == report)
            assert mass <= table[report]
    for group in alike(KEPT[name]):
        own = [[*laws.values()][place] for place in group]
        assert not says_more(own)
        counts = {words for law in own for _, words in law}
        assert len(counts) == 1 or name in VARYING


@pytest.mark.parametrize("name", ["lgrr", "lgrr_three"])
def test_a_client_that_reads_a_kept_answers_words_once_is_rejected(name: str) -> None:
    """Both reports have the right law; the number of words says that the value is the first one."""
    right = KEPT[name]
    wrong = lazy_k_rr_twice(right.program.inputs, lies_of(name), right.program.width)
    answers = answers_of_two(wrong, wrong, right.words, [*pairs(right)])
    assert is_the_table(right, answers)
    laws = laws_of(answers, right)
    assert says_more([*laws.values()])
    assert worst_ratio([*laws.values()]) is None
    assert at_most(*reversed(both_ratios(name)))


@pytest.mark.parametrize("name", ["lgrr", "lgrr_three"])
def test_what_an_older_client_kept_serves_a_newer_one(name: str) -> None:
    """The first report is one of version 2, which read a kept answer's words once."""
    right = KEPT[name]
    older = lazy_k_rr_twice(right.program.inputs, lies_of(name), right.program.width)
    assert is_the_table(right, answers_of_two(older, right.program, right.words, [*pairs(right)]))


def lies_of(name: str) -> tuple[int, int]:
    """The thresholds of a case of `kept.py`, from its table's smallest shares."""
    return {"lgrr": (1, 3), "lgrr_three": (1, 2)}[name]


def answers_of_two(first: Program, second: Program, words: int, both: list[Any]) -> list[Any]:
    """What two programs answer one after the other, the second from what the first kept."""
    found: list[Any] = []
    for tape in itertools.product(range(1 << first.width), repeat=words):
        for one, two in both:
            cells = [0] * first.cells
            drawn = interpret(first, one, tape, cells)
            again = interpret(second, two, tape[drawn.words :], cells)
            read = drawn.words << 8 | drawn.words + again.words
            found.append((drawn.report + again.report, read))
    return found


def test_a_client_that_reads_a_word_more_about_a_kept_answer_is_seen() -> None:
    """Both reports have the right law; the words alone say that the value is the first one."""
    program = KEPT["rappor"].program
    extra = When(Private().at_most(0), (Draw(word_of(program.width)),))
    wrong = replace(program, body=(*program.body, extra))
    tapes = itertools.product(range(1 << program.width), repeat=KEPT["rappor"].words + 2)
    laws = {pair: Counter[Any]() for pair in pairs(KEPT["rappor"])}
    for tape in tapes:
        for pair, law in laws.items():
            law[interpreted_twice(wrong, pair, tape)] += 1
    assert says_more([{seen: Fraction(n) for seen, n in law.items()} for law in laws.values()])


@pytest.mark.parametrize("name", [name for name in KEPT if name not in {*VARYING, "dbitflip"}])
def test_first_reports_of_clients_that_keep_answers_read_one_number_of_words(name: str) -> None:
    program, public = KEPT[name].program, KEPT[name].public
    found = [joint_law(program, value, KEPT[name].words) for value in range(program.values)]
    for same in {public(value) for value in range(program.values)}:
        own = [law for value, (law, _) in enumerate(found) if public(value) == same]
        counts = {words for law in own for _, words in law}
        assert len(counts) == 1
        assert not says_more(own)


@pytest.mark.parametrize("name", ["grr", "hrr", "prefixes"])
def test_a_word_that_is_read_for_one_value_alone_is_seen(name: str) -> None:
    """The report has the right law, and is given away by one more word."""
    right, _ = at_small_width(name)
    extra = When(Private().at_most(0), (Draw(word_of(right.width)),))
    wrong = replace(right, body=(*right.body, extra))
    laws = [joint_law(wrong, value, words_of(name) + 1)[0] for value in range(wrong.values)]
    for value, law in enumerate(laws):
        assert {report: mass for (report, _), mass in law.items()} == table_of(name, value)
    assert says_more(laws)


if __name__ == "__main__":
    STATED.write_text(
        "".join(f"{stated(each, both_ratios(each))}\n" for each in [*CASES, "staircase", *KEPT]),
        encoding="utf-8",
    )
