"""Checks for your own oracles, explorations and stop rules: the same that every built-in one passes.

They are plain functions. Call them in your tests, with or without pytest; each raises an AssertionError that says
what is wrong and in which interview.

>>> from odm_tui.testing import check_stop_rule
>>> check_stop_rule({"max_questions": 3})
"""

from __future__ import annotations

from odm_tui.testing.conformance import check_exploration, check_oracle, check_stop_rule
from odm_tui.testing.learning import check_learning

__all__ = ["check_exploration", "check_learning", "check_oracle", "check_stop_rule"]
