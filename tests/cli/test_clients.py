"""`generate --language`: clients on the disk, and what is refused before it is written."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, OUE
from ldp_verified.app.cli.clients import client_texts
from ldp_verified.deploy import Deployment
from ldp_verified.protocols import LGRR, RegionChoice, SafeRegions, SphereVector
from tests.cli.running import document, run
from tests.program.node import node
from tests.program.wasm import has_tools

POLL = ("generate", "grr", "--language", "c", "--k", "16", "--epsilon", "1")


def test_a_client_is_written_and_its_own_test_passes(tmp_path: Path) -> None:
    done = run(*POLL, "-o", tmp_path)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "grr.h").read_text() == client_texts(GRR(1.0, 16), "c")["grr.h"]
    assert run(*POLL, "-o", tmp_path / "grr.h").exit_code == 0  # it may be replaced
    main = '#define GRR_SELF_TEST\n#include "grr.h"\nint main(void) { return grr_self_test(); }\n'
    (tmp_path / "main.c").write_text(main)
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "main.c"]
    subprocess.run([*command, "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


SURVEY = ("generate", "oue", "--language", "javascript", "--k", "9", "--epsilon", "1")


@pytest.mark.parametrize("into", [".", "oue.mjs"])
def test_a_module_and_its_types_are_written_beside_each_other(tmp_path: Path, into: str) -> None:
    for _ in range(2):  # they may be replaced
        assert run(*SURVEY, "-o", tmp_path / into).exit_code == 0
    texts = client_texts(OUE(1.0, 9), "javascript")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts
    assert set(texts) == {"oue.mjs", "oue.d.mts"}
    assert run(*SURVEY).stdout == texts["oue.mjs"]
    if node() is not None:
        use = (
            "import { webcrypto } from 'node:crypto';\nglobalThis.crypto ??= webcrypto;\n"
            "import { report } from './oue.mjs';\nconsole.log(String(report(8)));\n"
        )
        (tmp_path / "use.mjs").write_text(use)
        command = [str(node()), str(tmp_path / "use.mjs")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert 0 <= int(done.stdout) < 1 << 9


@pytest.mark.parametrize("language", ["c", "javascript"])
def test_a_client_of_numbers_says_what_a_position_is(language: str) -> None:
    done = run("generate", "piecewise", "--language", language, "--epsilon", 1)
    assert done.exit_code == 0, done.stderr
    assert "(x - (-1.0)) / (1.0 - (-1.0)) * 2^52" in done.stdout


@pytest.mark.parametrize("name", ["geometric", "staircase", "she"])
def test_a_client_of_unbounded_noise_says_what_its_number_of_words_tells(name: str) -> None:
    """In the head of the file, and on stderr before it is written."""
    said = "report and number of words together have no finite epsilon: at epsilon 1 they have"
    sizes = ("--k", 4, "--set", "grid=4") if name == "she" else ()
    done = run("generate", name, "--language", "c", "--epsilon", 1, *sizes)
    assert done.exit_code == 0
    head = " ".join(done.stdout.split("*/")[0].replace("\n * ", " ").split())
    (line,) = done.stderr.splitlines()
    for text in (head, line):
        assert said in text
        other_way = "oue estimates" if name == "she" else "truncated_geometric has noise of bounded"
        assert other_way in text
    other = run("generate", "truncated_geometric", "--language", "c", "--epsilon", 1)
    assert "no finite epsilon" not in other.stdout + other.stderr


GROUPS: list[tuple[str, tuple[str, ...]]] = [
    ("range_tree", ("--k", "16")),
    ("range_wavelet", ("--k", "16")),
    ("box_wavelet", ("--set", "sizes=[3,4]")),
    ("parity_tables", ("--set", 'attributes=["a","b"]')),
    ("sample_one", ("--set", 'sizes=[2,["no","yes"],9]')),
    ("padded_response", ("--k", "9", "--set", "length=2")),
    ("candidate_sizes", ("--set", "items=9", "--set", "candidates=[[1],[2,3]]")),
    ("split", ("--set", "sizes=[2,9]")),
    ("sample_among_fakes", ("--set", "sizes=[2,9]")),
    ("sample_among_fake_bits", ("--set", "sizes=[2,9]")),
    ("change_tree", ("--set", "days=9")),
    ("voted_mean", ("--set", "epochs=3")),
    ("range_hierarchy", ("--k", "100")),
    ("range_grid", ("--set", 'attributes={"a":9,"b":5}')),
    ("joint_tables", ("--set", 'attributes={"a":["no","yes"],"b":5}')),
    ("plane_noise", ("--set", "columns=4", "--set", "rows=3")),
]


@pytest.mark.parametrize(("name", "more"), GROUPS)
def test_clients_of_protocols_with_groups_are_printed(
    name: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    """By name, and from the descriptor's file; the head says what a tuple or a vote is."""
    printed = []
    for language in ("c", "javascript"):
        done = run("generate", name, "--language", language, "--epsilon", 1, *more)
        assert done.exit_code == 0, done.stderr
        assert ("A value is" in done.stdout) == ("--set" in more)
        printed.append(done.stdout)
    if name in ("range_hierarchy", "range_grid", "joint_tables"):  # their schemes are deployed
        return
    file = tmp_path / "survey.json"
    assert run("deploy", name, "--epsilon", 1, *more, "-o", file).exit_code == 0
    assert run("generate", file, "--language", "javascript").stdout == printed[1]


