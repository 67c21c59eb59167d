"""All errors in a bank are reported in one run, each with its place and its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import BadBank, load_bank
from odm_tui.banks.loading import examine_bank
from odm_tui.banks.parsing.findings import MAX_FINDINGS, Finding
from tests.support.sample_banks import SMALL, loaded, written
from tests.support.sample_banks.texts import TEN_MISTAKES


def findings(folder: Path, text: str) -> list[Finding]:
    """Return all errors in a bank with this text."""
    with pytest.raises(BadBank) as error:
        load_bank(written(folder, text))
    return list(error.value.findings)


def changed(old: str, new: str) -> str:
    """Return the small bank with one passage replaced."""
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [('id = "line-fault"', 'id = "none"', "no outcome is right"), ('"red"', '"unknown"', "no answer")],
)
def test_an_id_that_means_something_else_is_refused(tmp_path: Path, old: str, new: str, word: str) -> None:
    text = SMALL.replace(old, new)
    assert text != SMALL
    assert any(word in found.message for found in findings(tmp_path, text))


def test_ten_different_mistakes_in_one_file_are_all_reported_in_one_run(tmp_path: Path) -> None:
    found = findings(tmp_path, TEN_MISTAKES)
    assert [(f.path, f.about, f.line) for f in found] == [
        ("title", "", None),
        ("titel", "", 2),
        ("stakes", "", 3),
        ("outcomes[1].id", "outcome 'a'", 10),
        ("outcomes[1].prior", "outcome 'a'", 11),
        ("questions[0].id", "question 'q 1'", 14),
        ("questions[1].text", "question 'q2'", 19),
        ("questions[1].cost.yes", "question 'q2'", 20),
        ("questions[2].type", "question 'q3'", 26),
        ("expected.q2.b", "question 'q2'", 29),
        ("expected.q9", "", 30),
    ]
    said = {finding.path: finding.message for finding in found}
    assert said["titel"] == "unknown key 'titel'. Did you mean 'title'?"
    assert said["stakes"] == "must be a finite number, not nan."
    assert said["outcomes[1].id"].startswith("the id 'a' is taken by outcomes[0].id already")
    assert said["questions[0].id"].endswith("Write 'q-1'.")
    assert said["questions[2].type"].endswith("not 'chioce'. Did you mean 'choice'?")
    assert said["questions[1].cost.yes"] == "must be a number, 0 or more, not -4."
    assert said["expected.q2.b"].startswith("unknown outcome 'b'. Choose one of 'a'")
    assert said["expected.q9"].startswith("unknown question 'q9'. ")


def test_the_message_of_a_bad_bank_names_the_file_and_each_place(tmp_path: Path) -> None:
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, TEN_MISTAKES)
    first, *others = str(error.value).splitlines()
    assert first == f"{tmp_path / 'sample.toml'} has 11 errors:"
    assert others[7] == (
        "  line 20: questions[1].cost.yes (question 'q2'): must be a number, 0 or more, not -4."
    )


def test_a_single_mistake_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, changed("default_cost = 3", "default_cost = inf"))
    assert str(error.value) == (
        f"{tmp_path / 'sample.toml'}, line 4: default_cost: must be a finite number, not inf."
    )


MISTAKES = {
    # text in the small bank, its replacement, the place of the error, part of its message
    "format missing": ("format = 1\n", "", "format", "must be 1; start the bank with the line format = 1."),
    "format true": ("format = 1\n", "format = true\n", "format", "must be 1, not true"),
    "format zero": ("format = 1\n", "format = 0\n", "format", "must be 1, not 0"),
    "title a number": ('title = "Home network"', "title = 5", "title", "must be a text in quotes, not 5"),
    "title too long": (
        '"Home network"',
        f'"{"x" * 300_000}"',
        "title",
        "has 300,000 characters; at most 200",
    ),
    "title blank": ('"Home network"', '" \\t "', "title", "is empty"),
    "stakes a text": (
        "stakes = 900",
        'stakes = "a lot"',
        "stakes",
        "must be a number, or a table such as { default = 60, missed = { … } }, not 'a lot'",
    ),
    "stakes huge": (
        "stakes = 900",
        f"stakes = {'9' * 900}",
        "stakes",
        "must be at most 1e+12, not a huge integer.",
    ),
    "stakes a date": ("stakes = 900", "stakes = 2024-01-01", "stakes", "not a date or time"),
    "stakes true": ("stakes = 900", "stakes = true", "stakes", "not true"),
    "prior unknown word": (
        "stakes = 900",
        'outcome_prior = "learnt"',
        "outcome_prior",
        'must be "fixed" or "learned"',
    ),
    "one prior missing": (
        'id = "router"\nprior = 0.3',
        'id = "router"',
        "outcomes[2].prior",
        "give all outcomes",
    ),
    "unknown policy": (
        "stakes = 900",
        'policy = "w-ec3-ts"',
        "policy",
        "unknown policy 'w-ec3-ts'. Did you mean 'w-ec2-ts'? See `odm-tui policies`.",
    ),
    "unknown stop rule": (
        "stakes = 900",
        'policy = { stop = "soon" }',
        "policy",
        "unknown stop rule 'soon'",
    ),
    "policy with NaN": (
        "stakes = 900",
        "policy = { stop = { max_questions = nan } }",
        "policy.stop.max_questions",
        "finite",
    ),
    "policy a list": ("stakes = 900", "policy = [1]", "policy", 'must be a name such as "w-ec2-ts"'),
    "oracle a list": (
        "stakes = 900",
        "policy = { oracle = [1] }",
        "policy.oracle",
        "must be a text in quotes",
    ),
    "learning unknown word": (
        "stakes = 900",
        'learning = "pooling"',
        "learning",
        """must be "shared", "pooled" or "separate", not 'pooling'. Did you mean""",
    ),
    "half-record of nothing": (
        "stakes = 900",
        "half_life_days = 0",
        "half_life_days",
        "must be a number of days, 1 or more, not 0; leave it out",
    ),
    "half-record without end": ("stakes = 900", "half_life_days = inf", "half_life_days", "not inf"),
    "half-record a text": ("stakes = 900", 'half_life_days = "180"', "half_life_days", "not '180'"),
    "wrong as often as right": (
        "cost = { red = 1 }",
        "error_rate = 0.5",
        "questions[1].error_rate",
        "must be a share from 0 to below 0.5, such as 0.05, not 0.5",
    ),
    "error rate below 0": (
        "cost = { red = 1 }",
        "error_rate = -0.1",
        "questions[1].error_rate",
        "not -0.1",
    ),
    "error rate NaN": ("cost = { red = 1 }", "error_rate = nan", "questions[1].error_rate", "not nan"),
    "error rate true": ("cost = { red = 1 }", "error_rate = true", "questions[1].error_rate", "not true"),
    "outcomes not repeated": (
        '[[outcomes]]\nid = "line-fault"',
        '[outcomes]\nid = "line-fault"',
        "",
        "not valid TOML",
    ),
    "unknown outcome key": (
        'advice = "Book',
        'advise = "Book',
        "outcomes[0].advise",
        "Did you mean 'advice'?",
    ),
    "alias taken": (
        'aliases = ["wlan"]',
        'aliases = ["router"]',
        "outcomes[2].id",
        "taken by outcomes[1].aliases",
    ),
    "question worth": ('id = "lights"', 'id = "worth"', "questions[0].id", "choose another id"),
    "cost a text": (
        "cost = { red = 1 }",
        'cost = "1 s"',
        "questions[1].cost",
        "must be a number, or a table",
    ),
    "cost of no answer": ("{ red = 1 }", "{ rde = 1 }", "questions[1].cost.rde", "Did you mean 'red'?"),
    "cost by outcome first": (
        "{ red = 1 }",
        "{ wifi = 1 }",
        "questions[1].cost.wifi",
        "'wifi' is an outcome; costs go by answer first",
    ),
    "cost of no outcome": (
        "line-fault = 40",
        "line-falt = 40",
        "questions[0].cost.no.line-falt",
        "Did you mean 'line-fault'?",
    ),
    "cost by outcome infinite": (
        "line-fault = 40",
        "line-fault = inf",
        "questions[0].cost.no.line-fault",
        "must be a finite number, not inf",
    ),
    "ask_if a text": (
        '{ lights = "no" }',
        '"lights"',
        "questions[1].ask_if",
        "must be a table such as",
    ),
    "ask_if of no question": (
        '{ lights = "no" }',
        '{ light = "no" }',
        "questions[1].ask_if.light",
        "Did you mean 'lights'?",
    ),
    "ask_if of no answer": (
        '{ lights = "no" }',
        '{ lights = "off" }',
        "questions[1].ask_if.lights",
        "has no answer 'off'. Choose one of 'no', 'yes'.",
    ),
    "ask_if without quotes": (
        '{ lights = "no" }',
        "{ lights = false }",
        "questions[1].ask_if.lights",
        "not false. Put the answer in quotes.",
    ),
    "ask_if of itself": (
        '{ lights = "no" }',
        '{ colour = "red" }',
        "questions[1].ask_if.colour",
        "can't depend on its own answer",
    ),
    "ask_if of an empty list": (
        '{ lights = "no" }',
        "{ lights = [] }",
        "questions[1].ask_if.lights",
        "has no answers",
    ),
    "always_ask in quotes": (
        "always_ask = true",
        'always_ask = "true"',
        "questions[2].always_ask",
        "true or false, without quotes",
    ),
    "one answer": (
        'answers = ["red", { id = "amber", label = "Amber" }, "Not lit"]',
        'answers = ["red"]',
        "questions[1].answers",
        "must have 2 to 100 answers",
    ),
    "answers missing": (
        'answers = ["red", { id = "amber", label = "Amber" }, "Not lit"]\n',
        "",
        "questions[1].answers",
        "is missing",
    ),
    "answers the same": ('"Not lit"]', '"red"]', "questions[1].answers[2]", "the id 'red' is taken"),
    "answer without letters": (
        '"Not lit"]',
        '"…"]',
        "questions[1].answers[2]",
        "has no letters or digits for an id",
    ),
    "answers of a number": (
        'unit = "ms"',
        'answers = ["a", "b"]',
        "questions[2].answers",
        "only a choice question",
    ),
    "thresholds missing": ("thresholds = [20, 80, 300]\n", "", "questions[2].thresholds", "is missing"),
    "thresholds falling": ("[20, 80, 300]", "[20, 300, 80]", "questions[2].thresholds", "must increase"),
    "thresholds alike": (
        "[20, 80, 300]",
        "[20, 80, 80.00000000001, 300]",
        "questions[2].thresholds",
        "the same first ten digits",
    ),
    "threshold NaN": ("[20, 80, 300]", "[20, nan, 300]", "questions[2].thresholds[1]", "finite"),
    "range reversed": ("[0, 5000]", "[5000, 0]", "questions[2].range", "not [5000, 0]"),
    "expected beyond 1": (
        "line-fault = 0.0",
        "line-fault = 1.5",
        "expected.lights.line-fault",
        "from 0 to 1, not 1.5",
    ),
    "expected NaN last": ('"*" = 0.8', '"*" = nan', 'expected.lights."*"', "finite number, not nan"),
    "expected a number for a choice": (
        "{ line-fault = { red = 0.7, amber = 0.2 } }",
        "0.7",
        "expected.colour",
        "must be a table by outcome",
    ),
    "expected by answer": (
        "{ line-fault = { red = 0.7, amber = 0.2 } }",
        "{ red = 0.7 }",
        "expected.colour.red",
        "go by outcome first",
    ),
    "expected sum": ("amber = 0.2", "amber = 0.4", "expected.colour.line-fault", "sum to 1.1"),
    "expected sum below 1": (
        "amber = 0.2",
        "amber = 0.1, not-lit = 0.1",
        "expected.colour.line-fault",
        "sum to 0.9; make them sum to 1",
    ),
    "expected rising": ("above_300 = 0.3", "above_300 = 0.95", "expected.ping.wifi", "must not increase"),
    "a dot without quotes": (
        "above_300 = 0.3",
        "above_300.0 = 0.3",
        "expected.ping.wifi.above_300",
        "a key with a dot needs quotes",
    ),
    "no such threshold": (
        "above_300 = 0.3",
        "above_30 = 0.3",
        "expected.ping.wifi.above_30",
        "'above_20', 'above_80', 'above_300'",
    ),
    "worth zero": ("ping = 20", "ping = 0", "expected.worth.ping", "must be more than 0"),
    "worth of no question": ("ping = 20", "pong = 20", "expected.worth.pong", "Did you mean 'ping'?"),
}


@pytest.mark.parametrize(("old", "new", "path", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_found_at_its_place_with_its_remedy(
    tmp_path: Path, old: str, new: str, path: str, said: str
) -> None:
    found = findings(tmp_path, changed(old, new))
    assert found[0].path == path
    assert said in found[0].message
    assert all(finding.message[-1] in ".?…" for finding in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('format = 1\ntitle = "x"\n', "write [[outcomes]] for each"),
        (
            'format = 1\ntitle = "x"\noutcomes = []\n[[questions]]\nid = "q"\ntext = "Is it?"\n',
            "write [[outcomes]] for each",
        ),
        (
            'format = 1\ntitle = "x"\noutcomes = 3\nquestions = []\n',
            "must be written as [[outcomes]], once for each",
        ),
        ('format = 1\ntitle = "x"\noutcomes = [1, 2]\nquestions = []\n', "must be a table"),
        ('format = 1\ntitle = "x"\n[[outcomes]]\nid = "a"\n', "there is only one"),
        ("", "start the bank with the line format = 1."),
    ],
)
def test_a_bank_without_its_main_parts_is_told_what_is_missing(tmp_path: Path, text: str, said: str) -> None:
    assert any(said in finding.message for finding in findings(tmp_path, text))


def test_too_many_questions_get_one_sentence(tmp_path: Path) -> None:
    outcomes = '[[outcomes]]\nid = "a"\n[[outcomes]]\nid = "b"\n'
    text = f'format = 1\ntitle = "x"\nquestions = [{"{}," * 20_001}]\n{outcomes}'
    (finding,) = findings(tmp_path, text)
    assert (finding.path, finding.message) == (
        "questions",
        "there are 20,001; a bank may have at most 20,000.",
    )


def test_a_bank_that_would_fill_the_memory_gets_one_sentence(tmp_path: Path) -> None:
    outcomes = "".join(f'[[outcomes]]\nid = "o{j}"\n' for j in range(3_000))
    questions = "".join(f'[[questions]]\nid = "q{i}"\ntext = "q{i}?"\n' for i in range(4_000))
    (finding,) = findings(tmp_path, f'format = 1\ntitle = "x"\n{outcomes}{questions}')
    assert "4,000 questions x 3,000 outcomes x 2 answers are too many" in finding.message


def test_a_file_full_of_mistakes_is_not_read_to_its_end(tmp_path: Path) -> None:
    text = "format = 1\n" + "".join(f"key{i} = 1\n" for i in range(5_000))
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, text)
    assert len(error.value.findings) == MAX_FINDINGS
    assert error.value.more
    assert str(error.value).startswith(f"{tmp_path / 'sample.toml'} has more than {MAX_FINDINGS} errors:")


def test_hostile_keys_and_ids_are_quoted_harmlessly(tmp_path: Path) -> None:
    payload = "\\u001b]52;c;aGFjaw==\\u0007"
    text = changed('id = "lights"', f'id = "{payload}"\n"{payload}" = "{payload}"')
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, text)
    assert all(line.isprintable() for line in str(error.value).splitlines())


def test_hostile_texts_are_cleaned_where_the_bank_is_loaded(tmp_path: Path) -> None:
    bank = loaded(tmp_path, changed('"Home network"', '"a\\u001b[31m\\u202eb [@click=app.quit]x[/]"'))
    assert bank.title == "a\ufffd[31m\ufffdb [@click=app.quit]x[/]"
    assert any("U+001B, U+202E" in warning.message for warning in bank.warnings)


def test_an_examination_of_a_good_bank_has_no_errors(tmp_path: Path) -> None:
    examined = examine_bank(written(tmp_path, SMALL))
    assert examined.bank is not None
    assert examined.errors == ()


def test_a_bank_has_the_defaults_of_the_format(tmp_path: Path) -> None:
    bank = loaded(
        tmp_path,
        'format = 1\ntitle = "x"\n[[outcomes]]\nid = "a"\n[[outcomes]]\nid = "b"\n[[questions]]\nid = "q"\ntext = "?"\n',
    )
    assert (bank.language, bank.cost_unit, bank.default_cost, bank.stakes) == ("en", "points", 1.0, None)
    assert (bank.outcome_prior, bank.outcome_prior_worth, bank.policy, bank.notice) == (
        "fixed",
        10.0,
        None,
        "",
    )
    assert [(o.label, o.prior, o.advice) for o in bank.outcomes] == [("a", 0.5, ""), ("b", 0.5, "")]
    assert bank.questions[0].type == "yes_no"
    assert (bank.learning, bank.half_life_days, bank.questions[0].error_rate) == ("shared", None, None)


@pytest.mark.parametrize("stop", ['"value"', '{ any = [{ confidence = 0.9 }, { all = ["value"] }] }'])
def test_the_rule_value_needs_no_stakes(tmp_path: Path, stop: str) -> None:
    bank = loaded(tmp_path, changed("stakes = 900", f"policy = {{ stop = {stop} }}"))
    assert bank.stakes is None
    assert bank.problem.effective_stakes > 0


def test_questions_and_outcomes_are_found_by_their_old_ids(tmp_path: Path) -> None:
    bank = loaded(tmp_path, SMALL)
    assert bank.question("color") is bank.questions[1]
    assert bank.outcome("wlan") is bank.outcomes[1]


def test_comments_layout_and_the_order_of_keys_do_not_change_the_hash(tmp_path: Path) -> None:
    other = changed("stakes = 900\n", "").replace(
        "format = 1\n", "# a comment\nstakes = 900.0   # another\nformat = 1\n"
    )
    other = other.replace(
        'cost = { yes = 5, no = { line-fault = 40, "*" = 20 } }',
        'cost.no = { "*" = 20, line-fault = 40.0 }\ncost.yes = { "*" = 5 }',
    )
    assert loaded(tmp_path, other).hash == loaded(tmp_path, SMALL).hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('text = "Is the internet light green?"', 'text = "Is the internet light on?"'),
        ("line-fault = 40", "line-fault = 41"),
        ('"*" = 0.8', '"*" = 0.81'),
        ("ping = 20", "ping = 21"),
        ("always_ask = true", "always_ask = false"),
        ("always_ask = true", "always_ask = true\nerror_rate = 0"),
        ("stakes = 900", 'stakes = 900\nlearning = "separate"'),
        ("stakes = 900", "stakes = 900\nhalf_life_days = 180"),
    ],
)
def test_a_change_of_meaning_changes_the_hash(tmp_path: Path, old: str, new: str) -> None:
    assert loaded(tmp_path, changed(old, new)).hash != loaded(tmp_path, SMALL).hash


def test_a_bank_without_the_newer_keys_keeps_its_hash(tmp_path: Path) -> None:
    hash_before = "54deffa8d4dffc8f8515f32199bfe46cceff0d983141d9c6cc6d3f0c85d6b20b"
    spelled_out = changed("stakes = 900", 'stakes = 900\nlearning = "shared"')
    assert loaded(tmp_path, SMALL).hash == loaded(tmp_path, spelled_out).hash == hash_before
