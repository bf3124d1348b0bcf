"""Codes of modes, events and outcomes in compiled code.

Modes and events are numpy integers: a Python integer constant would compile a function once for each value.
"""

from __future__ import annotations

import numpy as np

from mcrock.base.params import Event, Mode, Outcome

REST, EDGE, VERTEX = np.int64(Mode.REST), np.int64(Mode.EDGE), np.int64(Mode.VERTEX)
FLIGHT, SLIDE, SPIN = np.int64(Mode.FLIGHT), np.int64(Mode.SLIDE), np.int64(Mode.SPIN)
VERTEX_SLIP, EDGE_SLIP = np.int64(Mode.VERTEX_SLIP), np.int64(Mode.EDGE_SLIP)
ROLL = np.int64(Mode.ROLL)
ROLL_SLIP = np.int64(Mode.ROLL_SLIP)
EDGE_SLIP_FIRST, EDGE_SLIP_SECOND = np.int64(Mode.EDGE_SLIP_FIRST), np.int64(Mode.EDGE_SLIP_SECOND)

NO_EVENT, UPLIFT, EDGE_RELEASE = np.int64(0), np.int64(Event.UPLIFT), np.int64(Event.EDGE_RELEASE)
EDGE_IMPACT, FACET_IMPACT = np.int64(Event.EDGE_IMPACT), np.int64(Event.FACET_IMPACT)
REST_EVENT, OVERTURN, SLIP = np.int64(Event.REST), np.int64(Event.OVERTURN), np.int64(Event.SLIP)
STICK, REVERSAL = np.int64(Event.STICK), np.int64(Event.SLIP_REVERSAL)
LIFTOFF, LANDING = np.int64(Event.LIFTOFF), np.int64(Event.LANDING)
PARADOX = np.int64(-1)  # friction leaves no single force

NOT_RUN = int(Outcome.NOT_RUN)
AT_REST, ROCKING, OVERTURNED = int(Outcome.AT_REST), int(Outcome.ROCKING), int(Outcome.OVERTURNED)
STEP_LIMIT, IMPACT_LIMIT = int(Outcome.STEP_LIMIT), int(Outcome.IMPACT_LIMIT)
INSTANT_LIMIT, NOT_FINITE = int(Outcome.INSTANT_LIMIT), int(Outcome.NOT_FINITE)
SETTLING, PAINLEVE = int(Outcome.SETTLING), int(Outcome.PAINLEVE)
CONTACT_LIMIT, LIFTED_OFF = int(Outcome.CONTACT_LIMIT), int(Outcome.LIFTED_OFF)
