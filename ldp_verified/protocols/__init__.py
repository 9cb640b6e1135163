"""Protocols of more than one step: clients that keep state, and the server's side of them."""

from ldp_verified.protocols.attribute_bits import SampleAmongFakeBits
from ldp_verified.protocols.attributes import SampleAmongFakes, SampleOne, Split
from ldp_verified.protocols.bit_reduction import BitGroups, BitReduction
from ldp_verified.protocols.bit_state import BitState
from ldp_verified.protocols.bitstogram import Bitstogram, BitstogramState
from ldp_verified.protocols.bloom import BloomFilter
from ldp_verified.protocols.box_wavelet import BoxWavelet
from ldp_verified.protocols.box_wavelet_estimate import WaveletBoxes
from ldp_verified.protocols.candidates import CandidateCounts, CandidateRound, CandidateSizes
from ldp_verified.protocols.change_tree import ChangeTree
from ldp_verified.protocols.change_tree_client import TreeClient
from ldp_verified.protocols.change_tree_state import TreeEstimate, TreeState
from ldp_verified.protocols.clipped_mean import ClippedEstimate, ClippedMean
from ldp_verified.protocols.coded_bits import CodedState
from ldp_verified.protocols.dbitflip import DBitFlip
from ldp_verified.protocols.duchi_vector import DuchiVector
from ldp_verified.protocols.duchi_vector_state import VectorState
from ldp_verified.protocols.gaussian import Gaussian
from ldp_verified.protocols.grouped_hashing import GroupClient, GroupReports
from ldp_verified.protocols.hashtogram import Hashtogram, HashtogramState
from ldp_verified.protocols.hpgr import HPGR
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.joint_estimate import JointEstimate
from ldp_verified.protocols.joint_table import Conditional, Independence, JointTable
from ldp_verified.protocols.joint_tables import JointTables
from ldp_verified.protocols.joint_views import best_views
from ldp_verified.protocols.key_value_estimate import KeyMeans, KeyValueEstimate
from ldp_verified.protocols.key_value_symbols import KeyValueSymbols
from ldp_verified.protocols.key_values import (
    KeyValueBits,
    KeyValueClient,
    KeyValueResponse,
    KeyValues,
)
from ldp_verified.protocols.ldp_miner import LDPMiner
from ldp_verified.protocols.loloha import LOLOHA
from ldp_verified.protocols.longitudinal import LGRR, Longitudinal
from ldp_verified.protocols.longitudinal_bits import LOSUE, LOUE, LSOUE, LSUE
from ldp_verified.protocols.memo_client import MemoClient, MemoReport
from ldp_verified.protocols.memo_population import MemoPopulation, RapporMemoPopulation
from ldp_verified.protocols.mined import Mined
from ldp_verified.protocols.network import Network
from ldp_verified.protocols.over_days import Change, DaysFigure, OverDays, over_days
from ldp_verified.protocols.padded_bits import SamplingRappor, SamplingSuccinctHistogram
from ldp_verified.protocols.padded_choice import padded_sampling
from ldp_verified.protocols.padding import (
    PaddedClient,
    PaddedHashing,
    PaddedResponse,
    PaddedSampling,
)
from ldp_verified.protocols.pair_sets import PairSets
from ldp_verified.protocols.parity_estimate import ParityEstimate
from ldp_verified.protocols.parity_tables import ParityTables
from ldp_verified.protocols.plane_noise import PlaneNoise
from ldp_verified.protocols.prefix_cohort_state import PrefixCohortState
from ldp_verified.protocols.prefix_cohorts import PrefixCohorts
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.protocols.prefix_round import PrefixRound, RoundReports
from ldp_verified.protocols.prefix_round_client import PrefixRoundClient
from ldp_verified.protocols.prefix_round_state import RoundState
from ldp_verified.protocols.prefix_rounds import PrefixRounds
from ldp_verified.protocols.prefix_state import PrefixState
from ldp_verified.protocols.private_expander_sketch import (
    PrivateExpanderSketch,
    PrivateExpanderSketchState,
)
from ldp_verified.protocols.range_estimate import RangeEstimate, RangeQuantile
from ldp_verified.protocols.range_grid import RangeGrid
from ldp_verified.protocols.range_grid_estimate import BoxEstimate
from ldp_verified.protocols.range_hierarchy import RangeHierarchy
from ldp_verified.protocols.range_protocol import RangeClient, RangeProtocol
from ldp_verified.protocols.range_tree import RangeTree
from ldp_verified.protocols.range_wavelet import RangeWavelet
from ldp_verified.protocols.rappor import (
    Rappor,
    permanent_epsilon,
    report_epsilon,
    reports_epsilon,
    solve_high,
    solve_noise,
)
from ldp_verified.protocols.rappor_client import RapporClient
from ldp_verified.protocols.rappor_decoding import KnownDomain, find_candidates
from ldp_verified.protocols.rappor_population import RapporBatch, RapporPopulation
from ldp_verified.protocols.rappor_report import RapporReport
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.protocols.region_choice import RegionChoice
from ldp_verified.protocols.region_clusters import RegionClusters, clustered
from ldp_verified.protocols.replay import CounterFile, Registry
from ldp_verified.protocols.safe_region_state import SafeRegionState
from ldp_verified.protocols.safe_regions import PlaceReports, SafeRegionClient, SafeRegions
from ldp_verified.protocols.sampled import SampledReports, SampledState
from ldp_verified.protocols.sequence_fragments import FragmentState, SequenceFragments
from ldp_verified.protocols.set_mining import SetClient, SetMining
from ldp_verified.protocols.she import SHE
from ldp_verified.protocols.sign_matrix import SignClient, SignMatrix, SignReports, SignState
from ldp_verified.protocols.sketch_estimates import FixedRows, day_epsilon
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.sphere_state import SphereState
from ldp_verified.protocols.sphere_vector import SphereVector
from ldp_verified.protocols.succinct_histogram import SuccinctHistogram
from ldp_verified.protocols.sums import SumState
from ldp_verified.protocols.svim import SVIM, SVSM
from ldp_verified.protocols.table_estimate import TableEstimate
from ldp_verified.protocols.taxonomy import Taxonomy
from ldp_verified.protocols.text_sketch import TextSketch
from ldp_verified.protocols.threshold import best_threshold, threshold_encoding
from ldp_verified.protocols.tree_hist import TreeHist, TreeHistState
from ldp_verified.protocols.tuple_state import TupleState
from ldp_verified.protocols.voting import VotedMean
from ldp_verified.protocols.voting_client import VotingClient
from ldp_verified.protocols.voting_state import VotedMeans, VotingState
from ldp_verified.run.aggregate.means import VectorEstimate

