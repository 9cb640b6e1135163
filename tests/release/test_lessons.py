"""Lessons: every claim of a document is there, counterexamples move, and notebooks run."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from ldp_verified.check.claims import Grid, Relation, chosen, decide, equal, load_documents
from ldp_verified.check.claims.deciding import Decided
from ldp_verified.check.claims.entries import Reading
from ldp_verified.check.claims.loader import claims_folder
from ldp_verified.check.claims.rulings import refuted
from ldp_verified.language import real
from release import lessons
from release.build import ReleaseError
from release.licences import ROOT
from tests.program.node import node, ran

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.check.claims.deciding import DecidedEntry

FILE = "notes_randomized_response"


@pytest.fixture(scope="module")
def decided() -> tuple[DecidedEntry, ...]:
    return decide(chosen(load_documents(), [FILE]))


def test_the_page_has_every_claim_in_order(decided: tuple[DecidedEntry, ...]) -> None:
    page = lessons.page(decided, lessons.source(claims_folder() / f"{FILE}.py"))
    assert re.findall(r"^## (\S+)$", page, re.MULTILINE) == ["D1", "D1b", "D2", "D3"]
    plain = unescape(re.sub(r"\\(.)", r"\1", page))
    for each in decided:
        assert each.entry.statement in plain
        for part in each.parts:
            for one in (*part.readings, *part.corrections):
                assert one.statement in plain
    assert page.count("<details") == len(decided)
    assert 'Entry(\n    "D1",' in page


def counterexamples(page: str, kind: str) -> list[Any]:
    return [json.loads(unescape(text)) for text in re.findall(f'data-{kind}="([^"]*)"', page)]


def test_a_counterexample_can_be_moved(decided: tuple[DecidedEntry, ...]) -> None:
    page = lessons.page(decided, lessons.source(claims_folder() / f"{FILE}.py"))
    (relation,) = counterexamples(page, "relation")
    assert relation["sign"] == "=="
    assert {p["name"]: p["value"] for p in relation["parameters"]} == {"people": 3.0, "x": 0.5}
    (x,) = (each for each in relation["parameters"] if each["name"] == "x")
    assert x["upper"] == "1"
    assert len(counterexamples(page, "laws")) == 2
    assert page.count('class="witness"') == 3


def of(check: Any, parameters: dict[str, str]) -> Decided:
    ruling = refuted(("balls",), "", dict(parameters), {"left": "1"})
    return Decided(Reading("words", check), ruling, check.says(), True)


def test_what_has_no_formula_is_not_moved() -> None:
    x, eps = real("x", above=0), real("eps", above=0)
    assert lessons.moved(of(Relation(equal(x, 1), (x,)), {"x": "2"})) is not None
    assert lessons.moved(of(Relation(equal(x, 1), (x,)), {"y": "2"})) is None
    assert lessons.moved(of(Relation(equal(x, 1), (x,)), {"x": "odd"})) is None
    strange = Grid(sympy.Le(sympy.zeta(x), 1, evaluate=False), {x: [sympy.Integer(2)]})
    assert lessons.moved(of(strange, {"x": "2"})) is None
    # A browser asks for the ends of a domain, which may name other parameters.
    within = real("within", above=x)
    check = Relation(equal(within, 1), (x, within))
    assert lessons.moved(of(check, {"within": "2"})) is None
    found = lessons.moved(of(check, {"within": "2", "x": "1"}))
    assert found is not None
    assert [each["name"] for each in found["parameters"]] == ["within", "x"]
    found = lessons.moved(of(Relation(equal(sympy.exp(eps), 2), (eps,)), {"u": "3"}))
    assert found is not None
    assert found["parameters"][0]["value"] == pytest.approx(math.log(3))


SCRIPT = """
const made = () => ({
  children: [], listeners: {}, dataset: {}, textContent: "", className: "",
  append(...all) { this.children.push(...all); },
  setAttribute() {}, addEventListener(kind, what) { this.listeners[kind] = what; },
  get childElementCount() { return this.children.length; },
  querySelectorAll(name) {
    return this.children.flatMap((c) => [...(c.name === name ? [c] : []),
      ...(c.querySelectorAll ? c.querySelectorAll(name) : [])]);
  },
});
const place = made();
place.dataset = JSON.parse(process.argv[2]);
globalThis.document = {
  createElement: (name) => Object.assign(made(), { name }),
  querySelectorAll: () => [place],
};
"""


def said(folder: Path, dataset: dict[str, Any], change: str = "") -> str:
    """What the script says of a counterexample, in Node."""
    script = (ROOT / "release" / lessons.SCRIPT).read_text(encoding="utf-8")
    code = SCRIPT + script + change + 'console.log(place.querySelectorAll("p").at(-1).textContent)'
    texts = {name: json.dumps(each) for name, each in dataset.items()}
    return ran(folder, code, json.dumps(texts)).strip()


def test_the_script_computes_what_the_register_found(
    decided: tuple[DecidedEntry, ...], tmp_path: Path
) -> None:
    if node() is None:
        return
    page = lessons.page(decided, lessons.source(claims_folder() / f"{FILE}.py"))
    (relation,) = counterexamples(page, "relation")
    first = said(tmp_path, {"relation": relation})
    assert first == "left 0.0833333, right 0: does not hold here"
    move = (
        'const slider = place.querySelectorAll("input")[1];'
        "slider.value = 0; slider.listeners.input();"
    )
    assert "left 0.000333" in said(tmp_path, {"relation": relation}, move)
    for one in counterexamples(page, "laws"):
        assert said(tmp_path, {"laws": one}).endswith("for sets of outputs 0.250000")
    wrong = {"level": "2", "delta": "0", "rows": [{"name": "a", "chances": ["1/2", "1/3"]}] * 2}
    assert "add up to 1" in said(tmp_path, {"laws": wrong})


@pytest.mark.parametrize("x", [0.1, 1.0, 2.4, 2.6, 5.0, -1.0])
def test_the_script_has_the_complementary_error_function(x: float, tmp_path: Path) -> None:
    if node() is None:
        return
    relation = {
        "left": f"erfc({x}) / {math.erfc(x)!r} + 0 * t",
        "parameters": [{"name": "t", "value": 1.0, "integer": False}],
    }
    for sign, right in (("<=", "1 + 1e-9"), (">=", "1 - 1e-9")):
        found = said(tmp_path, {"relation": {**relation, "sign": sign, "right": right}})
        assert found.endswith("holds here")
        assert not found.endswith("does not hold here")


def test_a_notebook_decides_what_the_register_decides(
    decided: tuple[DecidedEntry, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = claims_folder() / f"{FILE}.py"
    made = json.loads(lessons.notebook(FILE, "Notes", lessons.source(path)))
    assert made["nbformat"] == 4
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    names: dict[str, Any] = {}
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    printed = capsys.readouterr().out
    for each in decided:
        for part in each.parts:
            for one in part.readings:
                assert f"{one.statement}\n    {one.ruling.kind.value}" in printed


@pytest.mark.parametrize("file", [name for name, _ in load_documents()])
def test_every_file_of_claims_can_be_cut(file: str) -> None:
    found = lessons.source(claims_folder() / f"{file}.py")
    documents = dict(load_documents())
    assert list(found.claims) == [entry.id for entry in documents[file].entries]
    assert "Document(" not in found.before
    for call in found.claims.values():
        assert call.startswith(("Entry(", "published("))


def test_a_file_without_such_a_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text('x = 1\ndocument = build("a")\n', encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"odd\.py: must end"):
        lessons.source(path)
