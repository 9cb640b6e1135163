; dbitflip_one: every query must answer unsat.
; spec sha256 87f3e9be5d55bf0dc89bd96436f300b218788a68870622bef5e70cbc7171c7ca
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; nonnegative/0/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; s+1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/0/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/0/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/0/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/1/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/1/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/0/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* s s) (* (- 1) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/0
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/1
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* s s) (* (- 1) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/1/equal
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/1/count
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/1/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; s-1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; unbiased/1/0/own
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; unbiased/1/0/other
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; unbiased/1/1/own
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; unbiased/1/1/other
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; s**2-2*s+1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) (* (- 2) s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; variance/2/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; variance/2/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; defined/0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s 1) 0))
(check-sat)
(pop 1)
