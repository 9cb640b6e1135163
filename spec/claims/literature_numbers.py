"""Published formulas about numbers, databases and several reports.

    dwork2006, ghosh2009, mcsherry2007          Laplace, geometric, exponential mechanism
    dworkroth2014, balle2018                    foundations, Gaussian mechanism
    geng2014                                    staircase noise
    duchi2018, wang2019, li2020                 mean estimation and the square wave
    dwork2010, kairouz2017, bun2016, mironov2017, feldman2021    composition and shuffling

Only formulas whose wording is certain are here, without numbers of equations.
"""

from sympy import Rational, Symbol, log, sqrt

from ldp_verified.check.claims import (
    PUBLISHED,
    Document,
    GaussianIs,
    LaplaceMoment,
    LaplaceTail,
    NotSo,
    OfSpec,
    Routes,
    Table,
    Theorem,
    published,
)
from ldp_verified.language import LDP, load

e, d = Symbol("eps"), Symbol("delta")
classical = sqrt(2 * log(Rational(5, 4) / d)) / e
small = {e: ("1/100", "1/2", "99/100"), d: ("1/1000000", "1/1000", "1/2")}
large = {e: ("5", "10", "20", "50"), d: ("1/1000000", "1/100", "1/2")}
CALIBRATING = (
    "Dwork, McSherry, Nissim, Smith 2006, Calibrating Noise to Sensitivity in Private Data Analysis"
)
FOUNDATIONS = "Dwork, Roth 2014, The Algorithmic Foundations of Differential Privacy"
BALLE = (
    "Balle, Wang 2018, Improving the Gaussian Mechanism for Differential Privacy: Analytical "
    "Calibration and Optimal Denoising"
)
CONCENTRATED = (
    "Bun, Steinke 2016, Concentrated Differential Privacy: Simplifications, Extensions, and Lower "
    "Bounds"
)
MULTI = (
    "Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019, Collecting and Analyzing Multidimensional "
    "Data with Local Differential Privacy"
)


