"""What a server takes of one request, and how many it answers at once."""

from __future__ import annotations

from attrs import field, frozen, validators

from exports.time_limit import QUERY_SECONDS

_AT_LEAST_ONE = validators.ge(1)


@frozen(kw_only=True)
class ServerLimits:
    """The limits of a server, as ``/limits`` shows them."""

    query_seconds: float = field(default=QUERY_SECONDS, validator=validators.gt(0))
    """The time of a query, without waiting."""
    rows: int = field(default=100_000, validator=_AT_LEAST_ONE)
    """The rows of a table of a query in Cypher."""
    body_bytes: int = field(default=1 << 20, validator=_AT_LEAST_ONE)
    """The size of a request's body."""
    body_seconds: float = field(default=20.0, validator=validators.gt(0))
    """The time in which a body arrives."""
    running: int = field(default=2, validator=_AT_LEAST_ONE)
    """Requests that are answered at the same time."""
    waiting: int = field(default=32, validator=validators.ge(0))
    """Requests that wait for their turn; the next one gets 503."""
    connections: int = field(default=256, validator=_AT_LEAST_ONE)
    """Open connections; the next one gets 503."""
