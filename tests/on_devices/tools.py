"""C clients of every listed mechanism, and the tools that compile and run them. All are needed."""

from __future__ import annotations

import functools
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from ldp_verified.app.cli.clients import client_texts, program_of
from tests.program.listed import LISTED, strings_of

if TYPE_CHECKING:
    from pathlib import Path

USE = """
int use(VALUES, uint64_t *report, STATE int (*fill)(void *, size_t) SAVE);
int use(VALUES, uint64_t *report, STATE int (*fill)(void *, size_t) SAVE)
{
    return NAME_report(VALUE_GIVEN, report, STATE_GIVEN fill SAVE_GIVEN);
}
"""


class Client(NamedTuple):
    """A printed header.

    Attributes:
        name: of the program. text: the header. keeps: whether it keeps a state.
        wide: whether a value has two halves. length: how many numbers a value is; 0 for no array.
    """

    name: str
    text: str
    keeps: bool
    wide: bool
    length: int

    def tested(self, more: str = "") -> str:
        """A C text whose `client_test` returns what the header's own test does."""
        test = f"int client_test(void) {{ return {self.name}_self_test(); }}\n"
        start = f"#define {self.name.upper()}_SELF_TEST\n"
        return start + self.text + "int client_test(void);\n" + test + more

    def used(self) -> str:
        """A C text with the client alone, called from elsewhere."""
        values = "uint64_t upper, uint64_t value" if self.wide else "uint64_t value"
        parts = {
            "VALUES": "const uint64_t *value" if self.length else values,
            "VALUE_GIVEN": "upper, value" if self.wide else "value",
            "NAME_": f"{self.name}_",
            "STATE_GIVEN": "state," if self.keeps else "",
            "SAVE_GIVEN": ", save" if self.keeps else "",
            "STATE": "unsigned char *state," if self.keeps else "",
            "SAVE": ", int (*save)(const void *, size_t)" if self.keeps else "",
        }
        text = USE
        for name, part in parts.items():
            text = text.replace(name, part)
        return self.text + text


@functools.cache
def client(case: str) -> Client:
    """The client of a case of `LISTED`."""
    made = LISTED[case]
    program = program_of(made, strings_of(made))
    text = client_texts(made, "c", strings_of(made))[f"{program.name}.h"]
    assert isinstance(text, str)
    assert "_self_test" in text
    return Client(program.name, text, program.cells > 0, program.wide, program.length)


def ran(folder: Path, *command: str) -> str:
    """What a command prints. It must end well."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr
