"""audit, replay and explain: verdicts as exit codes, files written, errors as one line.

Audits of true claims have level 1e-9 here; violations are far above their claims.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ldp_verified.check.audit.rules.rules import RULES
from tests.cli.running import ROOT, document, process, run

HOME = "tests.broken.audit.targets:"
CLIENT = f"{HOME}Client(1.0, 4).privatise"
TRUE = ["--level", "1e-9", "--no-checks"]


def audit(*more: object, target: str = CLIENT, epsilon: float = 1.0) -> list[object]:
    return ["audit", target, "--epsilon", epsilon, "--inputs", "0..3", *more]


def test_a_true_claim_exits_with_0() -> None:
    found = document(run(*audit(*TRUE, "-n", 60_000, "--json")))
    assert (found["exit_code"], found["verdict"]) == (0, "consistent")
    assert 0.5 < found["bound"] <= 1.0
    assert found["resolution"] <= found["tolerance"]
    assert found["plan"]["ceiling"] > 5
    assert [each["samples"] for each in found["plan"]["needed"]]


def test_a_false_claim_exits_with_1_and_can_be_replayed(tmp_path: Path) -> None:
    saved = tmp_path / "leak.json"
    files = {name: tmp_path / f"out.{name}" for name in ("junit", "sarif", "html")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    result = run(*audit("--no-checks", "-n", 8000, "--save", saved, *options, epsilon=0.2))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1].startswith("violated: eps >= ")
    assert "rejects the claim" in result.stdout
    assert ET.parse(files["junit"]).getroot().get("failures") == "1"
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"][0]["level"] == "error"
    assert files["html"].read_text().startswith("<!doctype html>")
    again = document(run("replay", saved, "-n", 8000, "--json"))
    assert (again["exit_code"], len(again["events"])) == (1, 1)
    event = json.loads(saved.read_text())["events"][0]
    assert again["events"][0]["event"]["kind"] == event["kind"]
    assert again["samples"] == {"learning": 0, "testing": 8000}


def test_too_few_samples_exit_with_3() -> None:
    result = run(*audit(*TRUE, "-n", 200))
    assert result.exit_code == 3
    assert "inconclusive" in result.stdout


def test_the_plan_is_said_before() -> None:
    result = process(*audit(*TRUE, "-n", 4000, "--as", "grr"))
    assert "4,000 samples to test with could show eps >= " in result.stderr
    assert "if it is what it is said to be" in result.stderr
    assert "samples to see a real eps above 1" in result.stderr


def test_named_checks_are_run_and_explained() -> None:
    target = f"{HOME}reseeding"
    arguments = ["audit", target, "--epsilon", 1, "--inputs", "0,1", "-n", 2000, "--json"]
    found = document(run(*arguments, "--level", "1e-9"))
    assert "LDP007" in [each["rule"] for each in found["findings"]]
    shown = run("explain", "ldp007")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("LDP007: ")
    assert len(document(run("explain", "--json"))["rules"]) == len(RULES)


def test_a_target_that_always_raises_is_given_up() -> None:
    broken = "tests.broken.audit.ending:never_works"
    for more in ((), ("--in-process",), ("--no-checks",)):
        found = document(run(*audit(*TRUE, "-n", 2000, "--json", *more, target=broken)))
        assert found["exit_code"] == 2
        assert "every call raised ImportError: " in found["error"]["message"]


def test_a_sequential_audit_of_a_clear_leak_stops_at_once() -> None:
    """All of it has fewer than 1,000 calls: named checks do not go on, and say so."""
    words = audit("--anytime", "--level", "1e-9", target="operator:index", epsilon=0.5)
    found = document(run(*words, "--json"))
    assert (found["exit_code"], found["verdict"]) == (1, "violated")
    assert found["calls"] <= 1000
    assert found["skipped"]["LDP008"] == "the claim was seen to be false after 800 samples"


def test_errors_are_explained() -> None:
    shown = run("explain", "ldpe-domain")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("# LDPE-DOMAIN: ")
    assert "LDPE-DOMAIN: a private value" in run("explain").stdout
    found = document(run("explain", "--json"))
    assert {"LDPE-SPEC", "LDPE-REPORT"} <= {each["code"] for each in found["errors"]}
    one = document(run("explain", "LDPE-SPEC", "--json"))
    assert (len(one["errors"]), one["rules"]) == (1, [])
    refused = run("explain", "LDP999", "--json")
    assert refused.exit_code == 2
    assert document(refused)["error"]["code"] == "LDPE-PARAMETER"
    assert "(more: ldp-verified explain LDPE-PARAMETER)" in refused.stderr


def test_a_finding_that_only_breaks_a_rule_can_be_replayed(tmp_path: Path) -> None:
    """No statistics: the global state is set to a fixed one, or not."""
    saved = tmp_path / "state.json"
    arguments = ["audit", f"{HOME}reseeding", "--epsilon", 1, "--inputs", "0,1", "-n", 2000]
    run(*arguments, "--level", "1e-9", "--save", saved)
    held = json.loads(saved.read_text())
    assert "LDP007" in [each["rule"] for each in held["findings"]]
    held["events"] = []
    held["findings"].append({"rule": "LDP012", "message": "", "replay": {}})
    saved.write_text(json.dumps(held))
    again = document(run("replay", saved, "--json"))
    assert "LDP007" in [each["rule"] for each in again["findings"]]
    assert "LDP007 is broken again" in again["notes"]
    assert "LDP012 was not seen to be broken again" in again["notes"]
    held["findings"] = []
    saved.write_text(json.dumps(held))
    assert run("replay", saved).exit_code == 2


def test_a_program(tmp_path: Path) -> None:
    """eps = ln 19 under a claim of 0.7, and eps = ln 1.5, which alarms with probability < 1e-9."""
    script = (
        "import random, sys\n"
        "for line in sys.stdin:\n"
        "    print(int(line) if random.random() < {} else 1 - int(line), flush=True)\n"
    )
    for share, code in (("0.95", 1), ("0.6", 0)):
        path = tmp_path / "client.py"
        path.write_text(script.format(share))
        options = ["--epsilon", 0.7, "--inputs", "0,1", "-n", 30_000, "--level", "1e-6"]
        options.append("--no-checks")
        result = run("audit", "--command", f"{sys.executable} {path}", *options)
        assert result.exit_code == code, result.output


def test_a_file_of_reports(tmp_path: Path) -> None:
    path = tmp_path / "campaign.csv"
    path.write_text("x,y\n" + "yes,1\nno,0\n" * 500 + "yes,0\nno,1\n" * 50)
    options = ["--input", "x", "--output", "y", "--epsilon"]
    assert run("audit", path, *options, 0.5).exit_code == 1
    assert run("audit", path, *options, 5).exit_code == 3


def test_a_table_and_a_configuration(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x,a,b\n0,2/3,1/3\n1,1/3,2/3\n")
    for epsilon, code in ((0.7, 0), (0.69, 1)):
        assert run("audit", "--table", table, "--epsilon", epsilon).exit_code == code
    found = document(run("audit", "--table", table, "--json"))
    assert (found["epsilon"][0]["ratio"], found["verdict"]) == ("2", None)
    rappor = tmp_path / "rappor.csv"
    rappor.write_text("k,h,m,p,q,f\n16,2,64,0.5,0.75,0.5\n")
    shown = run("audit", "--configuration", rappor, "--per-day", 24)
    assert "1.07429" in shown.stdout
    assert "4.39445" in shown.stdout
    assert "a day of 24 reports" in shown.stdout
    failed = run("audit", "--configuration", rappor, "--epsilon", 4.39, "--period", "ever")
    assert failed.exit_code == 1
    page = tmp_path / "page.html"
    assert run("audit", "--configuration", rappor, "--html", page).exit_code == 0
    assert "4.39445" in page.read_text()


def test_a_server_on_the_command_line(tmp_path: Path) -> None:
    """LDP010: the right server has no finding (level 1e-8), one that forgets to divide has.

    Whoever asks about a server is not told by exit code 0 that a wrong one is right.
    """
    junit = tmp_path / "junit.xml"
    options = ["--as", "grr", "-n", 100_000, "--json", "--level", "1e-9", "--no-checks"]
    options += ["--junit", junit]
    for name, rules, code in (("server", [], 0), ("raw_server", ["LDP010"] * 3, 1)):
        result = run(*audit(*options, "--estimator", f"{HOME}{name}"))
        found = document(result)
        assert [each["rule"] for each in found["findings"]] == rules
        assert (result.exit_code, found["verdict"]) == (code, "consistent")
        assert found["headline"].startswith("the server is wrong: LDP010, asked for") == bool(code)
        assert ("<failure" in junit.read_text()) == bool(code)
    assert run(*audit("--estimator", f"{HOME}server")).exit_code == 2
    assert run(*audit("--as", "grr", "--estimator", f"{HOME}SEED")).exit_code == 2


def test_pairs_and_upper_bounds_are_in_the_document() -> None:
    found = document(run(*audit(*TRUE, "-n", 20_000, "--json")))
    assert len(found["pairs"]) == 6
    assert found["approximate"]["status"] == "sampled"


def test_a_declared_output_space_bounds_eps_from_above() -> None:
    options = ["--level", "1e-9", "--no-checks", "-n", 20_000, "--outputs", "0..3"]
    result = run(*audit(*options, epsilon=2.0))
    assert "assumed: no outputs but those declared. Then eps <= 1." in result.stdout
    assert "utility given away" in result.stdout
    assert run(*audit("--outputs", "0")).exit_code == 2


def test_own_mechanisms_need_no_inputs() -> None:
    arguments = ["audit", "ldp_verified:OUE(1.0, 8)", "--epsilon", 1, "--as", "oue"]
    assert document(run(*arguments, *TRUE, "-n", 60_000, "--json"))["verdict"] == "consistent"


@pytest.mark.parametrize(
    "arguments,said",
    [
        (["audit"], "exactly one of"),
        (["audit", CLIENT], "--inputs"),
        (["audit", CLIENT, "--epsilon", 1], "--inputs"),
        (["audit", CLIENT, "--epsilon", 1, "--inputs", "0"], "at least two"),
        (["audit", CLIENT, "--epsilon", 1, "--inputs", "1..0"], "to a larger one, got '1..0'"),
        (["audit", "nosuch.module:f", "--epsilon", 1, "--inputs", "0,1"], "importable"),
        (["audit", CLIENT, "--epsilon", -1, "--inputs", "0..3"], "epsilon"),
        (audit("--as", "olh"), "--reading"),
        (audit("--as", "grr", "--set", "k"), "NAME=VALUE"),
        (audit("--as", "grr", "--set", "z=1"), "--set"),
        (["audit", "--command", "no-such-program", "--epsilon", 1, "--inputs", "0,1"], "must run"),
        (["audit", "none.jsonl", "--epsilon", 1], "package.module:expression, got 'none.jsonl'"),
        (["audit", "--table", "none.csv"], "none.csv: no such file ("),
        (["replay", "none.json"], "none.json: no such file ("),
        (["explain", "LDP999"], "LDP001"),
        (audit("--bulk", "--repeat", 2), "--bulk"),
    ],
)
def test_bad_usage_exits_with_2(arguments: list[object], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--outside", "7,9", "--calls", "4000"], "--outside: must be looked at, and LDP014"),
        (["--outside", "7,9", "--no-checks"], "--outside: must come without --no-checks"),
        (["--timing", "--calls", "250"], "--timing: must be looked at, and LDP017"),
        (["--beside", "--calls", "250", "--json"], "--beside: must be looked at, and LDP018"),
    ],
)
def test_what_an_option_asked_for_is_looked_at_or_refused(asked: list[str], said: str) -> None:
    """It would have been left out, and the audit have passed without it."""
    result = run(*audit("--level", "1e-9", *asked))
    assert result.exit_code == 2
    assert said in result.stderr + result.stdout
    assert "consistent" not in result.stdout


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_gives_what_is_known(sent: signal.Signals) -> None:
    """A process of its own, interrupted after two seconds of a long audit, by whoever."""
    arguments = ["-m", "ldp_verified", *map(str, audit("--as", "grr", "-n", 10**7, "--no-checks"))]
    # A shell's background job ignores Ctrl-C, and so would whatever it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    signal.signal(signal.SIGINT, before)
    assert running.stderr is not None
    for _ in range(3):  # the plan: from here on it samples
        running.stderr.readline()
    time.sleep(2)
    running.send_signal(sent)
    out, err = running.communicate(timeout=60)
    assert running.returncode in (0, 3), err
    assert "interrupted: bounds are those that hold at every time" in out
    assert "samples tested" in out


@pytest.mark.parametrize("name", ["prints", "goes_on", "leaves_a_child"])
@pytest.mark.parametrize("where", [[], ["--in-process"]], ids=["apart", "in-process"])
def test_json_is_one_document_whatever_the_target_prints(name: str, where: list[str]) -> None:
    """Stdout is read until whoever has it is gone: threads, children and the end included."""
    target = f"tests.broken.audit.noisy:{name}"
    done = process(*audit(*TRUE, "-n", 1000, "--json", *where, target=target))
    assert json.loads(done.stdout)["exit_code"] == done.returncode == 3


def test_json_is_one_document_whatever_a_reading_prints() -> None:
    options = ["--as", "grr", "--reading", "says:tests.broken.audit.noisy:says"]
    done = process(*audit(*TRUE, "-n", 1000, "--json", *options))
    assert json.loads(done.stdout)["exit_code"] == done.returncode == 3


def test_a_file_that_cannot_be_written_is_refused_before_the_audit(tmp_path: Path) -> None:
    gone = tmp_path / "gone" / "file"
    for option in ("--junit", "--sarif", "--html", "--save"):
        for path in (gone, tmp_path):
            found = document(run(*audit(option, path, "--json", target="no.such:target")))
            assert found["error"]["argument"] == option


def test_results_that_clash_are_refused_before_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target.py").write_text("def report(value): return value\n")
    (tmp_path / "reports.csv").write_text("input,output\n0,0\n")
    (tmp_path / "again.json").symlink_to(tmp_path / "one.json")
    for target, options, wrong in (
        ("no.such:target", ("--save", "one.json", "--html", "again.json"), "--html"),
        ("no.such:target", ("--junit", "one.xml", "--sarif", tmp_path / "one.xml"), "--sarif"),
        ("target:report", ("--save", "target.py"), "--save"),
        ("reports.csv", ("--html", "reports.csv"), "--html"),
    ):
        found = document(run(*audit(*options, "--json", target=target)))
        assert found["error"]["argument"] == wrong
    assert (tmp_path / "target.py").read_text().startswith("def")


def test_inputs_that_cannot_be_saved_are_refused_before_the_audit(tmp_path: Path) -> None:
    saved = ("--inputs", "[NaN, 1]", "--save", tmp_path / "leak.json", "--json")
    found = document(run("audit", "no.such:target", "--epsilon", 1, *saved))
    assert found["error"]["argument"] == "--save"


@pytest.mark.parametrize("text", ["[" * 100_000, None])
def test_a_finding_that_is_none_is_refused(text: str | None, tmp_path: Path) -> None:
    saved = tmp_path / "leak.json"
    held = {
        "schema": "ldp-verified/finding/1",
        "options": {"confidence": [1]},
        "target": {"kind": "callable", "reference": CLIENT, "inputs": [0, 1]},
        "claim": {"epsilon": 1.0, "delta": 0.0, "level": 0.01, "n": 1000},
        "events": [],
        "findings": [],
    }
    saved.write_text(json.dumps(held) if text is None else text)
    result = run("replay", saved)
    assert result.exit_code == 2
    assert text is not None or "must hold another confidence" in result.output


MODULE = """
import random

