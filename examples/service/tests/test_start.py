"""The commands of the README start a service that counts the report of its example, and stops."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from collector.database import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parents[1]
README = (HERE / "README.md").read_text(encoding="utf-8")


def commands(empty: str, port: int) -> str:
    """The first block of the README, without the installation, for this database and port."""
    lines = [line.strip() for line in README.splitlines() if line.startswith("    ")]
    start = next(i for i, line in enumerate(lines) if "make-keys" in line) - 1
    end = next(i for i, line in enumerate(lines) if "collector serve" in line)
    text = "\n".join(lines[start : end + 1]).replace("dbname=reports", empty)
    text = text.replace("--port 8000", f"--port {port}").replace(
        "python -m collector serve", "serve"
    )
    text = re.sub(r"^python ", "$0 ", text, flags=re.MULTILINE)
    return text.replace("serve", "exec $0 -m collector serve")


def answers(url: str) -> Iterator[bytes]:
    """What the server says, at most 600 times."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=10) as response:
                yield response.read()
        except OSError:
            subprocess.run(["sleep", "0.1"], check=True)


def test_the_readme(empty: str, tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    script = f"set -e\n{commands(empty, port)}"
    shell = ["bash", "-c", script, sys.executable]
    with subprocess.Popen(shell, cwd=tmp_path, env=environment) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            assert next(answers(f"{url}/health")) == b"fine\n"
            settings = {"DATABASE": empty, "DEPLOYMENT": "deployment.json"}
            settings |= {"KEYS": "keys.json", "COUNTERS": "counters"}
            own = environment | {f"COLLECTOR_{name}": text for name, text in settings.items()}
            asked = [sys.executable, "-m", "collector", "token"]
            token = subprocess.run(asked, cwd=tmp_path, env=own, check=True, capture_output=True)
            block = README.partition("```py\n")[2].partition("```")[0]
            block = block.replace("http://127.0.0.1:8000", url)
            assert block.count('"..."') == 1
            program = block.replace('"..."', repr(token.stdout.decode().strip()))
            subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=own, check=True)
            assert b"1 reports, not ended yet" in next(answers(url))
        finally:
            server.send_signal(signal.SIGTERM)
    assert server.returncode in (0, -signal.SIGTERM)
