"""The starter bank: a small bank that works, and whose comments teach the format."""

from __future__ import annotations

from odm_tui.banks.authoring.toml_text import format_toml_string

_STARTER = """\
# A question bank for odm-tui. Change it, then look for mistakes with:  odm-tui check {file}
# Everything after a # is a comment. Only what is marked "needed" has to be there.

format = 1                         # needed: the version of this format
title = {title}
description = "What this bank is for, and for whom."
language = "en"                    # the language of the texts
cost_unit = "seconds"              # what costs are counted in: seconds, EUR, points …
default_cost = 10                  # what a question costs where it does not say so itself
stakes = 600                       # what a wrong outcome costs, in the same unit; derived from the costs if left out
# notice = "A sentence that is always shown with this bank."

# How likely each outcome is beforehand: "fixed" keeps the priors below, "learned" adapts them to what is
# confirmed; they then count as much as this many interviews.
outcome_prior = "learned"
outcome_prior_worth = 10

# How answers are learned where [expected] below says nothing: "pooled" starts each outcome from what all
# outcomes have taught about the question, "separate" starts each from nothing.
# learning = "pooled"
# half_life_days = 180             # an interview that is so old counts half as much as a new one; all alike if left out

# How questions are chosen, and when asking stops; leave it out for the default.
policy = {{ oracle = "w-ec2", exploration = "ts", stop = {{ any = [{{ confidence = 0.95 }}, {{ max_questions = 12 }}] }} }}


# ---- Outcomes: what an interview can come to; at least two.

[[outcomes]]
id = "battery-empty"               # needed: a short name that never changes (letters, digits, - _ .)
label = "The battery is empty"     # what is shown; the id if left out
advice = "Charge it for two hours, then try again."   # shown at the end
prior = 0.5                        # how likely beforehand; give it for all outcomes or for none

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


# ---- Questions: at least one. Without a type, a question takes yes or no.

[[questions]]
id = "lamp"                        # needed
text = "Is the lamp on the front lit?"   # needed: what to ask
help = "It is below the switch, and hard to see in the sun."
cost = 5                           # one number …
# error_rate = 0.05                # how often the answer is wrong; judged from what was learned if left out

[[questions]]
id = "restart"
text = "Does it work after a restart?"
cost = {{ yes = 60, no = 120 }}      # … or by answer …

[[questions]]
id = "open-lid"
text = "Is any cable loose under the lid?"
cost = {{ yes = {{ cable-loose = 90, "*" = 150 }}, no = 150 }}   # … or by answer and outcome; "*" is all the rest

[[questions]]
id = "lamp-colour"
text = "Which colour is the lamp?"
type = "choice"                    # two or more answers, as texts or as {{ id = "red", label = "Red" }}
answers = ["green", "amber", {{ id = "red", label = "Red, or blinking" }}]
ask_if = {{ lamp = "yes" }}          # ask only after this answer; several: {{ lamp = "yes", restart = "no" }}

[[questions]]
id = "voltage"
text = "What does the meter show?"
type = "number"
unit = "V"
range = [0, 24]                    # the lowest and the highest number that make sense
thresholds = [9, 11.5]             # what the number is compared with
always_ask = false                 # true: ask it in every interview, first


# ---- What is known beforehand: P(answer | outcome). It makes the bank useful on its first day;
#      every confirmed interview adds to it. Leave out what you do not know.

[expected]
worth = 8                          # as sure as after 8 observations; by question: {{ "*" = 8, voltage = 30 }}

# yes or no: P(yes) by outcome; "*" is all the rest
lamp = {{ battery-empty = 0.05, cable-loose = 0.4, "*" = 0.8 }}
restart = {{ part-broken = 0.05, "*" = 0.2 }}
open-lid = {{ cable-loose = 0.95, "*" = 0.05 }}

# choice: P of the answers by outcome; answers left out share the rest
lamp-colour = {{ battery-empty = {{ red = 0.7 }}, part-broken = {{ amber = 0.6, red = 0.3 }} }}

# number: P(above a threshold) by outcome; a key with a dot in it needs quotes
voltage = {{ battery-empty = {{ above_9 = 0.2, "above_11.5" = 0.02 }}, "*" = {{ above_9 = 0.98, "above_11.5" = 0.9 }} }}
"""


def starter_bank(title: str, file: str) -> str:
    """The text of a commented bank with this title; ``file`` is what its first line calls it."""
    return _STARTER.format(title=format_toml_string(title), file=file)
