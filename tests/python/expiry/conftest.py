"""Tables whose items expire."""

import pytest

from expiry.tables import definition, set_expiry


@pytest.fixture
def table(client, make_table):
    """A table with indexes whose items expire by `ttl`."""
    made = make_table(definition())
    set_expiry(client, made, True)
    return made
