"""What a practitioner calls in a terminal: text, numbers, reports; and what is refused."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from shared import ran, refused
from unpacked import unpack

from mipbook import audit, game
from mipbook.__main__ import main as door
from mipbook.base.rounding import down, up
from mipbook.choose import choose_epsilon
from mipbook.commands import answers, output

RNG = np.random.default_rng(4)
MEMBER = RNG.random(2000) < 0.5
SCORES = RNG.standard_normal(2000) + 1.5 * MEMBER
OTHER = SCORES + RNG.standard_normal(2000)
CANARY = np.arange(2000) < 800


@pytest.fixture
def scores(tmp_path):
    rows = zip(SCORES.tolist(), MEMBER, OTHER.tolist(), CANARY, strict=True)
    lines = [f"{s!r},{int(m)},{o!r},{int(c)}" for s, m, o, c in rows]
    path = tmp_path / "scores.csv"
    path.write_text("score,member,loss,canary\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def pool(tmp_path):
    values = np.random.default_rng(5).normal(size=(41, 3))
    path = tmp_path / "pool.csv"
    np.savetxt(path, values, delimiter=",", header="a,b,c", comments="")
    return path


def report_of(**more):
    return audit.audit_scores(SCORES, MEMBER, np.random.default_rng(0), **more)


def test_the_text_is_the_report_of_the_same_call(scores, capsys):
    answers.audit([str(scores)])
    told = capsys.readouterr().out
    assert told.startswith("Read: 2,000 records, 4 columns (score, member, loss, canary)")
    assert told.endswith(f"\n\n{report_of()}\n")
    more = ["--other", "loss", "--canaries", "--guesses", "300", "--fpr", "0.02", "0.3"]
    answers.audit([str(scores), *more, "--delta", "0.001", "--confidence", "0.9"])
    settings = {"delta": 0.001, "confidence": 0.9, "fprs": [0.02, 0.3]}
    want = report_of(**settings, other=OTHER, canary=CANARY, guesses=300)
    assert str(want) in capsys.readouterr().out


def test_the_numbers_are_those_of_the_curve(scores, capsys):
    answers.audit([str(scores), "--json", "--other", "loss", "--canaries", "--seed", "7"])
    told = json.loads(capsys.readouterr().out)
    curve = game.roc(SCORES, MEMBER)
    assert told["attack"]["auc"] == curve.auc
    low, high = curve.tpr_band(0.01)
    tpr = curve.tpr_at(0.01)
    assert told["attack"]["tpr_at_fpr"]["0.01"] == {"tpr": tpr, "low": down(low, 12), "high": up(high, 12)}
    assert told["second_attack"]["auc"] == game.roc(OTHER, MEMBER).auc
    run = audit.one_run(SCORES[CANARY], MEMBER[CANARY])
    assert told["canaries"]["epsilon"] == down(run.epsilon, 12)
    # What is proved of games is void for one trained model.
    assert not {"certificate", "epsilon"} & set(told)
    assert told["report"] == run.headline()


def test_games_without_canaries_have_a_certificate(scores, capsys):
    answers.audit([str(scores), "--json"])
    told = json.loads(capsys.readouterr().out)
    found = told["certificate"]
    assert found["tp"] + found["fn"] + found["fp"] + found["tn"] + found["chosen_on"] == 2000
    assert told["epsilon"]["all_thresholds"] == down(game.roc(SCORES, MEMBER).epsilon_lower_bound(1e-5), 12)
    assert "0.0001" not in told["attack"]["tpr_at_fpr"]
    answers.audit([str(scores)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("Report: epsilon ≥ ")
    assert "needs 10,000 others; there are 1,0" in next(line for line in lines if "FPR 0.01%" in line)
    assert sum("epsilon" in line for line in lines) == 2


def test_a_loss_is_turned_and_columns_are_named(tmp_path, capsys):
    path = tmp_path / "mine.csv"
    rows = "".join(f"{-s!r};{int(m)}\r\n" for s, m in zip(SCORES.tolist(), MEMBER, strict=True))
    path.write_text("verlust;drin\r\n" + rows.replace(".", ","), encoding="utf-8-sig")
    named = ["--score", "verlust", "--member", "drin"]
    answers.audit([str(path), *named, "--smaller-is-in", "--json"])
    assert json.loads(capsys.readouterr().out)["attack"]["auc"] == game.roc(SCORES, MEMBER).auc
    answers.audit([str(path), *named])
    assert "--smaller-is-in" in capsys.readouterr().out


def test_members_and_others_may_stand_apart(tmp_path, capsys):
    inside, outside = SCORES[MEMBER], SCORES[~MEMBER]
    np.savez(tmp_path / "both.npz", members=inside, Non_Members=outside)
    for name, values in (("in.txt", inside), ("out.txt", outside)):
        np.savetxt(tmp_path / name, values, fmt="%.17g")
    for given in (["both.npz"], ["in.txt", "--others", "out.txt"]):
        answers.audit([str(tmp_path / one) if one[0] != "-" else one for one in given] + ["--json"])
        assert json.loads(capsys.readouterr().out)["attack"]["auc"] == game.roc(SCORES, MEMBER).auc
    (tmp_path / "wide.csv").write_text("a,b\n1,2\n3,4\n")
    given = [str(tmp_path / name) for name in ("in.txt", "wide.csv")]
    refused("^wide.csv has 2 columns", answers.audit, [given[0], "--others", given[1]])


def test_rows_without_a_value_are_counted_and_left_out_where_asked(tmp_path, capsys):
    path = tmp_path / "gaps.csv"
    cells = ["" if i % 50 == 0 else repr(s) for i, s in enumerate(SCORES.tolist())]
    path.write_text("score,member\n" + "".join(f"{c},{int(m)}\n" for c, m in zip(cells, MEMBER, strict=True)))
    left_out = r"^row 2 has no value \(nor have 39 more of 2,000\); .*--drop-missing"
    refused(left_out, answers.audit, [str(path)])
    answers.audit([str(path), "--drop-missing", "--json"])
    told, kept = json.loads(capsys.readouterr().out), np.arange(2000) % 50 > 0
    assert told["attack"]["auc"] == game.roc(SCORES[kept], MEMBER[kept]).auc
    assert "40 rows without a value left out" in told["read"]


def test_infinite_scores_are_told(tmp_path, capsys):
    path = tmp_path / "odds.npz"
    np.savez(path, score=np.where(np.abs(SCORES) > 2, np.copysign(np.inf, SCORES), SCORES), member=MEMBER)
    answers.audit([str(path)])
    assert f"Note: {(np.abs(SCORES) > 2).sum()} scores are infinite" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "^path = .*a folder of models"),
        (["none.csv"], "^path = .*must be a file that exists"),
        (["empty.csv"], "^The file is empty"),
        (["scores.csv", "--score", "elsewhere"], "^There is no column 'elsewhere'"),
        (["scores.csv", "--canaries", "loss"], "^row 2, column 'loss': .*must be 1 or 0"),
        (["scores.csv", "--guesses", "3"], "^--guesses = 3: must be given with --canaries"),
        (["scores.csv", "--delta", "2"], "^delta = 2"),
        (["scores.csv", "--fpr", "1.5"], "^--fpr = 1.5: must be a real number in"),
        (["scores.csv", "--confidence", "nan"], "^confidence = nan"),
        (["scores.csv", "--seed", "-1"], "^--seed = -1"),
        (["scores.csv", "--html", "nowhere/a.html"], "^--html = .*a folder that exists"),
        (["scores.csv", "--html", "scores.csv"], "^--html = .*or --force"),
        (["scores.csv", "--html", "."], "^--html = "),
    ],
)
def test_bad_input_gives_one_clear_line(scores, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_bytes(b"")
    before = scores.read_bytes()
    with pytest.raises(ValueError, match=told) as caught:
        answers.audit(arguments or ["."])
    assert "\n" not in str(caught.value)
    assert scores.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.csv", "scores.csv"]


def states(path):
    """Return the panel's packed states of a report, and what stands around them."""
    page = path.read_text(encoding="utf-8")
    spec = json.loads(re.search(r'class="mb-spec">(.*?)</script>', page, re.S)[1])
    blobs = re.findall(r'class="mb-blob">(.*?)</script>', page, re.S)
    return page, spec, blobs


