"""Writes the survey's page, with the generated client in it, and the descriptor beside it.

python make_page.py FOLDER
"""

import html
import sys
from pathlib import Path

from ldp_verified import GRR
from ldp_verified.app.cli.clients import client_texts
from ldp_verified.deploy import Deployment

ANSWERS = ("Never", "Once", "Two or three times", "Once a week", "More often")
EPSILON = 1.5
HERE = Path(__file__).parent


def deployment() -> Deployment:
    """What the page and the collector agree on."""
    return Deployment(GRR(EPSILON, len(ANSWERS)), protocol="survey of skipped meals")


def page_text() -> str:
    """The page: one file, that needs no other."""
    agreed = deployment()
    made = agreed.mechanism
    client = client_texts(made, "javascript")[f"{made.name}.mjs"]
    assert isinstance(client, str)
    rows = [
        f'    <label><input type="radio" name="answer" value="{i}">{html.escape(each)}</label>'
        for i, each in enumerate(ANSWERS)
    ]
    true = round(100 * float(made.p))
    parts = {
        "CLIENT": client.replace("export ", ""),
        "SURVEY": agreed.digest.hex()[:16],
        "ANSWERS": "\n".join(rows),
        "COUNT": str(len(ANSWERS)),
        "TRUE": str(true),
        "OTHER": str(100 - true),
        "RATIO": f"{float(made.p / made.q):.1f}",
    }
    text = (HERE / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(page_text(), encoding="utf-8")
    deployment().save(folder / "survey.json")
