; laplace: every query must answer unsat.
; spec sha256 14604a3ed9050560a9ca3fc1b1e31ce5d2f37027394cc0af0c11f8905bc73210
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; b != 0
(declare-const b Real)
(assert (> b 0))
(assert (= b 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/level
(declare-const b Real)
(assert (> b 0))
(assert (<= b 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/scale
(declare-const b Real)
(assert (> b 0))
(assert (<= b 0))
(check-sat)
(pop 1)
(push 1) ; sums_to_one/total
(assert (distinct 0 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/level
(declare-const b Real)
(assert (> b 0))
(assert (<= b 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/reach
(assert (< 2 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/exponent
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; tight/0/exponent
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
(declare-const b Real)
(assert (> b 0))
(assert (= b 0))
(check-sat)
(pop 1)