def test_a_report_is_one_file_whose_panel_says_what_its_table_does(scores, tmp_path, capsys):
    path = tmp_path / "report.html"
    answers.audit([str(scores), "--other", "loss", "--canaries", "--html", str(path)])
    assert f"{path}: " in capsys.readouterr().out
    page, spec, blobs = states(path)
    fprs = spec["controls"][0]["stops"]
    assert len(fprs) > 30
    curve = game.roc(SCORES, MEMBER)
    for at in (0, len(fprs) // 2, -1):
        drawn = unpack(blobs[0], at % len(fprs))
        marks = next(t for t in drawn["data"] if t["name"] == "the attack at your FPR")
        assert marks["y"][0] == pytest.approx(max(curve.tpr_at(fprs[at]), 5e-5), rel=1e-6)
    want = report_of(other=OTHER, canary=CANARY)
    sentence = drawn["layout"]["meta"]["sentence"]
    # What a bound for random games would say is void for one model with canaries.
    assert "800 canaries prove ε ≥ " in sentence
    assert sentence.count("ε ≥") == 1
    for name, value in want.rows():
        assert f'<th scope="row">{name}</th><td>{value}</td>' in page
    # Nothing is asked of a network: every address in an attribute is within the page.
    body = page[: page.index("<script>")]
    assert not re.search(r'(?:src|href)="(?!#)', body)
    refused("or --force", answers.audit, [str(scores), "--html", str(path)])
    answers.audit([str(scores), "--html", str(path), "--force"])
    assert "second attack" not in path.read_text(encoding="utf-8").partition("<script>")[0]


def test_a_name_in_a_file_cannot_become_part_of_the_report(tmp_path):
    few = zip(SCORES[:60].tolist(), MEMBER[:60], strict=True)
    rows = "".join(f"{s!r},{int(m)},0\n" for s, m in few)
    path = tmp_path / "mine.csv"
    path.write_text("score,member,<script>alert(1)</script>\n" + rows, encoding="utf-8")
    answers.audit([str(path), "--html", str(tmp_path / "a.html")])
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize("stops", ["write", "rename"])
def test_who_interrupts_keeps_the_old_file_and_nothing_else(tmp_path, monkeypatch, stops):
    path = tmp_path / "a.html"
    path.write_text("old", encoding="utf-8")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, {"write": "fdopen", "rename": "replace"}[stops], interrupted)
    with pytest.raises(KeyboardInterrupt):
        output.write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_pool_gets_its_epsilon(pool, tmp_path, capsys):
    answers.choose([str(pool), "--target", "0.2", "--clip", "5", "--delta", "0.001"])
    told = capsys.readouterr().out
    assert "drawn at random, is left out" in told
    assert "Note:" not in told
    row = int(re.search(r"row (\d+)", told)[1])
    values = np.loadtxt(pool, delimiter=",", skiprows=1)
    want = choose_epsilon(np.delete(values, row - 2, axis=0), 0.2, clip=5.0, delta=0.001)
    assert str(want) in told
    answers.choose([str(pool), "--columns", "a", "c", "--json"])
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["records"] == 40
    assert numbers["clip"] >= np.linalg.norm(values[:, [0, 2]], axis=1).max() - 1e-9
    assert "tells of the data" in numbers["notes"][-1]
    assert numbers["certificate"]["kind"] == "bound"
    path = tmp_path / "pool.html"
    answers.choose([str(pool), "--html", str(path)])
    _, spec, _ = states(path)
    control = spec["controls"][0]
    assert control["stops"][control["start"]] == 0.1
    assert len(control["stops"]) >= 15


