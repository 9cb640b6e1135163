"""A slip in a scheme of proofs/lib: the theorems about it are proved no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.prove.coq import coqc_available
from ldp_verified.prove.coq.coqc import run_coqc
from ldp_verified.prove.coq.library import proofs_folder, work_folder
from tests.broken.coq.schemes import WRONG_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def build() -> Iterator[Path | None]:
    """The compiled theory; None where coqc is missing."""
    if not coqc_available():
        with pytest.raises(SpecError, match="not installed"), work_folder():
            pass
        yield None
        return
    with work_folder() as folder:
        yield folder


def compiled(build: Path, name: str, text: str) -> tuple[int, str]:
    """Status and output of coqc for one more file beside the theory."""
    (build / "generated" / f"{name}.v").write_text(text)
    return run_coqc(build, f"generated/{name}.v", 120)


@pytest.mark.parametrize("file", sorted({file for file, _, _ in WRONG_SCHEMES.values()}))
def test_what_the_slips_are_made_in_is_proved(build: Path | None, file: str) -> None:
    if build is not None:
        text = (proofs_folder() / "lib" / f"{file}.v").read_text()
        status, output = compiled(build, f"Right{file}", text)
        assert status == 0, output


@pytest.mark.parametrize("slip", WRONG_SCHEMES)
def test_a_wrong_scheme_is_not_proved(build: Path | None, slip: str) -> None:
    file, right, wrong = WRONG_SCHEMES[slip]
    text = (proofs_folder() / "lib" / f"{file}.v").read_text()
    assert text.count(right) == 1
    if build is not None:
        status, output = compiled(build, "Wrong", text.replace(right, wrong))
        assert status == 1
        assert "Error" in output
