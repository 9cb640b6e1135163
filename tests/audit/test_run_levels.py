"""The family-wise false alarm of the audit's own tests, added up over a run.

Each test that draws fresh randomness stands here with the probability that it fails although
everything is right, and where that number comes from. Tests whose generators have fixed seeds
cannot fail by chance; those whose outcome does not depend on what is drawn have probability 0.
"""

from __future__ import annotations

import ast
from math import e, exp
from pathlib import Path

import pytest

from ldp_verified.check.audit.bounds.bounds import Stake, guaranteed, power
from tests.audit.test_our_mechanisms import LEVEL as OWN_LEVEL
from tests.audit.test_our_mechanisms import MECHANISMS, N
from tests.broken.audit.randomizers import PLANTED

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1e-6
LIVE = ("targets.", "HOME", "Client(", "bulk,", "*audit(", "ldp_verified:OUE")

LEDGER = {
    # Claims of eps = 1 of a client of 0.41, at level 1e-9.
    "test_the_bounds_are_kept_where_checks_are_interrupted": 1e-9,
    "test_a_finding_of_the_checks_is_kept_where_the_end_is_interrupted": 1e-9,
    "test_a_leak_too_rare_for_the_level_is_never_consistent": 1e-09,
    "test_given_the_candidates_every_one_is_as_likely_the_input": 1e-12,
    "test_hits_are_independent_where_reports_tell_their_own_input_only": 2e-11,
    # Level 1e-12: two alarms of 1e-6 in a row.
    "test_repeated_noise_is_found": 1e-12,
    "test_an_object_of_this_package_breaks_no_rule": 1e-12,
    # Equal runs of 256 outputs: below 1e-40. LDP006 of `bulk` has level 1e-6 of its own, tried
    # twice.
    "test_a_fixed_seed_is_found": 1e-40,
    "test_a_fixed_seed_of_a_program_is_found": 1e-40,
    "test_functions_of_many_values_are_checked": 1e-12,
    # Audits of true claims at level 1e-9, and of violations that are missed more seldom still.
    "test_repeated_reports_break_the_claim_unless_the_answer_is_kept": 2e-9,
    "test_a_domain_found_in_the_data_is_found": 2e-9,
    "test_a_violation_is_found_in_every_format": 3e-9,
    "test_a_true_claim_is_not_violated": 1e-9,
    "test_a_named_mechanism_uses_rows_of_both_parts": 1e-9,
    "test_a_mechanism_is_named_like_any_target": 1.1e-8,
    "test_the_anytime_mode_stops_when_decided": 1e-9,
    "test_the_anytime_mode_calls_a_true_claim_consistent": 1e-9,
    "test_the_anytime_mode_decides_a_delta_claim": 2e-9,
    "test_the_levels_of_the_first_look_and_of_the_rest_add_up": 1e-9,
    "test_the_bits_of_a_float_are_named_and_rounding_takes_them_away": 6e-9,
    "test_noise_on_a_grid_is_no_such_leak": 2e-9,
    # Of the report without its second decimal, at level 1e-9.
    "test_a_decimal_behind_the_noise_is_called_by_its_digit": 1e-9,
    "test_a_failed_assertion_says_so": 1e-9,
    "test_a_number_in_clear_is_not_called_low_order_bits": 1e-9,
    "test_a_value_that_the_output_gives_away": 3e-9,
    # Level 1e-6, tried twice.
    "test_a_client_that_maps_unknown_values_is_clean": 1e-12,
    "test_the_anytime_mode_sees_what_is_in_clear_at_once": 3e-9,
    "test_an_interrupted_audit_says_what_is_known": 1e-9,
    "test_a_delta_claim": 2e-9,
    "test_a_named_mechanism_uses_all_samples_for_its_own_event": 1e-9,
    "test_slack_is_seen_by_an_audit": 1e-9,
    "test_a_leak_between_two_of_many_inputs_is_found": 2e-9,
    "test_an_approximate_bound_of_an_audit": 2e-9,
    "test_a_blind_search_reads_the_usual_hash": 2e-9,
    "test_a_planted_violation_is_found": len(PLANTED) * 1e-9,
    "test_its_mended_twin_is_not_called_violated": len(PLANTED) * 1e-9,
    "test_the_right_server_has_no_finding": 2e-9,
    "test_a_server_on_the_command_line": 1e-6 / 100,
    "test_a_biased_server_is_found": 1e-12,
    # Clean twins of LDP001 to 004, 009, 010 and 011, and of LDP006, twice.
    "test_a_planted_violation_breaks_its_rule_and_the_clean_twin_none": 8e-9,
    "test_numbers_and_sketches_are_certified_too": 5 * 2e-9,
    "test_a_server_that_adds_noise_is_found": 1e-12,
    "test_its_level": 1e-9,
    # The item that leaks would have to look 20 standard errors smaller.
    "test_the_item_that_leaks_is_chosen": 1e-12,
    "test_a_true_claim_is_consistent_and_nearly_certified": 12 * 1.1e-8,
    "test_the_assertion_says_what_it_saw": 1e-9,
    "test_the_assertion_returns_what_it_would_have_seen": 1e-9,
    "test_too_few_samples_warn": 1e-9,
    "test_right": 1e-9,
    "test_a_true_claim_exits_with_0": 1e-9,
    "test_a_false_claim_exits_with_1_and_can_be_replayed": 1e-9,
    "test_too_few_samples_exit_with_3": 1e-9,
    "test_a_program": 1e-9,
    "test_a_variance_on_the_command_line": 2e-9,
    "test_the_warning_says_how_to_decide_and_the_option_decides": 1e-9,
    "test_a_declared_output_space_bounds_eps_from_above": 2e-9,
    "test_own_mechanisms_need_no_inputs": 1e-9,
    "test_ctrl_c_gives_what_is_known": 1e-9,
    # Buckets of two values differ by 20 standard errors and more in what is tested, three times.
    "test_a_blind_search_finds_what_text_is_hashed": 3e-12,
    # 200 values of randomized response, twice the same.
    "test_no_two_processes_have_one_generator": 1e-40,
    # One input always ends; the others have a true claim at level 1e-9, twice.
    "test_the_command_line_goes_on_and_its_document_is_whole": 2e-9,
    # Misses of what is planted: two drifts, three laws of noise, two targets.
    "test_two_milliseconds_for_one_input_are_found": 2e-9,
    "test_what_is_not_normal_is_refused": 3e-9,
    "test_the_command_says_what_it_assumes": 2e-9,
    # Servers' intervals at level 1e-9: three that hold, five that miss, and a replay.
    "test_intervals_that_hold_have_no_finding": 3e-9,
    "test_intervals_that_are_too_narrow_are_found": 3e-9,
    "test_an_interval_of_another_value_is_found_too": 1e-9,
    "test_intervals_on_the_command_line_and_again": 3e-9,
    # Reports on file at level 1e-9: six that fit, and what is at least eight standard errors off.
    "test_reports_of_the_mechanism_fit": 6e-9,
    "test_reports_of_something_else_do_not_fit": 6e-9,
    "test_counts_fit_or_do_not": 2e-9,
    "test_a_parquet_file_on_the_command_line": 1e-9,
    # Sessions and votes: clean twins at level 1e-9, misses below it.
    "test_what_a_session_tells_is_found": 3e-9,
    "test_one_answer_in_a_session_is_no_violation": 2e-9,
    "test_a_client_that_fails_in_most_rounds_is_inconclusive": 1e-9,
    "test_a_client_that_fails_seldom_is_audited": 1e-9,
    "test_fresh_reports_of_one_value_add_up": 2e-9,
    "test_hanging_as_often_for_every_value_is_no_violation": 1e-9,
}
"""Probability of a false alarm over one run, all parameters of a test together."""

