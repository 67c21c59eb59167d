"""The settings of an experiment that have names: protocol, regions and prior."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from odm_tui.errors import BadArgument
from odm_tui.text import unknown_name

Choice = TypeVar("Choice", bound=StrEnum)


class Regions(StrEnum):
    """Where the hypotheses and their regions come from."""

    KNOWN = "known"
    """The theta of the whole data set."""
    UNKNOWN = "unknown"
    """What has been learned so far."""


class Prior(StrEnum):
    """What learning starts from."""

    SEPARATE = "separate"
    """Beta(2, 2) for every pair of question and outcome, as in the paper."""
    POOLED = "pooled"
    """A base rate per question, learned from all outcomes."""
    SHARED = "shared"
    """Also how far outcomes differ in their answers, learned from all questions."""


class Knowledge(StrEnum):
    """What an agent knows besides the answers to what it asked."""

    ASKED = "asked"
    """Nothing: it learns from what it asked."""
    FULL = "full"
    """All answers of every scenario, once its outcome is confirmed; it pays only for what it asks."""
    KNOWN = "known"
    """The theta of the whole data set, by which it asks and decides."""


class Protocol(StrEnum):
    """How interviews run and who decides."""

    PAPER = "paper"
    """By the paper's formulas."""
    AUTHORS = "authors"
    """As the authors' program computes."""
    LIVE = "live"
    """As in real interviews."""

    @property
    def default_regions(self) -> Regions:
        """The regions of experiments that do not name any."""
        return Regions.UNKNOWN if self is Protocol.LIVE else Regions.KNOWN

    @property
    def default_prior(self) -> Prior:
        """The prior of experiments that do not name any."""
        return Prior.SHARED if self is Protocol.LIVE else Prior.SEPARATE


def parse_choice(choices: type[Choice], word: str) -> Choice:
    """Return the choice with this name.

    >>> parse_choice(Protocol, "paper").default_regions
    <Regions.KNOWN: 'known'>
    >>> parse_choice(Protocol, "papers")
    Traceback (most recent call last):
    odm_tui.errors.BadArgument: Unknown protocol 'papers'. Did you mean 'paper'?
    """
    names = [choice.value for choice in choices]
    if word not in names:
        raise BadArgument(unknown_name(choices.__name__.lower(), word, names))
    return choices(word)


def check_knowledge(protocol: Protocol, knowledge: Knowledge) -> None:
    """Raise an error if the protocol has no agents that know this."""
    if protocol is not Protocol.LIVE and knowledge is not Knowledge.ASKED:
        raise BadArgument(
            f"Only the protocol 'live' has agents with the knowledge {knowledge.value!r}. Use --protocol live."
        )


def check_prior(protocol: Protocol, prior: Prior) -> None:
    """Raise an error if the protocol does not support the prior."""
    if protocol == Protocol.AUTHORS and prior != Prior.SEPARATE:
        raise BadArgument(
            "The protocol 'authors' supports separate priors only. Use --prior separate, or --protocol paper or live."
        )
