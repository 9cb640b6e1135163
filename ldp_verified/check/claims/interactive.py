"""Checks of conversations, of several curators, and of reports drawn by queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import sympy

from ldp_verified.analysis.interaction import (
    Curator,
    FiniteTable,
    Offer,
    Rejection,
    Remembering,
    Strategy,
    Talk,
    one_row_differs,
    strategies,
    view_table,
    worst_view,
)
from ldp_verified.check.claims.numeric import Case, Cases
from ldp_verified.check.claims.theorems import Stated
from ldp_verified.check.claims.wording import formula, given

if TYPE_CHECKING:
    from typing import Any

    from ldp_verified.analysis.interaction.parties import Messages, Share

REPORT_BY_QUERIES = Stated(
    "forall (X Y : Type) (M : mech X Y) (eps : R) (x0 : X) (xs : list X) (w : X -> R), "
    "stochastic M -> ldp M eps -> dom M x0 -> (forall x, In x xs -> dom M x /\\ 0 <= w x) -> "
    "sum_over xs w = 1 -> (forall y, In y (outs M) -> 0 < pr M x0 y) -> "
    "let p := fun y => sum_over xs (fun x => w x * pr M x y) in "
    "let accept := fun y => p y / (exp eps * pr M x0 y) in "
    "(forall y, In y (outs M) -> 0 <= accept y <= 1 /\\ pr M x0 y * accept y = exp (- eps) * p y) "
    "/\\ sum_over (outs M) (fun y => pr M x0 y * accept y) = exp (- eps)",
    script="""intros X Y M eps x0 xs w SM H D0 Hw W P p accept;
  assert (S : sum_over (outs M) p = 1) by
    (unfold p; rewrite sum_swap; rewrite <- W; apply sum_ext; intros x Hx;
     rewrite sum_scale; destruct (SM x (proj1 (Hw x Hx))) as [_ E]; rewrite E; ring);
  assert (K : forall y, In y (outs M) -> pr M x0 y * accept y = exp (- eps) * p y) by
    (intros y Hy; unfold accept; rewrite exp_Ropp; specialize (P y Hy);
     pose proof (exp_pos eps); field; lra);
  split; [intros y Hy; split; [| now apply K] |
    rewrite (sum_ext _ _ _ K), sum_scale, S; ring];
  specialize (P y Hy); pose proof (exp_pos eps);
  assert (B : 0 < exp eps * pr M x0 y) by (apply Rmult_lt_0_compat; assumption);
  unfold accept; split; [apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat];
    unfold p; apply sum_nonneg; intros x Hx; destruct (Hw x Hx) as [Dx Wx];
    apply Rmult_le_pos; [assumption | now apply (proj1 (SM x Dx))] |];
  apply Rmult_le_reg_r with (exp eps * pr M x0 y); [assumption|];
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra;
  unfold p; apply Rle_trans with (sum_over xs (fun x => w x * (exp eps * pr M x0 y)));
  [apply sum_le; intros x Hx; destruct (Hw x Hx) as [Dx Wx];
   apply Rmult_le_compat_l; [assumption | now apply H] |];
  rewrite sum_scale_right, W; lra""",
)
"""A trial of rejection sampling by the row of x0: it ends with y with probability e^-eps p(y)."""

REPORTS_NEAR_BY = Stated(
    "forall (Y : Type) (ys : list Y) (S : Y -> bool) (p r e : Y -> R) (t : R), 0 <= t < 1 -> "
    "(forall y, In y ys -> 0 <= p y /\\ 0 <= r y /\\ - t <= e y <= t) -> "
    "sum_over ys p = 1 -> sum_over ys r = 1 -> "
    "sum_over (filter S ys) (fun y => p y + r y * e y) / "
    "sum_over ys (fun y => p y + r y * e y) <= sum_over (filter S ys) p + t / (1 - t)",
    script="""intros Y ys S p r e t T H P Q;
  set (a := sum_over (filter S ys) p); set (Z := sum_over ys (fun y => p y + r y * e y));
  assert (A : 0 <= a <= 1) by (unfold a; rewrite sum_filter; split;
    [apply sum_nonneg; intros y Hy; destruct (H y Hy); destruct (S y); cbn; lra |
     rewrite <- P; apply sum_le; intros y Hy; destruct (H y Hy); destruct (S y); cbn; lra]);
  assert (B : forall y, In y ys -> - t <= e y <= t) by
    (intros y Hy; now destruct (H y Hy) as (_ & _ & E));
  assert (ZZ : Z = 1 + sum_over ys (fun y => r y * e y)) by
    (unfold Z; rewrite sum_plus, P; reflexivity);
  assert (L : 1 - t <= Z) by (rewrite ZZ; assert (- t <= sum_over ys (fun y => r y * e y)) by
    (replace (- t) with (sum_over ys (fun y => - t * r y)) by (rewrite sum_scale, Q; ring);
     apply sum_le; intros y Hy; pose proof (B y Hy); destruct (H y Hy) as (_ & Hr & _); nra); lra);
  assert (N : sum_over (filter S ys) (fun y => p y + r y * e y) <= a * Z + t);
  [replace (sum_over (filter S ys) (fun y => p y + r y * e y)) with
     (a + sum_over (filter S ys) (fun y => r y * e y)) by (unfold a; rewrite sum_plus; reflexivity);
   rewrite ZZ; assert (G : sum_over (filter S ys) (fun y => r y * e y)
     <= a * sum_over ys (fun y => r y * e y) + t);
   [rewrite sum_filter, <- sum_scale;
    replace t with (sum_over ys (fun y => t * r y)) by (rewrite sum_scale, Q; ring);
    rewrite <- sum_plus; apply sum_le; intros y Hy; pose proof (B y Hy);
    destruct (H y Hy) as (_ & Hr & _); destruct (S y); cbn;
    [assert (e y * (1 - a) <= t) by nra | assert (- e y * a <= t) by nra]; nra | lra] |];
  apply Rmult_le_reg_r with Z; [lra|]; unfold Rdiv at 1;
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra;
  apply Rle_trans with (a * Z + t); [exact N|];
  assert (t <= t / (1 - t) * Z); [|lra];
  apply Rle_trans with (t / (1 - t) * (1 - t)); [right; field; lra|];
  apply Rmult_le_compat_l; [| exact L];
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]""",
)
"""Acceptance that is off by e y, relative to proposals r: a set gains at most t/(1 - t)."""

NEAR_SHARES = Stated(
    "forall (X Y : Type) (near : X -> X -> Prop) (eps : R), 0 <= eps -> "
    "forall (before after : list (mech X Y)) (Q : mech X Y) (xs rest : list X) (x x' : X) "
    "(ys : list Y), length before = length xs -> "
    "(forall P, In P (before ++ Q :: after) -> stochastic P) -> "
    "(forall a b y, near a b -> dom Q a -> dom Q b -> In y (outs Q) -> "
    "pr Q a y <= exp eps * pr Q b y) -> near x x' -> "
    "fits (before ++ Q :: after) (xs ++ x :: rest) ys -> "
    "fits (before ++ Q :: after) (xs ++ x' :: rest) ys -> "
    "length ys = length (xs ++ x :: rest) -> "
    "transcript (before ++ Q :: after) (xs ++ x :: rest) ys <= "
    "exp eps * transcript (before ++ Q :: after) (xs ++ x' :: rest) ys",
    script="""intros X Y near eps He before;
  induction before as [|P before IH]; intros after Q [|a xs] rest x x' ys L St Hq N F F' Ly;
  try discriminate; destruct ys as [|y ys]; try discriminate; cbn in *;
  [destruct F as (Hx & Hy & F), F' as (Hx' & _ & F'); rewrite <- Rmult_assoc;
   apply Rmult_le_compat_r; [apply transcript_nonneg; [intros R0 I; apply St; now right |
   assumption] | now apply Hq] |];
  destruct F as (Hx & Hy & F), F' as (_ & _ & F');
  rewrite (Rmult_comm (pr P a y)), (Rmult_comm (pr P a y)), <- Rmult_assoc;
  apply Rmult_le_compat_r; [apply (proj1 (St P (or_introl eq_refl) a Hx)); assumption |];
  apply IH; auto""",
)
"""Several parties, one message of each: one of them, whose share is replaced by a near one."""


K, EPS, BETA, TRIALS = sympy.symbols("k eps beta M", positive=True)
ROUNDS, MANY, TWO = (1, 2, 3), 3, 2
NOISE = 3
"""The e^eps of a noisy count."""

HELD = ((3,), (2, 1), (1, 2), (1, 1, 1))
"""How many bits each party holds."""


def _bit(truth: str, lie: str) -> FiniteTable:
    """A randomizer of one bit: the probabilities of 0 under 0 and under 1."""
    p, q = Fraction(truth), Fraction(lie)
    return FiniteTable.of_laws({0: {0: p, 1: 1 - p}, 1: {0: q, 1: 1 - q}})


EVEN, UNEVEN = _bit("3/4", "1/4"), _bit("3/4", "1/2")
SMALL, OTHER = _bit("3/5", "2/5"), _bit("1/5", "2/5")
OFFERS: dict[str, dict[str, FiniteTable]] = {
    "one response": {"a": EVEN},
    "two responses": {"a": EVEN, "b": SMALL},
    "two uneven ones": {"a": UNEVEN, "b": OTHER},
}
KINDS: dict[str, type[Offer]] = {"drawn anew": Offer, "remembered": Remembering}


def _price(offer: Offer) -> Fraction:
    """The largest ratio of a single answer."""
    return max(each.worst().ratio or Fraction(0) for each in offer.tables.values())


def _by_strategies(curator: Curator, rounds: int) -> Fraction:
    """Find the largest ratio of a view with every strategy written out: the second opinion."""
    tables = (view_table(curator, each) for each in strategies(curator, rounds))
    return max(each.worst().ratio or Fraction(0) for each in tables)


def conversations(*, added: bool) -> Cases:
    """Decide if views of k answers, each within e^eps, are within e^(k eps), or within e^eps.

    Args:
        added: whether the epsilons of the k answers are added up.
    """
    exponent = K if added else sympy.S.One

    def one(name: str, how: str, rounds: int) -> Case:
        offer = KINDS[how](OFFERS[name])
        price = _price(offer)
        limit = price ** int(exponent.subs(K, rounds))
        worst = worst_view(offer, rounds)
        assert worst.ratio is not None
        said = "; ".join(f"{query}: {answer}" for query, answer in worst.y)
        return Case(
            {"offered": name, "answers": how, "rounds": rounds},
            worst.ratio <= limit,
            lambda: _by_strategies(offer, rounds) <= limit,
            {"e^eps of an answer": price, "ratio of a view": worst.ratio, "view": said},
            f"each answer is within {price}; the view ({said}) is {worst.ratio} times as likely "
            f"for {worst.x} as for {worst.other}",
        )

    def cases() -> Iterator[Case]:
        for rounds, name, how in product(ROUNDS, OFFERS, KINDS):
            if rounds < MANY or len(OFFERS[name]) == 1:
                yield one(name, how, rounds)

    limit = formula(sympy.exp(exponent * EPS))
    said = f"k answers, each within e^eps whatever was asked before, are together within {limit}"
    where = f"{_offered()}; {given({K: ROUNDS})}, from k = {MANY} on with one randomizer"
    return Cases(said, cases, where, "", ("enumeration",))


def _offered() -> str:
    """Render what the curators of the cases offer."""
    shown = (
        f"{how}: {', '.join(map(_as_text, tables.values()))}" for how, tables in OFFERS.items()
    )
    return f"curators of randomizers of a bit, {'; '.join(shown)}; answers {' or '.join(KINDS)}"


def _as_text(table: FiniteTable) -> str:
    rows = (", ".join(map(str, row)) for row in table.rows)
    return f"[{'; '.join(rows)}]"


def fixed_queries() -> Cases:
    """Decide if the worst view of all strategies is that of some fixed sequence of queries."""

    def one(name: str, how: str) -> Case:
        offer = KINDS[how](OFFERS[name])
        ways: Iterable[tuple[str, ...]] = product(offer.tables, repeat=TWO)
        fixed = max(view_table(offer, _fixed(way)).worst().ratio or Fraction(0) for way in ways)
        found = _by_strategies(offer, TWO)
        return Case(
            {"offered": name, "answers": how},
            found == fixed,
            lambda: worst_view(offer, TWO).ratio == fixed,
            {"all strategies": found, "fixed queries": fixed},
            f"fixed queries show a ratio {fixed}, strategies {found}",
        )

    where = f"{TWO} rounds, all strategies; {_offered()}"
    said = "the largest ratio of a view over all strategies is that over all fixed queries"
    return Cases(said, lambda: (one(*each) for each in product(OFFERS, KINDS)), where)


def _fixed(queries: tuple[str, ...]) -> Strategy:
    rest = queries[1:]
    return Strategy(queries[0], {answer: _fixed(rest) for answer in (0, 1)} if rest else {})


def _noisy_count(rows: int) -> FiniteTable:
    """A count of bits, told right or as another number: within NOISE for shares one row apart."""
    ladder = [[Fraction(1, NOISE ** abs(n - m)) for m in range(rows + 1)] for n in range(rows + 1)]
    # Cut at both ends: what is beyond counts there, so each row sums to the same.
    for n, weights in enumerate(ladder):
        weights[0] += Fraction(1, (NOISE - 1) * NOISE**n)
        weights[-1] += Fraction(1, (NOISE - 1) * NOISE ** (rows - n))
    return FiniteTable.of_laws(
        {
            share: {m: w / sum(ladder[sum(share)]) for m, w in enumerate(ladder[sum(share)])}
            for share in product((0, 1), repeat=rows)
        }
    )


def shares_apart(*, twice: bool) -> Cases:
    """Decide if all that parties send is within e^eps = NOISE, as each message is.

    Args:
        twice: whether the first party sends another message at the end.
    """

    def one(sizes: tuple[int, ...]) -> Case:
        order = [*range(len(sizes)), *([0] if twice else [])]
        tables = [_noisy_count(rows) for rows in sizes]

        def turn(sent: Messages) -> tuple[Any, FiniteTable] | None:
            at = len(sent)
            return (order[at], tables[order[at]]) if at < len(order) else None

        held: dict[Any, list[Share]] = {i: list(each.inputs) for i, each in enumerate(tables)}
        talk = Talk(held, turn)
        worst = max(talk.worst(party).ratio or Fraction(0) for party in held)
        return Case(
            {"rows of the parties": " ".join(map(str, sizes))},
            worst <= NOISE,
            lambda: (talk.table().worst(_one_row_of_one).ratio or 0) <= NOISE,
            {"ratio of all messages": worst},
            f"each message is within {NOISE}, all messages together have the ratio {worst}",
        )

    held = ", ".join(" + ".join(map(str, sizes)) for sizes in HELD)
    where = f"parties that hold {held} bits and send noisy counts of e^eps = {NOISE}"
    what = "and the first party sends twice" if twice else "and each party sends once"
    said = f"messages are within e^eps for shares one row apart, {what}: so is all that is sent"
    return Cases(said, lambda: map(one, HELD), where)


def _one_row_of_one(held: tuple[Share, ...], other: tuple[Share, ...]) -> bool:
    differ = [(a, b) for a, b in zip(held, other, strict=True) if a != b]
    return len(differ) == 1 and one_row_differs(*differ[0])


TOLERANCE = BETA / (TRIALS * (1 + BETA))
"""The tolerance that is proved; M is how many trials a report takes on average."""

BETAS = (Fraction(1, 10), Fraction(1))
LAWS = ((2, 5), (3, 4))
"""(reports, parts): every law of so many reports whose probabilities are such parts."""


def reports_by_queries(*, tolerance: Any = TOLERANCE) -> Cases:
    """Decide if a tolerance of the queries keeps reports within beta of their law.

    Args:
        tolerance: an expression in `BETA` and `TRIALS`.
    """

    def one(rows: tuple[tuple[Fraction, ...], ...], beta: Fraction, weight: Fraction) -> Case:
        table = FiniteTable((0, 1), tuple(range(len(rows[0]))), rows)
        made = Rejection(table)
        put = {BETA: _number(beta), TRIALS: _number(made.trials)}
        found = tolerance.subs(put)
        tau = Fraction(int(found.p), int(found.q))
        law = table.law((weight, 1 - weight))
        assert made.proposal is not None
        exact = [p / (r * made.trials) for p, r in zip(law, made.proposal, strict=True)]

        def far(signs: tuple[int, ...]) -> Fraction:
            told = [a + tau * s for a, s in zip(exact, signs, strict=True)]
            if max(told) <= 0:
                return Fraction(1)
            found, _ = made.law(dict(enumerate(told)))
            return sum((abs(a - b) for a, b in zip(found, law, strict=True)), Fraction(0)) / 2

        worst = max(map(far, product((-1, 1), repeat=len(law))))
        return Case(
            {"P(.|0)": rows[0], "P(.|1)": rows[1], "beta": beta, "share of 0": weight},
            worst <= beta,
            lambda: _largest_excess(law, made, tau) <= beta,
            {"tolerance": tau, "distance": worst},
            f"answers within {tau} give a law that is {worst} away, allowed is {beta}",
        )

    def cases() -> Iterator[Case]:
        for outputs, parts in LAWS:
            counts = [c for c in product(range(1, parts), repeat=outputs) if sum(c) == parts]
            laws = [tuple(Fraction(i, parts) for i in c) for c in counts]
            for rows in product(laws, repeat=2):
                for beta, weight in product(BETAS, (0, 1)):
                    yield one(rows, beta, Fraction(weight, 2))

    said = f"answers within {formula(tolerance)} give reports within beta of their law"
    sizes = ", ".join(f"{outputs} reports in parts of 1/{parts}" for outputs, parts in LAWS)
    where = f"randomizers of a bit with {sizes}; {given({BETA: BETAS})}; all corners of answers"
    return Cases(said, cases, where)


def _number(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _largest_excess(law: tuple[Fraction, ...], made: Rejection, tau: Fraction) -> Fraction:
    """Compute the largest excess over sets of reports: the most that a set gains."""
    assert made.proposal is not None
    t, found = tau * made.trials, Fraction(0)
    pairs = list(zip(law, made.proposal, strict=True))
    if t >= 1 and all(p <= t * r for p, r in pairs):
        return Fraction(1)
    for chosen in product((False, True), repeat=len(law)):
        gained = [
            min(max(p + (t if inside else -t) * r, Fraction(0)), made.trials * r)
            for (p, r), inside in zip(pairs, chosen, strict=True)
        ]
        if not sum(gained):
            continue
        own = sum((g for g, inside in zip(gained, chosen, strict=True) if inside), Fraction(0))
        was = sum((p for p, inside in zip(law, chosen, strict=True) if inside), Fraction(0))
        found = max(found, own / sum(gained) - was)
    return found
