"""Classes of protocols say what the declarations say, at all coins, groups and values."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.generate.declared import fields_of, file_of, sample_arguments
from ldp_verified.generate.module import class_name
from ldp_verified.generate.protocols import TAKEN, field_name, made, protocol_module
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, draw, group, published, turn, x
from ldp_verified.protocols.declared import DeclaredProtocol, StatePlace
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS, own_randomizer

RUN = (
    "bit_groups",
    "bit_reduction",
    "bitstogram",
    "box_wavelet",
    "change_tree",
    "hashtogram",
    "key_value_bits",
    "key_value_response",
    "ldp_miner",
    "padded_hashing",
    "padded_response",
    "parity_tables",
    "prefix_cohorts",
    "prefix_extending",
    "prefix_rounds",
    "private_expander_sketch",
    "range_tree",
    "range_wavelet",
    "sampling_rappor",
    "sampling_succinct_histogram",
    "sequence_fragments",
    "sign_matrix",
    "succinct_histogram",
    "svim",
    "svsm",
    "tree_hist",
)

NOT_RUN = ("voted_mean",)
"""Protocols whose users keep count of their reports: a class written by hand runs each."""

MOST = 40
"""Coins, groups and values that are looked at, of each."""


def test_every_protocol_is_run_or_has_a_reason() -> None:
    folder = file_of("tree_hist").parent
    assert {path.stem for path in folder.glob("*.py")} == {*RUN, *NOT_RUN}


@pytest.mark.parametrize("name", NOT_RUN)
def test_reports_that_users_keep_count_of_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match="must be sent whenever it is asked for"):
        protocol_module(load_protocol(name), file_of(name))


def test_a_root_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, HIERARCHY.replace("PRICE", "eps*sympy.sqrt(2)/2"), "hierarchy")
    with pytest.raises(SpecError, match="cannot be run exactly"):
        protocol_module(load_protocol(path), path)


@pytest.mark.parametrize("name", RUN)
def test_the_class_says_what_the_declaration_says(name: str) -> None:
    declared = load_protocol(name)
    arguments = sample_arguments(declared, {})
    run = made(declared, file_of(name))
    own = run(**fields_of(run, arguments))
    point = {p: sympy.Rational(str(arguments[p.name])) for p in declared.parameters}

    def number(value: Any, known: dict[Any, int] | None = None) -> Any:
        return sympy.sympify(value).subs(point | (known or {}))

    assert own.value_count == number(declared.values)
    assert own.cost == number(declared.epsilon)
    assert own.law_sha256 == declared.law_hash
    groups = 1
    if declared.groups is not None:
        groups = int(number(declared.groups.count))
        coins = groups if declared.groups.coins is None else int(number(declared.groups.coins))
        assert (own.group_count, own.coin_count) == (groups, coins)
        for c in range(0, coins, max(1, coins // MOST)):
            assert own.group_of(c) == number(declared.groups.of, {coin: c})
    told = False
    for step, (number_of, at_turn) in enumerate(own.steps):
        for send, sent in enumerate(declared.rounds[number_of].sends):
            some = range(0, groups, max(1, groups // MOST))
            for g, value in product(some, range(min(int(own.value_count), 4))):
                known = {x: value, group: g, turn: at_turn, published: 5 * told}
                place = StatePlace(number_of, at_turn, send, g, 5 if told else None)
                draws = number(sent.draws, known)
                assert own.draws(place) == draws
                for coins in {0, draws - 1, int(draws) * 5 // 7}:
                    wanted = number(sent.of, known | {draw: coins})
                    assert own.input_of(place, value, coins) == wanted, (step, known, coins)
                if value == 0:
                    sizes = {p.name: number(v, known) for p, v in sent.at.items()}
                    assert own.randomizer(place).k == sizes.get("k")
                    # 40 digits of the price are between it and the double next to it, or that
                    # double, where ln(e^eps) is the declared epsilon.
                    price = number(sent.alone, known).evalf(40)
                    given = own.randomizer(place).epsilon
                    assert given <= price <= math.nextafter(given, math.inf)
        told = told or declared.rounds[number_of].publishes is not None


def _file(folder: Path, text: str, name: str) -> Path:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_module_is_typed_and_runs_on_the_core_install(tmp_path: Path) -> None:
    path = _file(tmp_path, HIERARCHY.replace("PRICE", "eps"), "hierarchy")
    text = protocol_module(load_protocol(path), path)
    module = _file(tmp_path, text, "hierarchy_module")
    assert "sympy" not in text.replace(", sympy ", "")  # but for the line that names tools
    program = (
        "import sys; from hierarchy_module import Hierarchy; p = Hierarchy(1.0, 3);"
        "s = p.empty(simulated=True).update(p.privatize([5] * 3000, 1));"
        "print(round(float(s.estimate([5]).counts[0])), 'sympy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    count, symbolic = done.stdout.split()
    assert symbolic == "False"
    assert 1500 < int(count) < 4500  # standard error 220; 6 of them at a fixed seed
    _check_typed(module)
    padded = protocol_module(load_protocol("svim"), file_of("svim"))
    _check_typed(_file(tmp_path, padded, "padded_module"))


def _check_typed(module: Path) -> None:
    typed = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(module)],
        cwd=module.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert typed.returncode == 0, typed.stdout


def test_fields_do_not_hide_what_the_base_has() -> None:
    public = {name for name in dir(DeclaredProtocol) if not name.startswith("_")}
    assert public | {"asks", "law_sha256"} == TAKEN  # two are annotations only
    assert field_name("steps") == "steps_"
    assert field_name("lambda") == "lambda_"
    assert field_name("levels") == "levels"


@pytest.mark.parametrize("name", ["mine", "oue"])
def test_a_randomizer_of_ones_own_is_written_beside_the_protocol(tmp_path: Path, name: str) -> None:
    """Null: a count of 3,000 users is within 6 standard errors of them; also called as another."""
    path = _file(tmp_path, own_randomizer(name), "hierarchy")
    declared = load_protocol(path)
    text = protocol_module(declared, path)
    assert f"class {class_name(name)}(" in text
    assert "ldp_verified.run.mechanisms" not in text
    run = made(declared, path)
    protocol = run(1.0, 3)
    (sent,) = declared.rounds[0].sends
    given = protocol.randomizer(StatePlace(0, 0, 0, 2))
    assert (given.k, given.law_sha256) == (8, sent.randomizer.law_hash)
    state = protocol.empty(simulated=True).update(protocol.privatize([5] * 3000, 1))
    found = state.estimate([5])
    assert abs(found.counts[0] - 3000) < 6 * found.std_error[0]
    _check_typed(_file(tmp_path, text, "hierarchy_module"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"mine"', '"place"', "must have a name of its own in the module"),
        ('"mine"', '"hierarchy"', "must have a name of its own in the module"),
        ("claims=[LDP(eps_)]", "claims=[]", "must"),
    ],
)
def test_a_randomizer_that_cannot_be_written_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = _file(tmp_path, own_randomizer("mine").replace(old, new), "hierarchy")
    with pytest.raises(SpecError, match=said):
        protocol_module(load_protocol(path), path)


def test_ones_own_may_not_be_called_as_one_that_is_used_beside_it(tmp_path: Path) -> None:
    text = own_randomizer("oue").replace(
        "rounds=[Round([",
        'rounds=[Round([Sends(load("oue")[0], of=x, at={**KNOWN, K: 2**levels}), ',
    )
    text = text.replace("level = group + 1", 'KNOWN, K = {load("oue")[0].parameters[0]: eps}, '
                        'load("oue")[0].parameters[1]\nlevel = group + 1')  # fmt: skip
    path = _file(tmp_path, text, "hierarchy")
    with pytest.raises(SpecError, match="must have another name"):
        protocol_module(load_protocol(path), path)


def test_a_randomizer_on_numbers_is_refused(tmp_path: Path) -> None:
    text = HIERARCHY.replace("PRICE", "eps").replace('(oue,) = load("oue")', "oue = NUMBERS")
    text = text.replace("eps_, k_ = oue", 'eps_, k_ = load("oue")[0]').replace(", k_: 2**level", "")
    text = text.replace("oue = NUMBERS", 'oue = load("laplace")[0]')
    text = text.replace("at={eps_: eps}", "at={oue.parameters[0]: eps}")
    path = _file(tmp_path, text, "hierarchy")
    with pytest.raises(SpecError, match="must have a generated class to be run"):
        protocol_module(load_protocol(path), path)


def test_a_price_with_a_logarithm_is_rounded_down(tmp_path: Path) -> None:
    """The price of sampling, and a cost that is ln 3: neither is a double."""
    text = HIERARCHY.replace("PRICE", "sympy.Max(0, sympy.log(2 * sympy.exp(eps) - 1))")
    path = _file(tmp_path, text.replace("epsilon=eps,", "epsilon=sympy.log(levels),"), "hierarchy")
    protocol = made(load_protocol(path), path)(1.0, 3)
    exact = sympy.log(2 * sympy.E - 1).evalf(40)
    given = protocol.randomizer(StatePlace(0, 0, 0, 1)).epsilon
    assert given < exact < math.nextafter(given, 2)
    assert math.nextafter(protocol.epsilon, 0) < sympy.log(3).evalf(40) < protocol.epsilon


def test_a_logarithm_of_values_is_refused_when_it_is_declared(tmp_path: Path) -> None:
    text = HIERARCHY.replace("PRICE", "eps").replace("values=2**levels", "values=sympy.log(levels)")
    path = _file(tmp_path, text, "hierarchy")
    with pytest.raises(SpecError, match="values: must be a positive integer, got 'log"):
        load_protocol(path)


def test_one_report_that_rests_is_refused(tmp_path: Path) -> None:
    """Users of the class would not count how often they leave the rest, and pay without end."""
    text = TWO_ROUNDS.replace("k_: 2})], Pub", "k_: 2}, rest=0, leaves=1)], Pub")
    text = text.replace('Published("a", 4))', 'Published("a", 4), times=3)')
    path = _file(tmp_path, text, "two")
    with pytest.raises(SpecError, match="must be sent whenever it is asked for"):
        protocol_module(load_protocol(path), path)


def test_a_size_that_is_not_given_is_asked_for(tmp_path: Path) -> None:
    path = _file(tmp_path, TWO_ROUNDS.replace("eps_: eps / 2, k_: 2", "eps_: eps / 2"), "two")
    with pytest.raises(SpecError, match="must give every size that a report needs, got 'k'"):
        protocol_module(load_protocol(path), path)


def test_a_title_that_would_end_the_docstring_is_refused(tmp_path: Path) -> None:
    text = HIERARCHY.replace("PRICE", "eps").replace(
        '    "hierarchy",\n', '    "hierarchy",\n    title=\'a"""\',\n'
    )
    path = _file(tmp_path, text, "hierarchy")
    with pytest.raises(SpecError, match="must be one line without triple quotes"):
        protocol_module(load_protocol(path), path)
