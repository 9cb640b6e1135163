; she_lattice: every query must answer unsat.
; spec sha256 f63071d46206570096bb43c442a120d415e8fd8e6e145e6f3a515b54e26596ad
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; alpha+1 != 0
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (= (+ alpha 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/mass
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (<= (+ (* (- 1) alpha alpha) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/decay
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (<= alpha 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/decay_below_one
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (<= (+ (* (- 1) alpha) 1) 0))
(check-sat)
(pop 1)
(push 1) ; alpha-1 != 0
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (= (+ alpha (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/total
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/mass
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (<= (+ (* (- 1) alpha alpha) 1) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/reach
(declare-const m Real)
(assert (>= m 1))
(assert (< m 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/periods
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; alpha != 0
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (= alpha 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/per_period
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/periods
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/per_period
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; mean/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; alpha**2-2*alpha+1 != 0
(declare-const alpha Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (= (+ (* alpha alpha) (* (- 2) alpha) 1) 0))
(check-sat)
(pop 1)
(push 1) ; report_variance/2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; alpha**2*m**2-2*alpha*m**2+m**2 != 0
(declare-const alpha Real)
(declare-const m Real)
(assert (> alpha 0))
(assert (< alpha 1))
(assert (>= m 1))
(assert (= (+ (* alpha alpha m m) (* (- 2) alpha m m) (* m m)) 0))
(check-sat)
(pop 1)
(push 1) ; variance/3
(assert (distinct 0 0))
(check-sat)
(pop 1)
