; fake: every query must answer unsat.
; spec sha256 4b3d4699009820ea1ca1001aa72752bd8f46eff02c4256643ad4a98325ea412e
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
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px2
(assert (< 1 0))
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
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/3/px2
(assert (< 1 0))
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
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/0/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/2/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/2/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/2/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/2/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/3/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/3/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/3/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/3/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/0/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/4/3/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/4/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/4/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/0/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/4/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/5/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/5/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/5/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/5/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/6/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/6/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/6/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/6/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/0/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/7/3/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/7/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/7/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/0/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/7/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/1/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/2/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/3/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/8/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/8/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/8/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/0/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/1/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/2/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/3/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/8/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/1/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/2/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/9/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/9/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/9/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/0/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/2/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/9/3/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/0/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/10/3/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/10/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/10/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/0/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/10/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/0/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/0/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/1/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/2/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/3/px
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/11/3/px2
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/11/px
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/11/px2
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/0/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/1/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/1/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ u 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/2/px
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/2/px2
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/3/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/11/3/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/2/0
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/2/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/2/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/2/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/3/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/3/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/3/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/3/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/4/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/4/1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/4/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/4/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/5/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/5/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/5/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/5/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/6/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/6/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/6/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/6/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/7/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/7/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/7/2
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/7/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/8/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/8/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/8/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/8/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/9/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* u u) (* (- 1) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/9/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/9/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ u (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/9/3
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/10/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/10/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/10/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/10/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/11/0
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* 2 u u) (* (- 1) u) (- 2)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/11/1
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/11/2
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* 2 u u u) (* u u) (* (- 2) u) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/11/3
(declare-const u Real)
(assert (> u 1))
(assert (< (+ (* u u u) (* (- 1) u)) 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/2/0/equal
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/2/0/count
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/2/0/px
(declare-const u Real)
(assert (> u 1))
(assert (<= (+ (* u u) u) 0))
(check-sat)
(pop 1)
(push 1) ; defined/0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ s 1) 0))
(check-sat)
(pop 1)
(push 1) ; defined/1
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) 1) 0))
(check-sat)
(pop 1)
