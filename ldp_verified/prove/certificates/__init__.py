"""The verifier of certificates: exact integers and polynomials, without sympy."""
