"""Every error class has a code of its own and a page, and every page an error."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re

import pytest

import ldp_verified
from ldp_verified.app.cli.plotting import app  # noqa: F401  the whole command line can be imported
from ldp_verified.app.explained import FOLDER, codes, page, title
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.extras import MissingPackageError
from tests.repository.test_readme import failures

HEADINGS = ("## What it means", "## What to do", "## For example")


def every(root: type[LdpError]) -> list[type[LdpError]]:
    """A class and all that are made from it."""
    return [root, *(made for each in root.__subclasses__() for made in every(each))]


def classes() -> list[type[LdpError | MissingPackageError]]:
    """Our error classes that users meet, wherever in the package they are."""
    for module in pkgutil.walk_packages(ldp_verified.__path__, "ldp_verified."):
        if not module.name.endswith("__main__") and ".audit.plugin" not in module.name:
            with contextlib.suppress(MissingPackageError):  # an engine of its own environment
                importlib.import_module(module.name)
    found = [each for each in every(LdpError) if each.__module__.startswith("ldp_verified.")]
    return [*found, MissingPackageError]


def unexplained(found: list[type[LdpError | MissingPackageError]]) -> list[str]:
    """What is wrong with the codes of these classes."""
    lines = [f"{c.__name__}: has no code of its own" for c in found if "code" not in vars(c)]
    lines += [f"{c.__name__}: {c.code} has no page" for c in found if c.code not in codes()]
    lines += [
        f"{c.__name__}: the page of {c.code} does not name it"
        for c in found
        if c.code in codes() and f"`{c.__module__}.{c.__name__}`" not in page(c.code)
    ]
    used = {c.code for c in found}
    return [*lines, *(f"{code}: a page without an error" for code in codes() if code not in used)]


def test_every_error_has_a_page_and_every_page_an_error() -> None:
    found = classes()
    assert len(found) >= 13
    assert unexplained(found) == []


def test_what_lacks_a_code_or_a_page_is_noticed() -> None:
    class UncodedError(ParameterError):
        pass

    class UnexplainedError(ParameterError):
        code = "LDPE-NOBODY"

    found = classes()
    assert unexplained([*found, UncodedError]) == [
        "UncodedError: has no code of its own",
        f"UncodedError: the page of {ParameterError.code} does not name it",
    ]
    assert unexplained([*found, UnexplainedError]) == ["UnexplainedError: LDPE-NOBODY has no page"]
    fewer = [each for each in found if each is not ParameterError]
    assert unexplained(fewer) == ["LDPE-PARAMETER: a page without an error"]


@pytest.mark.parametrize("code", codes())
def test_a_page_has_its_parts_and_its_examples_hold(code: str) -> None:
    text = page(code)
    assert text.startswith(f"# {code}: ")
    heads = re.findall(r"^## .*$", text, re.MULTILINE)
    assert tuple(heads) in (HEADINGS, HEADINGS[:2])
    _, failed = failures(text)
    assert not failed, failed


def test_a_code_may_be_written_small_and_must_exist() -> None:
    assert page("ldpe-domain") == (FOLDER / "LDPE-DOMAIN.md").read_text(encoding="utf-8")
    assert title("LDPE-DOMAIN") == "a private value is not in the domain"
    with pytest.raises(ParameterError, match="LDPE-DOMAIN"):
        page("LDPE-NOBODY")
    with pytest.raises(ParameterError, match="code"):
        page("../explained/LDPE-DOMAIN")
