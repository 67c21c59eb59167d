"""Bank files for tests: a small one with every kind of question, and generated ones of any size."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import Bank, load_bank

SMALL = """\
format = 1
title = "Home network"
cost_unit = "seconds"
default_cost = 3
stakes = 900

[[outcomes]]
id = "line-fault"
label = "Fault on the line"
advice = "Book a technician."
prior = 0.2

[[outcomes]]
id = "wifi"
prior = 0.5
aliases = ["wlan"]

[[outcomes]]
id = "router"
prior = 0.3

[[questions]]
id = "lights"
text = "Is the internet light green?"
cost = { yes = 5, no = { line-fault = 40, "*" = 20 } }

[[questions]]
id = "colour"
text = "Which colour is it instead?"
type = "choice"
answers = ["red", { id = "amber", label = "Amber" }, "Not lit"]
cost = { red = 1 }
ask_if = { lights = "no" }
aliases = ["color"]

[[questions]]
id = "ping"
text = "What does the ping page show?"
type = "number"
unit = "ms"
range = [0, 5000]
thresholds = [20, 80, 300]
ask_if = { colour = ["red", "amber"] }
always_ask = true

[expected]
worth = { "*" = 10, ping = 20 }
lights = { line-fault = 0.0, "*" = 0.8 }
colour = { line-fault = { red = 0.7, amber = 0.2 } }
ping = { wifi = { above_20 = 0.9, above_300 = 0.3 } }
"""


def written(folder: Path, text: str | bytes, name: str = "sample.toml") -> Path:
    """Write a new file with this content and return its path."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def loaded(folder: Path, text: str) -> Bank:
    """Load a bank with this text."""
    return load_bank(written(folder, text))


def generated(questions: int, outcomes: int) -> str:
    """Return the text of a bank of yes/no questions with an expected answer for every outcome."""
    parts = ['format = 1\ntitle = "Generated"\n']
    parts += [
        f'[[outcomes]]\nid = "o{j}"\nlabel = "Outcome {j}"\nadvice = "Do {j}."\n' for j in range(outcomes)
    ]
    parts += [
        f'[[questions]]\nid = "q{i}"\ntext = "Is it so, number {i}?"\ncost = {{ yes = {i % 7 + 1}, no = 2 }}\n'
        for i in range(questions)
    ]
    parts.append("[expected]\nworth = 10")
    for i in range(questions):
        shares = ", ".join(f"o{j} = 0.{(31 * i + 17 * j + i * j) % 97 + 1:02d}" for j in range(outcomes))
        parts.append(f"q{i} = {{ {shares} }}")
    return "\n".join(parts) + "\n"
