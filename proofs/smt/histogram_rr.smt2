; histogram_rr: every query must answer unsat.
; spec sha256 f0ed0241cb5457464026898134f6647e7b38060a6485a92743be9e2cded81e0c
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; nonnegative/0/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; u**2+2*u+1 != 0
(declare-const u Real)
(assert (> u 1))
(assert (= (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) u) 0))
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
(assert (<= (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px
(declare-const u Real)
(assert (> u 1))
(assert (or (<= (+ (* u u) (* 2 u) 1) 0) (= u 0)))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) (* 2 u) 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (or (<= (+ (* u u) (* 2 u) 1) 0) (= u 0)))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u u) (* 2 u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u u u) (* 2 u u u u) (* (- 2) u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u u u u) (* 2 u u u u u) (* u u u u) (* (- 1) u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u u u) (* 2 u u u u) (* (- 2) u u) (* (- 1) u)) 0))
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
(declare-const u Real)
(assert (> u 1))
(assert (or (<= (+ (* u u) (* 2 u) 1) 0) (= u 0)))
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
(push 1) ; u**2-1 != 0
(declare-const u Real)
(assert (> u 1))
(assert (= (+ (* u u) (- 1)) 0))
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
(push 1) ; same_table/3/here/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; same_table/3/there/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; defined/0
(declare-const k Real)
(assert (>= k 2))
(assert (= k 0))
(check-sat)
(pop 1)
(push 1) ; defined/1
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; defined/2
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; defined/3
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) 1) 0))
(check-sat)
(pop 1)