def test_a_pool_that_is_none_is_refused(tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text("a,b\n1,2\n3,x\n", encoding="utf-8")
    refused("^row 3, column 'b': the cell is not a number", answers.choose, [str(path)])
    path.write_text("a\n" + "1\n2\n" * 1001, encoding="utf-8")
    told = ["--html", str(tmp_path / "a.html")]
    refused("at most 2,000 records; without --html", answers.choose, [str(path), *told])


def test_a_reading_has_a_report(tmp_path, capsys):
    path = tmp_path / "reading.html"
    answers.translate(["--sigma", "1.5", "--html", str(path)])
    page, spec, blobs = states(path)
    at = spec["controls"][0]["start"]
    meta = unpack(blobs[0], at)["layout"]["meta"]
    assert spec["controls"][0]["stops"][at] == 0.01
    assert meta["headline"].endswith("found at 1%")
    assert "MIP: eta" in page
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        answers.translate(["--sigma", "1", "--json", "--html", str(path)])
    assert stopped.value.code == 2


def test_the_door_says_in_one_line_what_was_wrong(tmp_path, monkeypatch, capsys):
    done = ran("-m", "mipbook", "audit", tmp_path / "none.csv")
    assert done.returncode == 1
    assert done.stderr == f"mipbook audit: FILE = '{tmp_path}/none.csv': must be a file that exists\n"
    monkeypatch.setattr(sys, "argv", ["mipbook"])
    door()
    assert {"translate", "audit", "choose"} <= set(re.findall(r"^  (\w+)", capsys.readouterr().out, re.M))


def test_who_reads_only_the_head_sees_no_error(scores):
    line = f'"{sys.executable}" -m mipbook audit "{scores}" --json | head -n 1'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_neighbours_are_asked_for_and_said_where_they_are_not_told(capsys):
    given = ["--epsilon", "3", "--delta", "1e-5"]
    told = {}
    for kind in ("add-remove", "replace"):
        answers.translate([*given, "--neighbours", kind, "--json"])
        shown = capsys.readouterr()
        told[kind], said = json.loads(shown.out), shown.err
        assert said == ""
    assert told["replace"]["neighbours"] == "replace"
    assert told["add-remove"]["neighbours"] == "add or remove"
    # Replacing a record is two steps of adding and removing, so less is secure.
    assert told["add-remove"]["security"] < told["replace"]["security"]
    answers.translate([*given, "--neighbours", "add-remove"])
    assert "exact if each record is in by a coin toss of its own" in capsys.readouterr().out
    answers.translate(given)
    both = capsys.readouterr().out
    # Who did not say which is told both, each in a column.
    security = next(line for line in both.splitlines() if line.startswith("MIS: security"))
    assert [word for word in security.split() if word[0].isdigit()] == ["0.3648", "0.09483"]
    assert "give --neighbours" in both
    answers.translate([*given, "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown.pop("add or remove") == told["add-remove"]
    assert shown == told["replace"]
    refused("^--epsilon, --mu do not go together: give ", answers.translate, ["--epsilon", "3", "--mu", "2"])
    with pytest.raises(SystemExit):
        answers.translate(["--epsilon", "three"])
    assert capsys.readouterr().err.count("\n") == 1
    refused("replaced", answers.translate, ["--sigma", "1", "--sampling", "0.1", "--neighbours", "replace"])


# --- A release: what may be published is printed, and nothing else -----------------------------------

PEOPLE = np.random.default_rng(8).normal([50.0, 40.0], [10.0, 5.0], size=(41, 2))


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "pool.csv"
    np.savetxt(path, PEOPLE, delimiter=",", header="age,income", comments="")
    return path


def test_numbers_and_statement_are_told_and_what_was_read_is_not(people, capsys):
    answers.release([str(people), "--eta", "0.2"])
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert lines[0] == "mean, with noise:"
    found = {line.split()[0]: float(line.split()[1]) for line in lines[1:3]}
    assert set(found) == {"age", "income"}
    for line, mean in zip(lines[1:3], PEOPLE.mean(axis=0), strict=True):
        noise = float(re.search(r"noise sd ([\d.e+-]+)", line)[1])
        assert abs(found[line.split()[0]] - mean) < 10 * noise + 5
    assert "eta = 0.2: nobody is right more than 70.0% of the time" in told.out
    assert lines[1].startswith("  age  ")
    assert lines[1].endswith(")")
    assert "(noise sd " in lines[1]
    assert "public grid" not in told.out
    assert "left out" in told.err
    assert "row " not in told.out


@pytest.mark.nightly
def test_json_holds_the_same_and_each_run_draws_anew(people, capsys):
    runs = []
    for _ in range(2):
        answers.release([str(people), "--columns", "income", "--statistic", "median", "--json"])
        runs.append(json.loads(capsys.readouterr().out))
    assert set(runs[0]) == {"median", "eta", "noise_sd", "scale", "guaranteed", "statement"}
    assert runs[0]["guaranteed"] is True
    first, second = (run["median"]["income"] for run in runs)
    assert first != second
    assert all(abs(value - 40) < 10 * runs[0]["noise_sd"]["income"] + 5 for value in (first, second))
    answers.release([str(people), "--verbose"])
    assert "public grid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "more", "said"),
    [
        ("pool.csv", ["--eta", "0.7"], r"eta = 0\.7: must be"),
        ("pool.csv", ["--eta", "nan"], "eta = nan: must be"),
        ("pool.csv", ["--columns", "wage"], "wage"),
        ("same.csv", [], "one never changes, .* with --columns$"),
        ("no.csv", [], r"no\.csv"),
    ],
)
def test_what_cannot_be_meant_is_one_line(people, file, more, said, monkeypatch, capsys):
    people.with_name("same.csv").write_text("age,one\n" + "".join(f"{v:.1f},1\n" for v in PEOPLE[:, 0]))
    monkeypatch.setattr("sys.argv", ["mipbook", "release", str(people.with_name(file)), *more])
    with pytest.raises(SystemExit, match=rf"^mipbook release: [^\n]*{said}[^\n]*$"):
        door()
    assert capsys.readouterr().out == ""
