; sue: every query must answer unsat.
; spec sha256 20b18e627ddc4f8fa3a5f0b54fc63603e245007ecb86cf5468791dbccc5341ce
; Command: ldp-verified verify --write-smt DIR
(set-option :timeout 20000)
(set-logic QF_NRA)
(push 1) ; nonnegative/0/0/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; s**2+2*s+1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/2/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/count
(assert (< 1 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; nonnegative/0/3/px2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s) (* 2 s s) s) 0))
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
(assert (<= (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/0/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px
(declare-const s Real)
(assert (> s 1))
(assert (or (<= (+ (* s s) (* 2 s) 1) 0) (= s 0)))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/1/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s) (* 2 s) 1) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/2/px2
(declare-const s Real)
(assert (> s 1))
(assert (or (<= (+ (* s s) (* 2 s) 1) 0) (= s 0)))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; equal_support/0/3/px2
(declare-const s Real)
(assert (> s 1))
(assert (<= (+ (* s s s) (* 2 s s) s) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/0
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s) (* 2 s s s s) (* (- 2) s s) (* (- 1) s)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/1
(assert (< 0 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/2
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s s) (* 2 s s s s s) (* s s s s) (* (- 1) s s) (* (- 2) s) (- 1)) 0))
(check-sat)
(pop 1)
(push 1) ; ratio/0/0/3
(declare-const s Real)
(assert (> s 1))
(assert (< (+ (* s s s s s) (* 2 s s s s) (* (- 2) s s) (* (- 1) s)) 0))
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
(assert (or (<= (+ (* s s) (* 2 s) 1) 0) (= s 0)))
(check-sat)
(pop 1)
(push 1) ; s**2-1 != 0
(declare-const s Real)
(assert (> s 1))
(assert (= (+ (* s s) (- 1)) 0))
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
