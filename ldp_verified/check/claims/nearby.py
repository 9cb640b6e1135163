"""An (eps, delta)-private law has an eps-private one near it, within delta."""

from __future__ import annotations

from ldp_verified.check.claims.theorems import Stated

PURE_NEARBY = Stated(
    "forall (Y : Type) (ys : list Y) (p q : Y -> R) (eps delta : R), 0 <= eps -> (forall y, "
    "In y ys -> 0 <= p y /\\ 0 <= q y) -> sum_over ys p = 1 -> sum_over ys q = 1 -> (forall S, "
    "sum_over (filter S ys) p <= exp eps * sum_over (filter S ys) q + delta /\\ sum_over "
    "(filter S ys) q <= exp eps * sum_over (filter S ys) p + delta) -> exists p' q', sum_over "
    "ys p' = 1 /\\ sum_over ys q' = 1 /\\ (forall y, In y ys -> 0 <= p' y <= exp eps * q' y /\\ "
    "0 <= q' y <= exp eps * p' y) /\\ forall S, Rabs (sum_over (filter S ys) p' - sum_over "
    "(filter S ys) p) <= delta /\\ Rabs (sum_over (filter S ys) q' - sum_over (filter S ys) q) "
    "<= delta",
    script="""intros Y ys p q eps delta He N P Q H;
  assert (E1 : 1 <= exp eps) by (destruct He as [He|<-]; [left; now apply
   LDP.Exponential.exp_above_1 | rewrite exp_0; lra]);
  assert (M : forall f g, (forall y, In y ys -> 0 <= f y /\\ 0 <= g y) -> sum_over ys f = 1 ->
    (forall S, sum_over (filter S ys) f <= exp eps * sum_over (filter S ys) g + delta) ->
    1 - delta <= sum_over ys (fun y => Rmin (f y) (exp eps * g y)) <= 1) by
    (intros f g Nf F G;
     set (S := fun y => if Rle_dec (f y) (exp eps * g y) then false else true);
     specialize (G S);
     assert (D : sum_over ys (fun y => Rmin (f y) (exp eps * g y))
       = sum_over ys f + - (sum_over (filter S ys) f - exp eps * sum_over (filter S ys) g)) by
       (rewrite 2!sum_filter, <- sum_scale, <- (Rmult_1_l (sum_over ys f));
        unfold Rminus; rewrite <- (Rmult_1_l (sum_over ys (fun y => indicator (S y) * f y)));
        rewrite Rmult_1_l, Rmult_1_l;
        replace (- (sum_over ys (fun a => indicator (S a) * f a)
          + - sum_over ys (fun a => exp eps * (indicator (S a) * g a))))
          with (-1 * sum_over ys (fun a => indicator (S a) * f a)
          + sum_over ys (fun a => exp eps * (indicator (S a) * g a))) by ring;
        rewrite <- sum_scale, <- 2!sum_plus; apply sum_ext; intros y _; unfold S, Rmin;
        destruct (Rle_dec (f y) (exp eps * g y)); cbn; ring);
     split; [rewrite D, F; lra|];
     rewrite <- F; apply sum_le; intros y _; apply Rmin_l);
  assert (K : forall f g, (forall y, In y ys -> 0 <= f y /\\ 0 <= g y) -> sum_over ys f = 1 ->
    sum_over ys g = 1 ->
    (forall S, sum_over (filter S ys) f <= exp eps * sum_over (filter S ys) g + delta /\\
     sum_over (filter S ys) g <= exp eps * sum_over (filter S ys) f + delta) ->
    sum_over ys (fun y => Rmin (f y) (exp eps * g y))
    <= sum_over ys (fun y => Rmin (g y) (exp eps * f y)) ->
    exists f' g', sum_over ys f' = 1 /\\ sum_over ys g' = 1 /\\
    (forall y, In y ys -> 0 <= f' y <= exp eps * g' y /\\ 0 <= g' y <= exp eps * f' y) /\\
    forall S, Rabs (sum_over (filter S ys) f' - sum_over (filter S ys) f) <= delta /\\
      Rabs (sum_over (filter S ys) g' - sum_over (filter S ys) g) <= delta); [|
    destruct (Rle_dec (sum_over ys (fun y => Rmin (p y) (exp eps * q y)))
      (sum_over ys (fun y => Rmin (q y) (exp eps * p y)))) as [L|L];
    [exact (K p q N P Q H L)|];
    destruct (K q p (fun y I => conj (proj2 (N y I)) (proj1 (N y I))) Q P
      (fun S => conj (proj2 (H S)) (proj1 (H S))) (Rlt_le _ _ (Rnot_le_lt _ _ L))) as (g & f & G &
       F & B & C);
    exists f, g; split; [exact F|]; split; [exact G|];
    split; [intros y I; destruct (B y I); now split | intros S; destruct (C S); now split]];
  clear p q N P Q H; intros p q N P Q H L;
  pose proof (M p q N P (fun S => proj1 (H S))) as A; pose proof (M q p
    (fun y I => conj (proj2 (N y I)) (proj1 (N y I))) Q (fun S => proj2 (H S))) as B;
  set (m := fun y => Rmin (p y) (exp eps * q y)) in *;
  set (o := fun y => Rmin (q y) (exp eps * p y)) in *;
  assert (Z : forall z, 0 <= z -> z <= exp eps * z) by
    (intros z z0; rewrite <- (Rmult_1_l z) at 1; now apply Rmult_le_compat_r);
  assert (W : forall y, In y ys -> 0 <= m y /\\ m y <= p y /\\ m y <= exp eps * q y /\\ 0 <= o y /\\
    o y <= q y /\\ o y <= exp eps * p y /\\ m y <= exp eps * o y /\\ o y <= exp eps * m y) by
    (intros y I; destruct (N y I) as [p0 q0]; pose proof (Z _ p0); pose proof (Z _ q0);
     pose proof (Z (exp eps * p y) ltac:(lra)); pose proof (Z (exp eps * q y) ltac:(lra));
     unfold m, o, Rmin;
     destruct (Rle_dec (p y) (exp eps * q y)), (Rle_dec (q y) (exp eps * p y)); repeat split; lra);
  set (a := sum_over ys m) in *; set (b := sum_over ys o) in *;
  pose proof (exp_pos eps) as E0;
  assert (VV : exists v, v * exp eps = 1 /\\ 0 < v <= 1) by
    (exists (/ exp eps); split; [apply Rinv_l; lra|];
     split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]);
  destruct VV as (v & V & V0);
  assert (A0 : 0 <= a) by (apply sum_nonneg; intros y I; now apply W);
  assert (X : exists l, 0 <= l <= 1 /\\ l * (b - v * a) = b - a) by
    (destruct (Req_dec (b - v * a) 0) as [O|O];
     [exists 0; split; [lra|]; nra |
      exists ((b - a) / (b - v * a)); split; [|field; exact O];
      assert (0 < b - v * a) by nra;
      split; [apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat] |];
      apply Rmult_le_reg_r with (b - v * a); [assumption|];
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by exact O; nra]);
  destruct X as (l & L01 & LE);
  set (r := fun y => (1 - l) * o y + l * v * m y);
  assert (R1 : sum_over ys r = a) by
    (unfold r; rewrite sum_plus, 2!sum_scale; fold a; fold b; nra);
  assert (RW : forall y, In y ys -> 0 <= r y /\\ r y <= q y /\\ r y <= exp eps * m y /\\
    m y <= exp eps * r y) by
    (intros y I; destruct (W y I) as (m0 & mp & mq & o0 & oq & op & mo & om);
     set (z := v * m y);
     assert (v0 : 0 <= z) by (unfold z; apply Rmult_le_pos; lra);
     assert (ev : exp eps * z = m y) by (unfold z; rewrite <- Rmult_assoc, (Rmult_comm (exp eps)),
      V; ring);
     assert (vo : z <= o y) by (apply Rmult_le_reg_l with (exp eps); [assumption|]; lra);
     assert (ve : z <= exp eps * m y) by nra;
     replace (r y) with ((1 - l) * o y + l * z) by (unfold r, z; ring);
     repeat split; nra);
  exists (fun y => m y + (1 - a) * p y), (fun y => r y + (1 - a) * p y);
  split; [rewrite sum_plus, sum_scale, P; fold a; ring|];
  split; [rewrite sum_plus, sum_scale, P, R1; ring|];
  split; [intros y I; destruct (W y I) as (m0 & mp & mq & _); destruct (RW y I) as (r0 & rq & rm &
   mr);
    destruct (N y I) as [p0 _]; assert (0 <= (1 - a) * p y) by (apply Rmult_le_pos; lra); repeat
     split; nra|];
  assert (T : forall f g S, (forall y, In y ys -> 0 <= f y <= g y) -> sum_over ys g = 1 ->
    sum_over ys f = a ->
    Rabs (sum_over (filter S ys) (fun y => f y + (1 - a) * p y) - sum_over (filter S ys) g) <=
     delta) by
    (intros f g S F G Fa;
     assert (U : forall h, (forall y, In y ys -> 0 <= h y) ->
       0 <= sum_over (filter S ys) h <= sum_over ys h) by
       (intros h h0; rewrite sum_filter; split; [apply sum_nonneg | apply sum_le];
        intros y I; specialize (h0 y I); destruct (S y); cbn; lra);
     destruct (U p (fun y I => proj1 (N y I))) as [U1 U2];
     assert (U3 : 0 <= sum_over (filter S ys) (fun y => g y - 1 * f y)
       <= sum_over ys (fun y => g y - 1 * f y)) by
       (apply U; intros y I; specialize (F y I); lra);
     rewrite 2!sum_minus in U3; rewrite sum_plus, sum_scale; apply Rabs_le; nra);
  intros S; split; [apply T | apply T]; try assumption; try reflexivity;
  intros y I; [destruct (W y I) as (? & ? & _) | destruct (RW y I) as (? & ? & _)]; lra""",
)
"""Two laws p and q of an (eps, delta)-private answer, and two that are eps-private near them.

Cut p to e^eps q and q to e^eps p. If more is cut off p, cut q further, towards e^-eps p, until as
much is cut off both. Give what is missing to both in the same way. Then no event is more than what
was cut off, which is at most delta, likelier or less likely than before.
"""
