"""Interviews of a bank: the only way for screens and commands to reach the store and the engine.

:class:`Session` is one interview, from its start or resumption to the confirmed outcome.
:class:`Archive` is all interviews of a bank, and what can be done with them later.

Each name is loaded on first use, so that a command that needs only a path does not load numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odm_tui.engine.policy import policy_from, policy_names
    from odm_tui.session.answers import Decision, StepTaken
    from odm_tui.session.archive import Archive, bank_name_in_log
    from odm_tui.session.contradiction import Contradiction
    from odm_tui.session.interview_replay import ReplayedEvent, event_values, replay_interview
    from odm_tui.session.pseudonyms import derive_pseudonym
    from odm_tui.session.session import Session
    from odm_tui.store.cursor import Cursor
    from odm_tui.store.events import Answer
    from odm_tui.store.index.summary import InterviewSummary
    from odm_tui.store.interview_record import InterviewRecord
    from odm_tui.store.paths import StatePaths, state_folder, state_paths_in
    from odm_tui.store.schemas import log_schema, state_schema

__all__ = [
    "Answer",
    "Archive",
    "Contradiction",
    "Cursor",
    "Decision",
    "InterviewRecord",
    "InterviewSummary",
    "ReplayedEvent",
    "Session",
    "StatePaths",
    "StepTaken",
    "bank_name_in_log",
    "derive_pseudonym",
    "event_values",
    "log_schema",
    "policy_from",
    "policy_names",
    "replay_interview",
    "state_folder",
    "state_paths_in",
    "state_schema",
]

_MODULES = {
    "Answer": "odm_tui.store.events",
    "Archive": "odm_tui.session.archive",
    "Contradiction": "odm_tui.session.contradiction",
    "Cursor": "odm_tui.store.cursor",
    "Decision": "odm_tui.session.answers",
    "InterviewRecord": "odm_tui.store.interview_record",
    "InterviewSummary": "odm_tui.store.index.summary",
    "ReplayedEvent": "odm_tui.session.interview_replay",
    "Session": "odm_tui.session.session",
    "StatePaths": "odm_tui.store.paths",
    "StepTaken": "odm_tui.session.answers",
    "bank_name_in_log": "odm_tui.session.archive",
    "derive_pseudonym": "odm_tui.session.pseudonyms",
    "event_values": "odm_tui.session.interview_replay",
    "log_schema": "odm_tui.store.schemas",
    "policy_from": "odm_tui.engine.policy",
    "policy_names": "odm_tui.engine.policy",
    "replay_interview": "odm_tui.session.interview_replay",
    "state_folder": "odm_tui.store.paths",
    "state_paths_in": "odm_tui.store.paths",
    "state_schema": "odm_tui.store.schemas",
}


if not TYPE_CHECKING:  # a type checker that saw this would accept every misspelt name

    def __getattr__(name: str) -> object:
        """Load a name from its module on first use."""
        if name not in _MODULES:
            raise AttributeError(f"module 'odm_tui.session' has no attribute {name!r}")
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the exported names, whether they are loaded yet or not."""
    return sorted({*globals(), *__all__})
