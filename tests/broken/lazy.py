"""Programs with the right law that read no more words than a report needs: the number tells."""

from __future__ import annotations

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Draw, Private, Program, Store, When
from ldp_verified.run.program.parts import fair, word_of


def lazy_k_rr_wide(k: int, mix: int, width: int) -> Program:
    """A uniform value is drawn only where it is told, so the truth takes fewer words."""
    word = word_of(width)
    share = (1 << width) // k
    lied = (*fair(word, k * share - 1, width), Store(Constant(0), word // share))
    told = When(word.less(mix), lied, (Store(Constant(0), Private()),))
    return check(Program("grr", k, width, 1, k, (Draw(word), told)))