CERTAIN = {
    "test_what_was_interrupted_before_any_test_says_so": "nothing is tested",
    "test_no_more_is_drawn_at_once_than_there_is_time_to_judge": "any outputs are timed",
    "test_where_no_time_is_left_what_was_looked_at_is_what_there_is": "any events are counted",
    "test_time_is_kept_where_outputs_hold_others": "any outputs are timed",
    "test_batches_of_the_same_outputs_read_them_once": "given outputs",
    "test_a_finding_that_the_disk_has_no_room_for_leaves_the_one_before": "any finding is saved",
    "test_results_that_clash_are_refused_before_the_audit": "nothing is drawn",
    "test_candidates_are_the_own_input_and_different_others": "candidates are compared",
    "test_sides_of_vectors_noisy_numbers_and_learnt_values": "the same outputs are read twice",
    "test_strata_count_what_sides_count": "counts of given outputs",
    "test_the_level_holds_for_any_table_and_any_sets": "enumerated",
    "test_a_claimed_variance_needs_the_mechanism": "no sampling",
    "test_without_checks_it_is_not_looked_at_and_says_so": "any outcome says it",
    "test_inputs_are_found_where_a_file_writes_numbers_as_text": "given rows are counted",
    "test_what_an_option_asked_for_is_looked_at_or_refused": "any outcome says it",
    "test_a_disturbed_global_state_is_found_and_restored": "states are compared",
    "test_values_outside_the_domain_are_told_from_the_output": "values that come back unchanged",
    "test_noise_from_a_generator_that_public_values_give_away_is_found": "states are compared",
    "test_a_pair_event_leaves_other_inputs_out": "counts of given outputs",
    "test_a_pooled_event_of_single_values": "counts of given outputs",
    "test_a_pooled_event_of_sets": "counts of given outputs",
    "test_a_file_that_cannot_be_used_is_refused": "no sampling",
    "test_outputs_that_never_repeat_are_not_covered": "outputs are all different",
    "test_a_classifier_is_written_down": "the same outputs are scored twice",
    "test_a_feature_that_no_event_fits_leaves_the_others": "counts of given outputs",
    "test_a_detection_curve_rises_from_the_level": "a curve by the exact law, for any counts",
    "test_a_result_can_be_repeated_from_its_seed": "fixed seeds",
    "test_false_alarms_of_repeated_audits": "fixed seeds",
    "test_an_output_that_was_not_declared_is_said": "one of 2000 outputs is 2: (2/3)^2000",
    "test_a_fresh_target_is_made_anew_for_each_output": "objects are counted",
    "test_a_finding_can_be_saved_and_read": "any outcome can be saved",
    "test_the_plan_is_said_before": "before any sample",
    "test_named_checks_are_run_and_explained": "states are compared",
    "test_a_finding_that_only_breaks_a_rule_can_be_replayed": "states are compared",
    "test_the_hash_of_the_audited_packages": "values are given",
    "test_a_bulk_target_must_answer_all": "too few answers are refused",
    "test_each_end_is_the_output_of_its_own_call": "one input always ends, and no other",
    "test_pairs_and_upper_bounds_are_in_the_document": "any outcome has them",
    "test_few_durations_show_nothing_and_lost_answers_are_left_out": "too few for any verdict",
    "test_json_is_one_document_whatever_the_target_prints": "any outcome is one document",
    "test_json_is_one_document_whatever_a_reading_prints": "any outcome is one document",
    "test_a_file_that_cannot_be_written_is_refused_before_the_audit": "before any sample",
    "test_a_target_that_never_returns_costs_one_allowance_of_waiting": "no call returns",
    "test_the_headline_says_that_a_target_always_raises": "every call fails",
    "test_numbers_out_of_range_are_refused": "no sampling",
    "test_sessions_are_repeated_with_a_new_client_each": "messages are counted",
    "test_questions_that_cannot_be_asked_are_refused": "no sampling",
    "test_a_client_that_always_fails_is_refused": "no call answers",
    "test_a_report_in_place_of_a_client_is_refused": "no call answers",
    "test_questions_that_never_end_are_refused": "no call answers",
    "test_questions_that_are_not_there_are_named": "refused before anything is sampled",
    "test_a_target_that_always_raises_is_given_up": "no call answers",
    "test_a_target_that_is_given_up_cannot_write_our_headline": "no call answers",
    "test_where_no_report_can_be_read_there_is_no_verdict": "no report can be read",
    "test_a_program_that_never_answers_is_given_up_early": "no call answers",
    "test_a_target_cannot_write_our_headline": "too few for any verdict: 2000 at level 1e-9",
}


