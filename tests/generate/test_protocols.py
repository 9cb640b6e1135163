"""Classes of protocols say what the declarations say, at all coins, groups and values."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.generate.declared import fields_of, file_of, sample_arguments
from ldp_verified.generate.protocols import TAKEN, field_name, made, protocol_module
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, draw, group, published, turn, x
from ldp_verified.protocols.declared import DeclaredProtocol, StatePlace
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS

RUN = (
    "bit_groups",
    "bit_reduction",
    "bitstogram",
    "hashtogram",
    "parity_tables",
    "prefix_cohorts",
    "prefix_extending",
    "prefix_rounds",
    "private_expander_sketch",
    "range_tree",
    "range_wavelet",
    "sequence_fragments",
    "sign_matrix",
    "succinct_histogram",
    "tree_hist",
)

NOT_RUN = {
    "change_tree": "MaskedChange",
    "key_value_bits": "PaddedItem",
    "key_value_response": "log",
    "ldp_miner": "PaddedItem",
    "padded_hashing": "PaddedItem",
    "padded_response": "log",
    "sampling_rappor": "PaddedItem",
    "sampling_succinct_histogram": "PaddedItem",
    "svim": "log",
    "svsm": "log",
    "voted_mean": "Abs",
}
"""Protocols whose prices or inputs have no exact text: a class written by hand runs each."""

MOST = 40
"""Coins, groups and values that are looked at, of each."""


def test_every_protocol_is_run_or_has_a_reason() -> None:
    folder = file_of("tree_hist").parent
    assert {path.stem for path in folder.glob("*.py")} == {*RUN, *NOT_RUN}


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_cannot_be_said_exactly_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="cannot be run exactly") as caught:
        protocol_module(load_protocol(name), file_of(name))
    assert NOT_RUN[name] in str(caught.value)


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
    for step, (number_of, at_turn) in enumerate(own.steps):
        for send, sent in enumerate(declared.rounds[number_of].sends):
            some = range(0, groups, max(1, groups // MOST))
            for g, value in product(some, range(min(int(own.value_count), 4))):
                known = {x: value, group: g, turn: at_turn, draw: 0, published: 0}
                place = StatePlace(number_of, at_turn, send, g)
                assert own.input_of(place, value, 0) == number(sent.of, known), (step, known)
                assert own.draws(place) == number(sent.draws, known)
                if value == 0:
                    sizes = {p.name: number(v, known) for p, v in sent.at.items()}
                    assert own.randomizer(place).k == sizes.get("k")


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
    typed = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(module)],
        cwd=tmp_path,
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


def test_a_randomizer_of_ones_own_is_refused(tmp_path: Path) -> None:
    text = HIERARCHY.replace("PRICE", "eps").replace(
        '(oue,) = load("oue")\neps_, k_ = oue.parameters',
        "from ldp_verified.language import LDP, Design, Mechanism, Singletons, exp\n"
        'eps_, k_ = real("eps", above=0), integer("k", at_least=2)\n'
        'oue = Mechanism("mine", parameters=[eps_, k_], table=Design(blocks=k_, containing=1,'
        " together=0, structure=Singletons(k_), inside=exp(eps_) / (exp(eps_) + k_ - 1),"
        " outside=1 / (exp(eps_) + k_ - 1)), claims=[LDP(eps_)])",
    )
    path = _file(tmp_path, text, "hierarchy")
    with pytest.raises(SpecError, match="must be a class of the catalogue to be run"):
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