def client(value):
    seed = random.randrange(100)
    return [seed, (value + seed) % 2 if random.random() < 0.7 else random.randrange(2)]

def bucket_of(seed, value):
    return (value + seed) % 2

def broken(seed, value):
    raise ValueError("no bucket")

def ends(seed, value):
    raise SystemExit(1)
"""


@pytest.mark.parametrize(
    ("reading", "outcome", "said"),
    [
        ("hash:mylib:bucket_of", (0, 3), "eps"),
        ("hash:mylib:broken", (2,), "--reading: must read every report (ValueError: no bucket)"),
        ("hash:mylib:ends", (2,), "--reading: must read every report (SystemExit: 1)"),
        ("hash:mylib:none", (2,), "--reading: must be importable"),
    ],
)
def test_a_reading_is_found_in_the_working_directory(
    reading: str, outcome: tuple[int, ...], said: str, tmp_path: Path
) -> None:
    """A true claim at level 1e-9; 0.85 against 0.15 is eps = 1.73, and 3 is claimed."""
    (tmp_path / "mylib.py").write_text(MODULE)
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from ldp_verified.app.cli import main; main()"),
            *("audit", "mylib:client", "--epsilon", "3", "--inputs", "0..1", "--level", "1e-9"),
            *("-n", "2000", "--no-checks", "--reading", reading),
        ],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        timeout=300,
    )
    assert done.returncode in outcome
    assert said in done.stdout + done.stderr
    assert ("samples to see" in done.stderr) != reading.endswith("none")  # the plan