REGIONS = {"world": ["east", "west"], "west": ["a */ b", "/* c"]}
TAGS = {"world": ["<script>", "</p>"], "</p>": ["a", "b"]}
CHOICE = ("--set", "region=west", "--set", "epsilon=2")


def test_a_client_of_safe_regions_is_that_of_a_choice(tmp_path: Path) -> None:
    """By name and from the descriptor; names of places end no comment."""
    made = SafeRegions(REGIONS, (0.5, 2.0), 9)
    right = client_texts(RegionChoice(made, "west", 2.0), "c")["safe_regions.h"]
    tree = f"regions={json.dumps(list(REGIONS.items()))}"
    own = ("--set", tree, "--set", "epsilons=[0.5,2]", "--set", "seed=9")
    done = run("generate", "safe_regions", "--language", "c", *own, *CHOICE)
    assert done.stdout == right, done.stderr
    head = right.split("\n */")[0][2:]
    assert "*/" not in head
    assert "/*" not in head
    assert "0 is 'a * / b', 1 is '/ * c'" in " ".join(head.replace("\n *", " ").split())
    Deployment(made).save(tmp_path / "places.json")
    file = ("generate", tmp_path / "places.json", "--language", "c")
    assert run(*file, "--epsilon", 2, "--set", "region=west").stdout == right
    for more, message in (
        ((), "region: must be given"),
        (("--set", "region=west"), "epsilon: must be"),
        (("--set", "region=mars", "--epsilon", "2"), "region: must be a region of the taxonomy"),
        (("--set", "region=west", "--epsilon", "3"), "epsilon: must be one of (0.5, 2.0)"),
        (("--set", "seed=1", *CHOICE), "--set: must not be given beside a descriptor"),
    ):
        done = run(*file, *more)
        assert done.exit_code == 2
        assert message in " ".join(done.stderr.split())
    Deployment(GRR(1.0, 16)).save(tmp_path / "poll.json")
    for others in (POLL, ("generate", tmp_path / "poll.json", "--language", "c")):
        done = run(*others, "--set", "region=west")
        assert (done.exit_code, "region: must be left out" in done.stderr) == (2, True)


@pytest.mark.parametrize("more", [(), ("--set", "other=1"), ("--set", "fanouts=3")])
def test_arguments_that_make_no_protocol_are_refused(more: tuple[str, ...]) -> None:
    done = run("generate", "range_hierarchy", "--language", "c", "--epsilon", 1, *more)
    assert done.exit_code == 2
    assert "RangeHierarchy" in done.stderr or "fanouts" in done.stderr


def test_a_client_is_printed() -> None:
    assert run(*POLL).stdout == client_texts(GRR(1.0, 16), "c")["grr.h"]
    assert "grr_report" in str(document(run(*POLL, "--json")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["grr", "--language", "cobol"],
            "--language: must be one of c, javascript, rust, wasm, got 'cobol'",
        ),
        (["--language", "c"], "SPEC: must be one name"),
        (["grr", "--language", "c", "--check"], "goes with neither --check nor --accept"),
        (["grr", "--k", "4"], "--language: must be given with --k"),
        (["grr", "--language", "c", "--epsilon", "1"], "k"),
        (
            ["sphere_vector", "--language", "c", "--epsilon", "1", "--set", "d=4"],
            "must be a mechanism that has a program: docs/devices.md lists them",
        ),
        (["geometric", "--language", "c"], "epsilon: must be given for geometric"),
        (["nosuch", "--language", "c"], "which docs/catalogue.md lists, got 'nosuch'"),
        (["grrr", "--language", "c"], "such as GRR or LGRR, got 'grrr'"),
        (["no-such.json", "--language", "c"], "must be a file, if it ends in .json"),
        ([*POLL[1:], "-o", "pyproject.toml"], "must be a new file or one that generate wrote"),
        ([*SURVEY[1:], "-o", "oue.js"], "must be a folder or end in .mjs"),
        ([*POLL[1:], "-o", "no/such/grr.h"], "must lie in an existing folder"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments: list[str], message: str) -> None:
    done = run("generate", *arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize("language", ["c", "javascript", "rust", "wasm"])
def test_a_descriptor_makes_the_client_of_its_mechanism(tmp_path: Path, language: str) -> None:
    """The arguments are read from the file, and written out again in the client's first lines."""
    if language == "wasm" and not has_tools():
        return
    made = OLH(1.5, 300, g=4)
    Deployment(made, protocol="a poll", round=2).save(tmp_path / "poll.json")
    done = run("generate", tmp_path / "poll.json", "--language", language, "-o", tmp_path / "to")
    assert done.exit_code == 0, done.stderr
    for name, right in client_texts(made, language).items():
        written = (tmp_path / "to" / name).read_bytes()
        assert written == (right.encode() if isinstance(right, str) else right)


def test_the_client_of_a_protocol_has_the_descriptor_in_its_state(tmp_path: Path) -> None:
    """Two deployments with other epsilons: a state of the one is none of the other."""
    for name, report in (("a", 1.0), ("b", 0.5)):
        Deployment(LGRR(2.0, report, 5)).save(tmp_path / f"{name}.json")
        file = tmp_path / f"{name}.json"
        assert run("generate", file, "--language", "c", "-o", tmp_path / f"{name}.h").exit_code == 0
    lines = [
        next(
            each
            for each in (tmp_path / f"{name}.h").read_text().splitlines()
            if "identity[8]" in each
        )
        for name in ("a", "b")
    ]
    assert lines[0] != lines[1]


def test_descriptors_that_are_none_are_refused(tmp_path: Path) -> None:
    """Damage, a law that is another one, a mechanism without a program, options beside a file."""
    file = tmp_path / "poll.json"
    right = Deployment(GRR(1.0, 16)).text
    other = right.replace('"k":16', '"k":17')
    assert other != right
    noisy = Deployment(SphereVector(1.0, 4)).text
    for text, more, message in (
        (right[:-1], [], "descriptor"),
        (other, [], "descriptor"),
        (noisy, [], "must be a mechanism that has a program"),
        (right, ["--epsilon", "2"], "--set: must not be given beside a descriptor"),
    ):
        file.write_text(text)
        done = run("generate", file, "--language", "c", "-o", tmp_path / "to.h", *more)
        assert done.exit_code == 2, message
        assert message in " ".join(done.stderr.split())
        assert not (tmp_path / "to.h").exists()


def test_the_page_says_how_numbers_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's own lines, for a report of one number, of several, and of packed bits."""
    page = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
    text = page.split("## At the collector")[1].split("```python\n")[1].split("```")[0]
    shown = "numbers = [[3], [0], [3], [15]]"
    assert shown in text
    monkeypatch.chdir(tmp_path)
    for made in (GRR(1.0, 16), OLH(1.0, 16, g=4), OUE(1.0, 70)):
        Path("survey.json").unlink(missing_ok=True)
        Deployment(made).save(Path("survey.json"))
        report = made.client().report
        given = [report(3) for _ in range(50)]
        drawn = [[*each] if isinstance(each, tuple) else [each] for each in given]
        names: dict[str, Any] = {}
        exec(text.replace(shown, f"numbers = {drawn}"), names)
        assert names["estimate"].n == 50
        right = made.empty()
        sampler = made.sampler()
        rows = np.array(drawn, dtype=sampler.dtype)
        right.update(made.reports(rows.reshape(50, *sampler.shape), simulated=False))
        assert np.array_equal(names["estimate"].counts, right.estimate().counts)


CRATE = ("generate", "grr", "--language", "rust", "--k", "4", "--epsilon", "1")


@pytest.mark.parametrize("made", [GRR, OUE, lambda *a, **b: LGRR(2.0, *a, **b)])
def test_the_head_says_which_number_is_which_label(made: Any) -> None:
    labels = {"a */ b": 2, "blue": 0, "10": 1}
    (text,) = client_texts(made(1.0, 3, categories=labels), "c").values()
    head = str(text).split("\n */")[0]
    values = [line for line in head.splitlines() if line.startswith(" * Value ")]
    assert values == [' * Value 0 is "blue"', ' * Value 1 is "10"', ' * Value 2 is "a * / b"']
    assert "Value 0" not in str(client_texts(GRR(1.0, 3), "c"))


def test_no_label_ends_or_begins_an_element_of_a_page() -> None:
    """A module that is pasted into a script of a page stays in it."""
    labels = {"</script><img src=x onerror=alert(1)>": 0, "<!--<script>": 1, "a < b": 2}
    places = RegionChoice(SafeRegions(TAGS, (2.0,)), "</p>", 2)
    for made in (GRR(1.0, 3, categories=labels), places):
        for text in client_texts(made, "javascript").values():
            assert not re.search(r"<[!/a-z]", str(text))
    text = str(client_texts(GRR(1.0, 3, categories=labels), "javascript")["grr.mjs"])
    (line,) = (each for each in text.splitlines() if each.startswith(" * Value 0 is "))
    assert json.loads(line.split(" is ")[1]) == "</script><img src=x onerror=alert(1)>"


def test_the_help_names_every_language() -> None:
    shown = " ".join(run("generate", "--help").stdout.replace("│", " ").split())
    assert "(c, javascript, rust, wasm)" in shown


FILTER = ("noise=0.5", "low=0.25", "high=0.75", "bits=32", "hashes=2")
NO_STRINGS = ("5", "red", '{"a":1,"b":2}', "null", '["a"]', '["a","a"]', '["a",1]', '["a",["b"]]')


@pytest.mark.parametrize("strings", [*NO_STRINGS, r'["a","\ud800"]', r'["a","b\n"]', '"ab"'])
@pytest.mark.parametrize("name", ["grr", "rappor"])
def test_strings_are_a_list_of_different_printable_texts(name: str, strings: str) -> None:
    sets = ("k=4", "epsilon=1") if name == "grr" else FILTER
    given = (word for each in (*sets, f"strings={strings}") for word in ("--set", each))
    done = run("generate", name, "--language", "c", *given)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "strings: must be a JSON list of two or more different printable" in done.stderr


def test_without_an_output_the_code_is_printed_and_a_document_has_every_file() -> None:
    texts = client_texts(GRR(1.0, 4), "rust")
    done = run(*CRATE)
    assert done.stdout == texts["src/lib.rs"]
    assert "this is src/lib.rs; --output writes Cargo.toml too" in done.stderr
    found = document(run(*CRATE, "--json"))["files"]
    assert {each["path"]: each["text"] for each in found} == texts
    if has_tools():
        wasm = ("generate", "grr", "--language", "wasm", "--k", "4", "--epsilon", "1")
        binary = document(run(*wasm, "--json"))["files"][-1]
        assert (binary["path"], binary["text"]) == ("grr.wasm", None)
        assert "a binary, so it is left out here" in binary["state"]
        assert run(*wasm).stdout == client_texts(GRR(1.0, 4), "wasm")["grr.mjs"]


@pytest.mark.parametrize(
    ("language", "name", "content"),
    [
        ("c", "notes.md", b"# Client of mine\n"),
        ("c", "grr.h", b"/*\n * Client of mine\n */\n"),
        ("rust", "Cargo.toml", b'# Client of ACME\n[package]\nname = "acme"\n'),
        ("wasm", "grr.wasm", b"\0asm\1\0\0\0MINE"),
    ],
)
def test_a_file_of_somebody_else_is_not_replaced(
    language: str, name: str, content: bytes, tmp_path: Path
) -> None:
    """What begins like a file of ours is none, if it does not say who wrote it."""
    if language == "wasm" and not has_tools():
        return
    (tmp_path / name).write_bytes(content)
    into = tmp_path / name if language == "c" else tmp_path
    done = run(*CRATE[:3], language, *CRATE[4:], "-o", into)
    assert done.exit_code == 2
    assert "--output: must be a new file or one that generate wrote" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("language", ["c", "javascript", "rust", "wasm"])
def test_files_of_ours_are_replaced_and_all_of_them_or_none(language: str, tmp_path: Path) -> None:
    if language == "wasm" and not has_tools():
        return
    call = (*CRATE[:3], language, *CRATE[4:], "-o", tmp_path / "to")
    for _ in range(2):
        assert run(*call).exit_code == 0
    names = [*client_texts(GRR(1.0, 4), language)]
    before = {name: (tmp_path / "to" / name).read_bytes() for name in names}
    (tmp_path / "to" / names[-1]).unlink()
    (tmp_path / "to" / names[-1]).mkdir()
    done = run(*call[:5], 5, *call[6:])
    assert (done.exit_code, "--output: must be a new file" in done.stderr) == (2, True)
    assert all((tmp_path / "to" / name).read_bytes() == before[name] for name in names[:-1])


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "src").write_text("x")
    done = run(*CRATE, "-o", tmp_path)
    assert (done.exit_code, "--output: must have folders in" in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["src"]


def test_what_the_system_refuses_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two files the second cannot be written: the first is not there either."""
    whole = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if "lib.rs" in path.name:
            raise OSError(28, "No space left on device")
        return whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    done = run(*CRATE, "-o", tmp_path)
    assert done.exit_code == 2
    assert "--output: cannot be written: No space left on device" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["src"]