document = Document(
    "Numbers, databases and accounting in the literature",
    [
        published(
            "dwork2006.1",
            "Laplace noise of scale Delta_1/eps on K numbers is eps-DP.",
            Theorem("LDP.Central.laplace_ratio"),
            CALIBRATING,
            "densities differ by a factor of at most e^eps everywhere",
        ),
        published(
            "dworkroth2014.1",
            "The Laplace distribution of scale b has variance 2 b^2.",
            LaplaceMoment(2, 2),
            FOUNDATIONS,
        ),
        published(
            "dworkroth2014.2",
            "sigma = sqrt(2 ln(1.25/delta)) Delta_2/eps is (eps, delta)-DP for eps in (0, 1).",
            GaussianIs(classical, e, d, small, FOUNDATIONS),
            FOUNDATIONS,
        ),
        published(
            "dworkroth2014.3",
            "(eps, delta) is kept by post-processing.",
            Theorem("LDP.Approximate.post_delta"),
            FOUNDATIONS,
        ),
        published(
            "dworkroth2014.4",
            "Composition of (eps_1, delta_1) and (eps_2, delta_2) is (eps_1 + eps_2, delta_1 + "
            "delta_2)-DP.",
            Theorem("LDP.Approximate.compose_delta"),
            FOUNDATIONS,
        ),
        published(
            "balle2018.1",
            "The classical calibration of Gaussian noise does not extend to all eps > 1.",
            NotSo(GaussianIs(classical, e, d, large)),
            BALLE,
        ),
        published(
            "mcsherry2007.1",
            "Outputs with probability proportional to exp(eps q/(2 Delta)) are eps-DP.",
            Theorem("LDP.Central.exponential_mech_ldp"),
            "McSherry, Talwar 2007, Mechanism Design via Differential Privacy",
            adds="finitely many outputs; eps for what the paper calls 2 eps Delta",
        ),
        published(
            "dworkroth2014.5",
            "Pr[u(out) <= OPT - (2 Delta/eps)(ln(|R|/|R_OPT|) + t)] <= e^-t.",
            Theorem("LDP.Central.exponential_mech_utility"),
            FOUNDATIONS,
            "stated for the distance c = (2 Delta/eps)(ln(|R|/|R_OPT|) + t)",
        ),
        published(
            "dworkroth2014.6",
            "Groups of size k: an (eps, 0)-DP mechanism is (k eps, 0)-DP for them.",
            Theorem("LDP.Approximate.group_delta"),
            FOUNDATIONS,
            "with delta = 0",
        ),
        published(
            "dworkroth2014.7",
            "Pr[|Y| >= t b] = e^-t for Laplace noise Y of scale b.",
            LaplaceTail(),
            FOUNDATIONS,
        ),
        published(
            "dworkroth2014.8",
            "Randomized response with two fair coins is (ln 3, 0)-DP.",
            Table(load("two_coins")[1], LDP(log(3), tight=True)),
            FOUNDATIONS,
            adds="one answer; and no better",
        ),
        published(
            "geng2014.1",
            "The staircase mechanism is eps-DP for every gamma in [0, 1].",
            OfSpec("staircase", lambda m: m.claims[:1]),
            "Geng, Viswanath 2014, The Optimal Mechanism in Differential Privacy",
            "the eps of its spec, of noise on a number in an interval as wide as one period",
            adds="0 < gamma < 1",
        ),
        published(
            "ghosh2009.1",
            "The geometric mechanism is eps-DP, with the claims of its spec.",
            OfSpec("geometric"),
            "Ghosh, Roughgarden, Sundararajan 2009, Universally Utility-Maximizing Privacy "
            "Mechanisms",
        ),
        published(
            "duchi2018.1",
            "One-dimensional mean: two outputs, unbiased, worst variance ((e^eps + 1)/(e^eps - "
            "1))^2.",
            OfSpec("duchi"),
            "Duchi, Jordan, Wainwright 2018, Minimax Optimal Procedures for Locally Private "
            "Estimation",
            "every claim of the spec",
        ),
        published(
            "wang2019.1",
            "The piecewise mechanism: eps-LDP, unbiased, worst variance "
            "4 e^(eps/2)/(3 (e^(eps/2) - 1)^2).",
            OfSpec("piecewise"),
            MULTI,
            "every claim of the spec",
        ),
        published(
            "wang2019.2",
            "The hybrid mechanism with alpha = 1 - e^(-eps/2).",
            OfSpec("hybrid"),
            MULTI,
            "every claim of the spec",
        ),
        published(
            "li2020.1",
            "The square wave is eps-LDP for every b.",
            OfSpec("square_wave"),
            "Li, Wang, Lopuhaa-Zwakenberg, Li, Skoric 2020, Estimating Numerical Distributions "
            "under "
            "Local Differential Privacy",
            "every claim of the spec",
        ),
        published(
            "dwork2010.1",
            "k-fold composition of eps-DP is (sqrt(2 k ln(1/d)) eps + k eps (e^eps - 1), d)-DP.",
            PUBLISHED["advanced_composition"](),
            "Dwork, Rothblum, Vadhan 2010, Boosting and Differential Privacy",
        ),
        published(
            "kairouz2017.1",
            "The exact delta of k-fold composition at (k - 2 i) eps.",
            PUBLISHED["exact_composition"](),
            "Kairouz, Oh, Viswanath 2017, The Composition Theorem for Differential Privacy",
            "sum over l < i of C(k, l)(e^((k - l) eps) - e^((k - 2 i + l) eps))/(1 + e^eps)^k",
        ),
        published(
            "bun2016.1",
            "eps-DP is (eps^2/2)-zCDP.",
            PUBLISHED["concentrated"](),
            CONCENTRATED,
        ),
        published(
            "bun2016.2",
            "rho-zCDP is (rho + 2 sqrt(rho ln(1/delta)), delta)-DP.",
            PUBLISHED["from_concentrated"](),
            CONCENTRATED,
        ),
        published(
            "mironov2017.1",
            "(alpha, eps)-Renyi DP is (eps + ln(1/delta)/(alpha - 1), delta)-DP.",
            Routes(Theorem("LDP.Renyi.renyi_conversion"), PUBLISHED["from_renyi"]()),
            "Mironov 2017, Renyi Differential Privacy",
        ),
        published(
            "feldman2021.1",
            "Shuffled eps0-LDP reports are (ln(1 + (e^eps0 - 1)/(e^eps0 + 1) (8 sqrt(e^eps0 "
            "ln(4/delta)/n) + 8 e^eps0/n)), delta)-DP.",
            PUBLISHED["shuffled"](),
            "Feldman, McMillan, Talwar 2021, Hiding Among the Clones: A Simple and Nearly Optimal "
            "Analysis of Privacy Amplification by Shuffling",
            adds="eps0 <= ln(n/(16 ln(2/delta)))",
        ),
    ],
    register="literature",
)
