"""cvc5 as a program: SMT-LIB on stdin, answers on stdout. Run as a file, in a process of its own.

The wheel `cvc5` holds no such program. It does what the script says; nothing here decides anything.
"""

from __future__ import annotations

import importlib
import re
import sys


def main() -> None:
    """Answer the commands of a script one by one; z3's time limit becomes cvc5's."""
    cvc5 = importlib.import_module("cvc5")
    text = re.sub(r"\(set-option :timeout ", "(set-option :tlimit-per ", sys.stdin.read())
    solver = cvc5.Solver()
    solver.setOption("produce-models", "true")
    if "(set-logic" not in text:
        solver.setLogic("ALL")  # Without one it complains.
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "stdin")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        sys.stdout.write(command.invoke(solver, symbols))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
