; dbitflip: every query must answer unsat.
; spec sha256 5c477964ec06b9ab0257da66bc501a6e97a22bfc2c87ba35f8831c0660bcb2c6
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; s**2+2*s+1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/x=0/y=0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/x=0/y=1
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/x=0/y=2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/x=0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/x=0/y=0
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/x=2/y=0
(declare-const s Real)
(assert (> s 1))
(assert (or (<= (+ (* s s) (* 2 s) 1) 0) (= s 0)))
(check-sat)
(pop 1)
(push 1) ; equal_support/x=0/y=1
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=0/x'=1/y=0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s) (* 2 s s s s) (* (- 2) s s) (* (- 1) s)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=0/x'=2/y=0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s s) (* 2 s s s s s) (* s s s s) (* (- 1) s s s) (* (- 2) s s) (* (- 1) s)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=2/x'=0/y=0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* s s) (* (- 1) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=2/x'=0/y=1
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s) (* s s s) (* (- 1) s s) (* (- 1) s)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=0/x'=2/y=1
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s) (* 2 s s s s) (* s s s) (* (- 1) s s) (* (- 2) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=0/x'=1/y=1
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s s) (* 2 s s s s s) (* s s s s) (* (- 1) s s) (* (- 2) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/x=1/x'=0/y=1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/x=1/x'=0/y=1/equal
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/x=1/x'=0/y=1/px
(declare-const s Real)
(assert (> s 1))
(assert (or (<= (+ (* s s) (* 2 s) 1) 0) (= s 0)))
(check-sat)
(pop 1)