__all__ = [
    "HPGR",
    "LGRR",
    "LOLOHA",
    "LOSUE",
    "LOUE",
    "LSOUE",
    "LSUE",
    "SHE",
    "SVIM",
    "SVSM",
    "BitGroups",
    "BitReduction",
    "BitState",
    "Bitstogram",
    "BitstogramState",
    "BloomFilter",
    "BoxEstimate",
    "BoxWavelet",
    "CandidateCounts",
    "CandidateRound",
    "CandidateSizes",
    "Change",
    "ChangeTree",
    "ClippedEstimate",
    "ClippedMean",
    "CodedState",
    "Conditional",
    "CounterFile",
    "DBitFlip",
    "DaysFigure",
    "DuchiVector",
    "FixedRows",
    "FragmentState",
    "Gaussian",
    "GroupClient",
    "GroupReports",
    "Hashtogram",
    "HashtogramState",
    "Independence",
    "ItemSets",
    "JointEstimate",
    "JointTable",
    "JointTables",
    "KeyMeans",
    "KeyValueBits",
    "KeyValueClient",
    "KeyValueEstimate",
    "KeyValueResponse",
    "KeyValueSymbols",
    "KeyValues",
    "KnownDomain",
    "LDPMiner",
    "Longitudinal",
    "MemoClient",
    "MemoPopulation",
    "MemoReport",
    "Mined",
    "Network",
    "OverDays",
    "PaddedClient",
    "PaddedHashing",
    "PaddedResponse",
    "PaddedSampling",
    "PairSets",
    "ParityEstimate",
    "ParityTables",
    "PlaceReports",
    "PlaneNoise",
    "PrefixCohortState",
    "PrefixCohorts",
    "PrefixExtending",
    "PrefixRound",
    "PrefixRoundClient",
    "PrefixRounds",
    "PrefixState",
    "PrivateExpanderSketch",
    "PrivateExpanderSketchState",
    "RangeClient",
    "RangeEstimate",
    "RangeGrid",
    "RangeHierarchy",
    "RangeProtocol",
    "RangeQuantile",
    "RangeTree",
    "RangeWavelet",
    "Rappor",
    "RapporBatch",
    "RapporClient",
    "RapporMemoPopulation",
    "RapporPopulation",
    "RapporReport",
    "RapporState",
    "RegionChoice",
    "RegionClusters",
    "Registry",
    "RoundReports",
    "RoundState",
    "SafeRegionClient",
    "SafeRegionState",
    "SafeRegions",
    "SampleAmongFakeBits",
    "SampleAmongFakes",
    "SampleOne",
    "SampledReports",
    "SampledState",
    "SamplingRappor",
    "SamplingSuccinctHistogram",
    "SequenceFragments",
    "SetClient",
    "SetMining",
    "SignClient",
    "SignMatrix",
    "SignReports",
    "SignState",
    "SpendingBook",
    "SphereState",
    "SphereVector",
    "Split",
    "SuccinctHistogram",
    "SumState",
    "TableEstimate",
    "Taxonomy",
    "TextSketch",
    "TreeClient",
    "TreeEstimate",
    "TreeHist",
    "TreeHistState",
    "TreeState",
    "TupleState",
    "VectorEstimate",
    "VectorState",
    "VotedMean",
    "VotedMeans",
    "VotingClient",
    "VotingState",
    "WaveletBoxes",
    "best_threshold",
    "best_views",
    "clustered",
    "day_epsilon",
    "find_candidates",
    "over_days",
    "padded_sampling",
    "permanent_epsilon",
    "report_epsilon",
    "reports_epsilon",
    "solve_high",
    "solve_noise",
    "threshold_encoding",
]
