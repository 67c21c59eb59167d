"""The options of an interview, as given on the command line."""

from __future__ import annotations

from typing import NamedTuple


class InterviewOptions(NamedTuple):
    """The options of an interview; every value is optional."""

    bank: str | None = None
    state_dir: str | None = None
    policy: str | None = None
    seed: int | None = None
    operator: str | None = None
    resume: str | None = None
    ask_all: bool = False
    plain: bool = False
    answers: str | None = None
    confirm: str | None = None
    as_json: bool = False
    theme: str | None = None
    case: str | None = None
    store: str | None = None
    explore: str | None = None
    """When questions may be asked in order to learn; None for what the bank says."""
    target_cost: float | None = None

    @property
    def policy_name(self) -> str | None:
        """The policy to use; None for the bank's policy."""
        return "all" if self.ask_all else self.policy
