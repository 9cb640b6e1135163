; gaussian: every query must answer unsat.
; spec sha256 46eb5a096fc8a3b8c1416dafd6dd72b8cd99587525f1912515348e83c2bce878
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; sigma != 0
(declare-const sigma Real)
(assert (> sigma 0))
(assert (= sigma 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/level
(declare-const sigma Real)
(assert (> sigma 0))
(assert (<= sigma 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/scale
(declare-const sigma Real)
(assert (> sigma 0))
(assert (<= sigma 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/total
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/level
(declare-const sigma Real)
(assert (> sigma 0))
(assert (<= sigma 0))
(check-sat)
(pop 1)
(push 1) ; curve/0/reach
(assert (< 2 0))
(check-sat)
(pop 1)
(push 1) ; curve/0/mu
(declare-const sigma Real)
(assert (> sigma 0))
(assert (<= (* 2 sigma) 0))
(check-sat)
(pop 1)
(push 1) ; curve/0/scales
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/scales
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; mean/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; report_variance/2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; defined/0
(declare-const sigma Real)
(assert (> sigma 0))
(assert (= sigma 0))
(check-sat)
(pop 1)
