"""The pages for those who carry the work on name what is there, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

FILE = re.compile(r"`((?:ldp_verified|spec|proofs|tests|release)/[\w./-]*)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")
"""A link to a file of ours, and the part of it that is meant."""


def named(page: Path) -> str:
    """The name of a page, for a test's."""
    return page.name


def missing_files(text: str) -> list[str]:
    """Files and folders that a page names and that are not there."""
    return [name for name in FILE.findall(text) if not (ROOT / name).exists()]


def packages(text: str) -> set[str]:
    """The folders that the tables of a page describe."""
    tables = text.partition("## The wings\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([\w/]+)` \|", tables, re.MULTILINE))


def terms(text: str) -> list[tuple[str, list[str]]]:
    """Each name of a glossary, with the words that are not used for it."""
    rows = re.findall(r"^\| (?!name \||---)(.+?) \| .+ \|([^|]*)\|$", text, re.MULTILINE)
    return [(name, [w.strip() for w in other.split(",") if w.strip()]) for name, other in rows]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as hosts make them."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", plain, re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", head.lower()).strip() for head in heads]
    return {"#" + head.replace(" ", "-") for head in kept}


def broken_links(text: str, page: Path) -> list[str]:
    """Links to a file, or to a heading of a page, that is not there."""
    found = []
    for target, anchor in LINK.findall(text):
        file = page.parent / target
        if not file.exists():
            found.append(target)
        elif anchor and file.suffix == ".md":
            held = anchors(file.read_text(encoding="utf-8"))
            found += [] if anchor in held else [target + anchor]
    return found


def other_words(text: str, glossary: str) -> list[str]:
    """Words that a glossary does without and a text has."""
    unwanted = [word for _, words in terms(glossary) for word in words]
    return [w for w in unwanted if re.search(rf"\b{re.escape(w)}", text, re.IGNORECASE)]


def test_the_architecture_page_names_what_is_there() -> None:
    assert len(FILE.findall(ARCHITECTURE)) > 15
    assert missing_files(ARCHITECTURE) == []
    package = ROOT / "ldp_verified"
    modules = [*package.glob("*/*.py"), *package.glob("*/*/*.py")]
    held = {path.parent.relative_to(package).as_posix() for path in modules if path.stem[0] != "_"}
    assert packages(ARCHITECTURE) - {"prove/added"} == held


def test_what_is_not_there_is_noticed() -> None:
    assert missing_files("`ldp_verified/prove/nothing.py` and `spec/grr.py`") == [
        "ldp_verified/prove/nothing.py"
    ]
    text = "## The wings\n\n### a\n\n| `run/kernels` | a |\n\n## Next\n\n| `app/report` | b |\n"
    assert packages(text) == {"run/kernels"}


def test_the_glossary_has_each_name_once_and_in_order() -> None:
    names = [name.lower() for name, _ in terms(GLOSSARY)]
    assert len(names) > 40
    assert names == sorted(set(names))
    others = [word.lower() for _, words in terms(GLOSSARY) for word in words]
    assert not set(others) & set(names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    assert broken_links(page.read_text(encoding="utf-8"), page) == []


def test_a_broken_link_is_noticed() -> None:
    page = ROOT / "docs" / "glossary.md"
    text = "[a](nowhere.md) [b](audit.md#nothing) [c](../README.md) [d](https://example.org/x)"
    assert broken_links(text, page) == ["nowhere.md", "audit.md#nothing"]
    assert broken_links("[e](architecture.md#the-wings)", page) == []


def unusable(text: str) -> list[str]:
    """Good first tasks without a file that is there, or without a check that can be run."""
    table = text.partition("## Good first tasks")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!task \||---)(.+) \| `(.*)` \| `(.*)` \|$", table, re.MULTILINE)
    rules = re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = " ".join(rules).split()
    found = [] if len(rows) == table.count("\n| ") - 2 else ["a row without a file or a check"]
    for task, file, check in rows:
        last = check.split()[-1]
        names = {"make": last in targets, ".venv/bin/pytest": (ROOT / last).is_file()}
        module = re.search(r"-m (\S+)", check)
        names[".venv/bin/python"] = (
            module is not None and (ROOT / f"{module[1].replace('.', '/')}.py").is_file()
        )
        if not (ROOT / file).is_file() or not names.get(check.split()[0], False):
            found.append(task)
    return found


def test_each_good_first_task_names_a_file_and_a_check() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert unusable(text) == []


def test_a_task_without_a_file_or_a_check_is_noticed() -> None:
    head = "## Good first tasks\n\n| task | open | done when |\n| --- | --- | --- |\n"
    assert unusable(head + "| a | `README.md` | `make test` |\n") == []
    assert unusable(head + "| a | `nowhere.md` | `make test` |\n") == ["a"]
    assert unusable(head + "| a | `README.md` | `make nothing` |\n") == ["a"]
    assert unusable(head + "| a | `README.md` | by hand |\n") == ["a row without a file or a check"]


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "glossary.md"], ids=named)
def test_pages_use_the_names_of_the_glossary(page: Path) -> None:
    # "Sanitizers" are those of compilers.
    text = page.read_text(encoding="utf-8")
    text = re.sub("[Ss]anitizers", "", text)
    assert other_words(text, GLOSSARY) == []


def test_another_word_is_noticed() -> None:
    assert other_words("they perturbed it", GLOSSARY) == ["perturb"]


def unsourced(text: str) -> list[str]:
    """Cells of a comparison's table of features that have neither a link nor a source's number."""
    table = text.partition("## Features")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")][2:]
    cells = [(row[0].strip(), cell.strip()) for row in rows for cell in row[1:]]
    sources = set(re.findall(r"^(\d)\. ", text.partition("## Sources")[2], re.MULTILINE))
    return [
        f"{row}: {cell}"
        for row, cell in cells
        if "](" not in cell and not sources.intersection(re.findall(r"\[(\d)\]", cell))
    ]


def test_each_cell_of_the_comparison_has_a_source() -> None:
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert unsourced(text) == []
    bare = text.replace("variances [5]", "variances").replace("none [3]", "none [9]", 1)
    assert [each.split(": ")[1] for each in unsourced(bare)] == ["none [9]", "variances"]
