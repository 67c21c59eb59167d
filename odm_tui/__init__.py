"""odm-tui asks as few and as cheap questions as it can until it can name the outcome.

The names below are the library's front door. Each is loaded when it is first used, so that
``import odm_tui`` stays quick and loads neither numpy nor any screen.

>>> import odm_tui
>>> odm_tui.Question("ping", thresholds=(20, 80)).interval(50)
1
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odm_tui.banks import Bank, available_banks, load_bank
    from odm_tui.engine.interview import Ask, Decide, Interview
    from odm_tui.engine.policy import Policy, policy_from
    from odm_tui.engine.posterior import Posterior
    from odm_tui.engine.problem import Problem, Question
    from odm_tui.errors import BadArgument, BadData, CannotWrite, Locked, OdmError

__version__ = "0.1.0"

__all__ = [
    "Ask",
    "BadArgument",
    "BadData",
    "Bank",
    "CannotWrite",
    "Decide",
    "Interview",
    "Locked",
    "OdmError",
    "Policy",
    "Posterior",
    "Problem",
    "Question",
    "__version__",
    "available_banks",
    "load_bank",
    "policy_from",
]

_HOMES = {
    "Ask": "odm_tui.engine.interview",
    "BadArgument": "odm_tui.errors",
    "BadData": "odm_tui.errors",
    "Bank": "odm_tui.banks",
    "CannotWrite": "odm_tui.errors",
    "Decide": "odm_tui.engine.interview",
    "Interview": "odm_tui.engine.interview",
    "Locked": "odm_tui.errors",
    "OdmError": "odm_tui.errors",
    "Policy": "odm_tui.engine.policy",
    "Posterior": "odm_tui.engine.posterior",
    "Problem": "odm_tui.engine.problem",
    "Question": "odm_tui.engine.problem",
    "available_banks": "odm_tui.banks",
    "load_bank": "odm_tui.banks",
    "policy_from": "odm_tui.engine.policy",
}


if not TYPE_CHECKING:  # a type checker that saw this would take every misspelt name for a real one

    def __getattr__(name: str) -> object:
        """Load a public name from its module on first use."""
        if name not in _HOMES:
            raise AttributeError(f"module 'odm_tui' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, whether loaded yet or not."""
    return sorted({*globals(), *__all__})
