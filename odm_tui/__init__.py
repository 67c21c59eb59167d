"""odm-tui asks the fewest, cheapest questions that lead to a decision, and learns from every answer.

These names are the public library; docs/library.md shows how to use them. Each is loaded when it is first used, so
``import odm_tui`` is fast and loads neither numpy nor any screen.

>>> import odm_tui
>>> odm_tui.Question("ping", thresholds=(20, 80)).interval(50)
1
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odm_tui.banks import Bank, available_banks, load_bank
    from odm_tui.engine.exploration import Exploration
    from odm_tui.engine.interview import Ask, Decide, Interview
    from odm_tui.engine.model import Model
    from odm_tui.engine.oracles import Oracle, Scores, ScoringOracle
    from odm_tui.engine.policy import Policy, policy_from, policy_names
    from odm_tui.engine.posterior import Posterior
    from odm_tui.engine.problem import Problem, Question
    from odm_tui.engine.situation import Situation
    from odm_tui.engine.stopping import Progress, StopRule, stop_rule_from
    from odm_tui.errors import BadArgument, BadData, CannotWrite, Locked, OdmError
    from odm_tui.evaluation.data.dataset import Dataset
    from odm_tui.evaluation.experiment.simulation import Trace, simulate
    from odm_tui.evaluation.replay.replay import ReplayOptions, ReplayResult, replay
    from odm_tui.session import Archive, Session
    from odm_tui.session.next_step import NextDecision, NextQuestion, next_step

__version__ = "0.1.0"

__all__ = [
    "Archive",
    "Ask",
    "BadArgument",
    "BadData",
    "Bank",
    "CannotWrite",
    "Dataset",
    "Decide",
    "Exploration",
    "Interview",
    "Locked",
    "Model",
    "NextDecision",
    "NextQuestion",
    "OdmError",
    "Oracle",
    "Policy",
    "Posterior",
    "Problem",
    "Progress",
    "Question",
    "ReplayOptions",
    "ReplayResult",
    "Scores",
    "ScoringOracle",
    "Session",
    "Situation",
    "StopRule",
    "Trace",
    "__version__",
    "available_banks",
    "load_bank",
    "next_step",
    "policy_from",
    "policy_names",
    "replay",
    "simulate",
    "stop_rule_from",
]

_MODULES = {
    "Archive": "odm_tui.session",
    "Ask": "odm_tui.engine.interview",
    "BadArgument": "odm_tui.errors",
    "BadData": "odm_tui.errors",
    "Bank": "odm_tui.banks",
    "CannotWrite": "odm_tui.errors",
    "Dataset": "odm_tui.evaluation.data.dataset",
    "Decide": "odm_tui.engine.interview",
    "Exploration": "odm_tui.engine.exploration",
    "Interview": "odm_tui.engine.interview",
    "Locked": "odm_tui.errors",
    "Model": "odm_tui.engine.model",
    "NextDecision": "odm_tui.session.next_step",
    "NextQuestion": "odm_tui.session.next_step",
    "OdmError": "odm_tui.errors",
    "Oracle": "odm_tui.engine.oracles",
    "Policy": "odm_tui.engine.policy",
    "Posterior": "odm_tui.engine.posterior",
    "Problem": "odm_tui.engine.problem",
    "Progress": "odm_tui.engine.stopping",
    "Question": "odm_tui.engine.problem",
    "ReplayOptions": "odm_tui.evaluation.replay.replay",
    "ReplayResult": "odm_tui.evaluation.replay.replay",
    "Scores": "odm_tui.engine.oracles",
    "ScoringOracle": "odm_tui.engine.oracles",
    "Session": "odm_tui.session",
    "Situation": "odm_tui.engine.situation",
    "StopRule": "odm_tui.engine.stopping",
    "Trace": "odm_tui.evaluation.experiment.simulation",
    "available_banks": "odm_tui.banks",
    "load_bank": "odm_tui.banks",
    "next_step": "odm_tui.session.next_step",
    "policy_from": "odm_tui.engine.policy",
    "policy_names": "odm_tui.engine.policy",
    "replay": "odm_tui.evaluation.replay.replay",
    "simulate": "odm_tui.evaluation.experiment.simulation",
    "stop_rule_from": "odm_tui.engine.stopping",
}


if not TYPE_CHECKING:  # with this, a type checker would accept every misspelt name

    def __getattr__(name: str) -> object:
        """Load a public name from its module on first use."""
        if name not in _MODULES:
            raise AttributeError(f"module 'odm_tui' has no attribute {name!r}")
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, whether they are loaded or not."""
    return sorted({*globals(), *__all__})
