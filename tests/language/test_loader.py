from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import catalogue, catalogue_folder, load, load_file

GOOD = """
from ldp_verified.language import Matrix, Mechanism, Rational, real
p = real("p", above=Rational(1, 2), below=1)
mine = Mechanism("mine", parameters=[p], table=Matrix([[p, 1 - p], [1 - p, p]]))
"""


def test_names_and_paths_go_through_one_door(tmp_path: Path) -> None:
    (by_name,) = load("grr")
    (by_path,) = load(catalogue()["grr"])
    assert by_name.spec_hash == by_path.spec_hash
    assert [m.name for m in load("olh")] == ["olh", "blh"]
    assert [m.name for m in load("blh")] == ["blh"]
    file = tmp_path / "mine.py"
    file.write_text(GOOD)
    (mine,) = load(file)
    assert mine.origin is not None
    assert (mine.name, mine.origin.module) == ("mine", "mine")
    assert mine.spec_hash == hashlib.sha256(GOOD.encode()).hexdigest()


def test_line_ends_do_not_change_the_hash(tmp_path: Path) -> None:
    unix, windows = tmp_path / "unix.py", tmp_path / "windows.py"
    unix.write_bytes(GOOD.encode())
    windows.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load_file(unix)[0].spec_hash == load_file(windows)[0].spec_hash


def test_the_checkout_is_preferred_to_the_packaged_copy() -> None:
    assert catalogue_folder().name in ("spec", "_spec")
    assert set(catalogue()) >= {"warner", "binary_rr", "grr", "sue", "oue", "olh"}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("x = (", "bad.py:1", "is not Python"),
        ("a = 1\nb = a / 0\n", "bad.py:2", "ZeroDivisionError"),
        ("raise SystemExit(3)\n", "bad.py:1", "SystemExit"),
        ("a = 1\n", "bad.py", "declares no Mechanism"),
        (GOOD.replace("parameters=[p]", "parameters=[]"), "bad.py:4", "not declared"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained_by_file_and_line(
    tmp_path: Path, text: str, place: str, message: str
) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    with pytest.raises(SpecError, match=message) as caught:
        load(file)
    assert place in str(caught.value)


def test_an_unknown_name_suggests_the_ones_that_look_like_it() -> None:
    with pytest.raises(SpecError, match=r"a name of the catalogue.*did you mean grr or l_grr\?"):
        load("grrr")
    with pytest.raises(SpecError, match=r"a name of the catalogue, which list shows, got"):
        load("zzzz")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "binary.py"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="UTF-8"):
        load(file)


def test_two_mechanisms_of_one_name_are_refused(tmp_path: Path) -> None:
    """The second one would go unverified."""
    file = tmp_path / "twice.py"
    file.write_text(GOOD + GOOD.split("\n", 2)[2].replace("mine =", "other ="))
    with pytest.raises(SpecError, match="two mechanisms of one name"):
        load(file)


def test_one_mechanism_under_two_names_is_one(tmp_path: Path) -> None:
    file = tmp_path / "alias.py"
    file.write_text(GOOD + "alias = mine\n")
    assert [m.name for m in load(file)] == ["mine"]


def test_a_mechanism_loaded_to_be_compared_with_is_not_declared_here(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GOOD + "from ldp_verified.language import load\ngrr = load('grr')[0]\n")
    assert [m.name for m in load(file)] == ["mine"]


def test_a_nul_byte_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "nul.py"
    file.write_text("a = 1\0\n")
    with pytest.raises(SpecError, match=r"nul\.py"):
        load(file)
