"""A generated class knows the values of its table's own domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.generate.inputs import labels_lines, labels_meaning, own_labels
from ldp_verified.generate.module import module_text
from ldp_verified.language import Matrix, Rational, load

MOST, LEAST = Rational(3, 4), Rational(1, 4)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (None, None),
        ([0, 1], None),
        ([-1, 1], (-1, 1)),
        (["no", "yes"], ("no", "yes")),
        ([(0, 0), (0, 1)], None),
        (["a\nb", "c"], None),
        ([False, True], None),
    ],
)
def test_the_labels_of_a_table(inputs: list[object] | None, expected: object) -> None:
    form = Matrix([[MOST, LEAST], [LEAST, MOST]], inputs=inputs)
    assert own_labels(form) == expected


def test_only_a_table_that_is_written_out_has_inputs_of_its_own() -> None:
    (grr,) = load("grr")
    assert own_labels(grr.table) is None


def test_labels_are_text_of_python() -> None:
    quoted = ('say "no"', "back\\slash")
    (line,) = labels_lines(quoted)
    assert eval(line.partition(" = ")[2]) == quoted
    many = tuple(f"a rather long label {i}" for i in range(20))
    lines = labels_lines(many)
    assert len(lines) == 22
    assert max(map(len, lines)) <= 96
    assert labels_lines(None) == []
    assert labels_meaning(many).endswith(
        "a rather long label 0, a rather long label 1, ..., a rather long label 19"
    )


def test_a_class_of_ones_own_spec_takes_its_words() -> None:
    path = Path(__file__).parents[2] / "examples" / "specs" / "yes_no_scale.py"
    text = module_text(load(path))
    assert 'own_labels: ClassVar[tuple[str | int, ...] | None] = ("yes", "no")' in text
