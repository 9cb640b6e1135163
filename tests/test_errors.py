"""Every error of the package goes to another process and back as what it was."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ldp_verified import errors
from ldp_verified.errors import ContradictionError, LdpError, type_name

CLASSES = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, LdpError) and each is not ContradictionError
]
GOT = [3, 2.5, "text", None, True, b"bytes", int]


def test_all_classes_are_tried() -> None:
    assert len(CLASSES) >= 9


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("got", GOT)
def test_an_error_is_the_same_after_its_way(cls: type[LdpError], got: object) -> None:
    error = cls("k", "must be an integer >= 2", got)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is cls
        assert str(other) == str(error)
        assert vars(other) == vars(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_without_a_value_it_still_has_none(cls: type[LdpError]) -> None:
    error = pickle.loads(pickle.dumps(cls("k", "must be given")))
    assert str(error) == "k: must be given"
    assert str(cls("m", error.rule, error.got)) == "m: must be given"


def test_a_value_that_no_pickle_takes_goes_as_text() -> None:
    error = LdpError("distance", "must be a number", lambda x: x)
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error)
    assert other.got == repr(error.got)


def test_an_integer_that_python_does_not_write_is_not_shown() -> None:
    assert str(LdpError("k", "must be small", 10**5000)).endswith("more digits than Python writes")


def test_a_contradiction_keeps_its_details() -> None:
    error = ContradictionError("a statement", "line by line")
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.details) == (str(error), "line by line")


def test_the_type_of_texts_does_not_say_how_long_they_are() -> None:
    assert {type_name(np.array([text])) for text in ("a", "a long text")} == {"str_"}
    assert type_name(np.array([1.5])) == "float64"
