"""Documents that several tests read; none changes them."""

import pytest

from report import documents


@pytest.fixture
def planted():
    return documents.example("planted")[0]


@pytest.fixture
def wide():
    return documents.example("wide")[0]
