"""The starter bank: a small valid bank whose comments explain the format."""

from __future__ import annotations

from odm_tui.banks.authoring.toml_text import format_toml_string
from odm_tui.banks.schema import SCHEMA_LINE

_STARTER = """\
{schema}
# A question bank for odm-tui. Change it, then check it with:  odm-tui check {file}
# Everything after a # is a comment. Only the keys marked "required" are necessary.

format = 1                         # required: the version of this format
id = {id}   # the name under which interviews are kept: never change it, even if you rename the file
title = {title}   # required: the name to show
version = "1"                      # your name for this state of the bank; it is logged with each interview
description = "What this bank is for, and for whom."
language = "en"                    # the language of the texts
cost_unit = "seconds"              # the unit of all costs: seconds, EUR, points, …
default_cost = 10                  # the cost of a question that has no cost of its own
stakes = 600                       # the cost of a wrong outcome, in the same unit (default: derived from the costs)
# notice = "A sentence to show with this bank at all times."

# The priors of the outcomes below: "fixed" keeps them as written, "learned" adapts them to confirmed outcomes.
# If learned, the priors as written count as much as this many interviews.
outcome_prior = "learned"
outcome_prior_worth = 10

# How to learn P(answer | outcome) if it is not in [expected] below: "shared" starts from what was learned about all
# questions and outcomes, "pooled" about this question with all outcomes; "separate" starts each outcome from nothing.
# learning = "shared"
# half_life_days = 180             # an interview this old counts half as much as a new one (default: all count the same)
# horizon = 200                    # about how many interviews will follow: the more, the more is asked in order to learn
# target_cost = 90                 # what an interview should cost on average; the stakes then follow from the costs

# How to choose questions, and when to stop: leave it out, the default weighs every question against the stakes.
# policy = "lookahead-mean"


# ---- Outcomes: the possible results of an interview; at least two.

[[outcomes]]
id = "battery-empty"               # required: a short name that never changes (letters, digits, - _ .)
label = "The battery is empty"     # the text to show (default: the id)
advice = "Charge it for two hours, then try again."   # shown at the end
prior = 0.5                        # how likely it is before any answer; give it for all outcomes or for none

[[outcomes]]
id = "cable-loose"
label = "A cable is loose"
advice = "Push every plug in until it clicks."
prior = 0.3

[[outcomes]]
id = "part-broken"
label = "A part is broken"
advice = "Send it in for repair."
prior = 0.2


# ---- Questions: at least one. A question without a type is a yes/no question.

[[questions]]
id = "lamp"                        # required
text = "Is the lamp on the front lit?"   # required: what to ask
help = "It is below the switch, and hard to see in the sun."
cost = 5                           # one number …
# error_rate = 0.05                # how often the answer is wrong (default: estimated from what was learned)

[[questions]]
id = "restart"
text = "Does it work after a restart?"
cost = {{ yes = 60, no = 120 }}      # … or by answer …

[[questions]]
id = "open-lid"
text = "Is any cable loose under the lid?"
cost = {{ yes = {{ cable-loose = 90, "*" = 150 }}, no = 150 }}   # … or by answer and outcome; "*" means all others

[[questions]]
id = "lamp-colour"
text = "Which colour is the lamp?"
type = "choice"                    # two or more answers, as texts or as {{ id = "red", label = "Red" }}
answers = ["green", "amber", {{ id = "red", label = "Red, or blinking" }}]
ask_if = {{ lamp = "yes" }}          # ask only after this answer; two conditions: {{ lamp = "yes", restart = "no" }};
                                   # also {{ any = [{{ lamp = "yes" }}, {{ voltage = {{ above = 9 }} }}] }} and {{ not = {{ lamp = "no" }} }}

[[questions]]
id = "voltage"
text = "What does the meter show?"
type = "number"
unit = "V"
range = [0, 24]                    # the lowest and the highest number allowed
thresholds = [9, 11.5]             # the numbers that split the answers into intervals
always_ask = false                 # true: ask in every interview, before all other questions


# ---- What you know before the first interview: P(answer | outcome). Every confirmed interview adds to it.
#      Leave out what you do not know.

[expected]
worth = 8                          # counts as much as 8 observations; by question: {{ "*" = 8, voltage = 30 }}

# yes or no: P(yes) by outcome; "*" means all others
lamp = {{ battery-empty = 0.05, cable-loose = 0.4, "*" = 0.8 }}
restart = {{ part-broken = 0.05, "*" = 0.2 }}
open-lid = {{ cable-loose = 0.95, "*" = 0.05 }}

# choice: P of the answers by outcome; answers that are not named share the rest
lamp-colour = {{ battery-empty = {{ red = 0.7 }}, part-broken = {{ amber = 0.6, red = 0.3 }} }}

# number: P(above a threshold) by outcome; a key with a dot needs quotes
voltage = {{ battery-empty = {{ above_9 = 0.2, "above_11.5" = 0.02 }}, "*" = {{ above_9 = 0.98, "above_11.5" = 0.9 }} }}
"""


def starter_bank(title: str, file: str, id: str) -> str:
    """Return the text of a commented bank with this title and id; ``file`` is the path in its second line."""
    return _STARTER.format(
        title=format_toml_string(title), file=file, id=format_toml_string(id), schema=SCHEMA_LINE
    )