def statistical() -> set[str]:
    """Names of the tests that may draw fresh randomness, by the source of the audit's tests."""
    found = set()
    for path in [*ROOT.glob("tests/audit/test_*.py"), ROOT / "tests/cli/test_auditing.py"]:
        source = path.read_text()
        for node in ast.parse(source).body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            names = {argument.arg for argument in node.args.args}
            text = ast.get_source_segment(source, node) or ""
            if names & {"rng", "seed"} or any(word in text for word in LIVE):
                found.add(node.name)
    return found - {"test_every_statistical_test_is_in_the_ledger"}


def test_every_statistical_test_is_in_the_ledger() -> None:
    unknown = statistical() - set(LEDGER) - set(CERTAIN)
    assert not unknown, sorted(unknown)


def test_the_family_wise_false_alarm_of_a_run() -> None:
    assert sum(LEDGER.values()) < LIMIT


def test_own_mechanisms_are_certified_with_the_probability_of_the_ledger() -> None:
    """12 audits at level 1e-8; misses of 0.9 of the plan or of a claim of 0.8 eps add 1e-9 each."""
    assert len(MECHANISMS) == 12
    assert (
        LEDGER["test_a_true_claim_is_consistent_and_nearly_certified"] * (1 + 1e-9)
        >= OWN_LEVEL * 12 + 12 * 1e-9
    )
    # The event with the fewest plus: k-ary randomized response with k = 40 at eps = 1.
    plus = e / (e + 39)
    stake, level = Stake(39.0), 0.891 * OWN_LEVEL
    planned = guaranteed(plus, 1 - plus, N, stake, level)
    for target in (0.9 * planned, 0.8):
        assert power(plus, 1 - plus, N, stake, level, target=target) > 1 - 2e-9
    # Two coins at eps = ln 5, the fewest either way.
    assert power(0.3125, 0.0625, N, Stake(), level, target=0.8 * 1.6095) > 1 - 2e-9
    assert exp(1.6095) == pytest.approx(5, rel=1e-3)
