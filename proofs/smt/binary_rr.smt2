; binary_rr: every query must answer unsat.
; spec sha256 0878906447c582ff3334d36861cf4e34301fb6bf3c7e6d90e4dc572688409ab2
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; nonnegative/0/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; u+1 != 0
(declare-const u Real)
(assert (> u 1))
(assert (= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
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
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
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
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/0/equal
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/0/count
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/0/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; u-1 != 0
(declare-const u Real)
(assert (> u 1))
(assert (= (+ u (- 1)) 0))
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
(push 1) ; u**2-2*u+1 != 0
(declare-const u Real)
(assert (> u 1))
(assert (= (+ (* u u) (* (- 2) u) 1) 0))
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
(declare-const u Real)
(assert (> u 1))
(assert (= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; defined/1
(declare-const u Real)
(assert (> u 1))
(assert (= (+ u (- 1)) 0))
(check-sat)
(pop 1)
