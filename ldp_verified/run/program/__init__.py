"""Small programs that draw one report each: the reference of every printing in a language.

`schemes` writes them from the integer thresholds of a realized table, `checking` shows that they
stay within their ranges, `interpret` carries them out, `python` prints them and `client` runs that.
"""

from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.program.form import Program
from ldp_verified.run.program.interpret import DrawnReport, interpret
from ldp_verified.run.program.schemes import k_rr, k_rr_wide, local_hashing, one_hot

__all__ = [
    "DrawnReport",
    "Program",
    "ProgramClient",
    "interpret",
    "k_rr",
    "k_rr_wide",
    "local_hashing",
    "one_hot",
]
