"""Texts of banks that several tests use: one with named variants, and one with ten mistakes."""

from __future__ import annotations

BANK_WITH_VARIANTS = """\
format = 1
title = "Phone"
stakes = 60

[[outcomes]]
id = "battery"
label = "Worn battery"

[[outcomes.variants]]
id = "worn"
label = "Drains fast"
share = 3
worth = 20
expected = { drains = 0.95, warm = 0.9 }

[[outcomes.variants]]
id = "swollen"
share = 1
worth = 4
[outcomes.variants.expected]
drains = 0.2
colour = { red = 0.9 }
minutes = { above_10 = 0.8, above_60 = 0.4 }

[[outcomes]]
id = "charger"

[[questions]]
id = "drains"
text = "Does it drain fast?"

[[questions]]
id = "warm"
text = "Does it get warm?"

[[questions]]
id = "colour"
text = "Which colour is the light?"
type = "choice"
answers = ["red", "green", "off"]

[[questions]]
id = "minutes"
text = "How many minutes does it last?"
type = "number"
thresholds = [10, 60]

[expected]
drains = { battery = 0.7, charger = 0.1 }
"""

TEN_MISTAKES = """\
format = 1
titel = "Misspelt"
stakes = nan

[[outcomes]]
id = "a"
prior = 0.5

[[outcomes]]
id = "a"
prior = -1

[[questions]]
id = "q 1"
text = "Is it?"

[[questions]]
id = "q2"
text = ""
cost = { yes = -4 }
ask_if = { q3 = "maybe" }

[[questions]]
id = "q3"
text = "Which?"
type = "chioce"

[expected]
q2 = { b = 0.5 }
q9 = 0.5
"""
