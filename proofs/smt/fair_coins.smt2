; fair_coins: every query must answer unsat.
; spec sha256 a7459b7fe975db4163f3bf2ed5a5176cc6942d105586839e2859653ee96a13eb
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; nonnegative/0/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px
(assert (< 3 0))
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
(assert (< 3 0))
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
(assert (<= 3 0))
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
(assert (<= 3 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/0/px2
(assert (< 3 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px
(assert (< 3 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/1/1/px2
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
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/0/px2
(assert (<= 3 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px
(assert (<= 3 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/1/1/px2
(assert (<= 1 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(assert (< 8 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/1/0
(assert (< 8 0))
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
(assert (<= 3 0))
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
(push 1) ; variance/2/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; variance/2/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; same_table/3/here/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; same_table/3/here/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; same_table/3/there/0
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; same_table/3/there/1
(assert (distinct 0 0))
(check-sat)
(pop 1)
