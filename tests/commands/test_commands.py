"""What a practitioner calls in a terminal: text, numbers, reports; and what is refused."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import Mock

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
    rows, path = np.column_stack([SCORES, MEMBER, OTHER, CANARY]), tmp_path / "scores.csv"
    np.savetxt(path, rows, "%.17g", delimiter=",", header="score,member,loss,canary", comments="")
    return path


def report_of(**more):
    return audit.audit_scores(SCORES, MEMBER, np.random.default_rng(0), **more)


def said(command, *given):
    """Return what a command prints."""
    with redirect_stdout(io.StringIO()) as out:
        command([*map(str, given)])
    return out.getvalue()


def numbers(command, *given):
    return json.loads(said(command, *given, "--json"))


def test_the_text_is_the_report_of_the_same_call(scores):
    told = said(answers.audit, scores)
    assert told.startswith("Read: 2,000 records, 4 columns (score, member, loss, canary)")
    assert told.endswith(f"\n\n{report_of()}\n")
    more = ["--other", "loss", "--canaries", "--guesses", "300", "--fpr", "0.02", "0.3"]
    settings = {"delta": 0.001, "confidence": 0.9, "fprs": [0.02, 0.3]}
    want = report_of(**settings, other=OTHER, canary=CANARY, guesses=300)
    assert str(want) in said(answers.audit, scores, *more, "--delta", "0.001", "--confidence", "0.9")


def test_the_numbers_are_those_of_the_curve(scores):
    told = numbers(answers.audit, scores, "--other", "loss", "--canaries", "--seed", "7")
    curve = game.roc(SCORES, MEMBER)
    assert told["attack"]["auc"] == curve.auc
    low, high = curve.tpr_band(0.01)
    band = {"tpr": curve.tpr_at(0.01), "low": down(low, 12), "high": up(high, 12)}
    assert told["attack"]["tpr_at_fpr"]["0.01"] == band
    assert told["second_attack"]["auc"] == game.roc(OTHER, MEMBER).auc
    run = audit.one_run(SCORES[CANARY], MEMBER[CANARY])
    assert told["canaries"]["epsilon"] == down(run.epsilon, 12)
    # What is proved of games is void for one trained model.
    assert not {"certificate", "epsilon"} & set(told)
    assert told["report"] == run.headline()


def test_games_without_canaries_have_a_certificate(scores):
    told = numbers(answers.audit, scores)
    assert sum(told["certificate"][part] for part in ("tp", "fn", "fp", "tn", "chosen_on")) == 2000
    assert told["epsilon"]["all_thresholds"] == down(game.roc(SCORES, MEMBER).epsilon_lower_bound(1e-5), 12)
    assert "0.0001" not in told["attack"]["tpr_at_fpr"]
    lines = said(answers.audit, scores).splitlines()
    assert lines[2].startswith("Report: epsilon ≥ ")
    assert "needs 10,000 others; there are 1,0" in next(line for line in lines if "FPR 0.01%" in line)
    assert sum("epsilon" in line for line in lines) == 2


def test_however_the_scores_lie_the_curve_is_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{-s!r};{int(m)}\r\n" for s, m in zip(SCORES.tolist(), MEMBER, strict=True))
    Path("loss.csv").write_text("verlust;drin\r\n" + rows.replace(".", ","), encoding="utf-8-sig")
    Path("wide.csv").write_text("a,b\n1,2\n3,4\n")
    np.savez("both.npz", members=SCORES[MEMBER], Non_Members=SCORES[~MEMBER])
    np.savetxt("in.txt", SCORES[MEMBER], fmt="%.17g")
    np.savetxt("out.txt", SCORES[~MEMBER], fmt="%.17g")
    np.save("scores.npy", SCORES)
    np.save("keep.npy", MEMBER)
    loss = ["loss.csv", "--score", "verlust", "--member", "drin"]
    apart, lira = ["in.txt", "--others", "out.txt"], ["scores.npy", "--keep", "keep.npy", "--fpr", "0", "0.5"]
    for given in ([*loss, "--smaller-is-in"], ["both.npz"], apart, lira):
        attack = numbers(answers.audit, *given)["attack"]
        assert attack["auc"] == game.roc(SCORES, MEMBER).auc, given
    assert list(attack["tpr_at_fpr"]) == ["0", "0.5"]
    assert "--smaller-is-in" in said(answers.audit, *loss)
    refused("^wide.csv has 2 columns", answers.audit, ["in.txt", "--others", "wide.csv"])
    refused("^others = .*a file that exists", answers.audit, ["in.txt", "--others", "none"])


def test_rows_without_a_value_are_left_out_where_asked_and_infinite_scores_told(tmp_path):
    path, odds = tmp_path / "gaps.csv", tmp_path / "odds.npz"
    cells = ["" if i % 50 == 0 else repr(s) for i, s in enumerate(SCORES.tolist())]
    path.write_text("score,member\n" + "".join(f"{c},{int(m)}\n" for c, m in zip(cells, MEMBER, strict=True)))
    left_out = r"^row 2 has no value \(nor have 39 more of 2,000\); .*--drop-missing"
    refused(left_out, said, answers.audit, path)
    told, kept = numbers(answers.audit, path, "--drop-missing"), np.arange(2000) % 50 > 0
    assert told["attack"]["auc"] == game.roc(SCORES[kept], MEMBER[kept]).auc
    assert "40 rows without a value left out" in told["read"]
    np.savez(odds, score=np.where(np.abs(SCORES) > 2, np.copysign(np.inf, SCORES), SCORES), member=MEMBER)
    assert f"Note: {(np.abs(SCORES) > 2).sum()} scores are infinite" in said(answers.audit, odds)


def test_bad_input_gives_one_clear_line(scores, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_bytes(b"")
    before = scores.read_bytes()
    for given, told in (
        (["."], "^path = .*a folder of models"),
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
    ):
        refused(rf"{told}.*\Z", answers.audit, given)
    assert scores.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.csv", "scores.csv"]


def states(path):
    """Return the panel's packed states of a report, and what stands around them."""
    page = path.read_text(encoding="utf-8")
    spec = json.loads(re.search(r'class="mb-spec">(.*?)</script>', page, re.S)[1])
    blobs = re.findall(r'class="mb-blob">(.*?)</script>', page, re.S)
    return page, spec, blobs


def test_a_report_is_one_file_whose_panel_says_what_its_table_does(scores, tmp_path):
    path = tmp_path / "report.html"
    assert f"{path}: " in said(answers.audit, scores, "--other", "loss", "--canaries", "--html", path)
    page, spec, blobs = states(path)
    fprs = spec["controls"][0]["stops"]
    assert len(fprs) > 30
    curve = game.roc(SCORES, MEMBER)
    for at in (0, len(fprs) // 2, len(fprs) - 1):
        drawn = unpack(blobs[0], at)
        marks = next(t for t in drawn["data"] if t["name"] == "the attack at your FPR")
        assert marks["y"][0] == pytest.approx(max(curve.tpr_at(fprs[at]), 5e-5), rel=1e-6)
    sentence = drawn["layout"]["meta"]["sentence"]
    # What a bound for random games would say is void for one model with canaries.
    assert "800 canaries prove ε ≥ " in sentence
    assert sentence.count("ε ≥") == 1
    for name, value in report_of(other=OTHER, canary=CANARY).rows():
        assert f'<th scope="row">{name}</th><td>{value}</td>' in page
    # Nothing is asked of a network: every address in an attribute is within the page.
    assert not re.search(r'(?:src|href)="(?!#)', page[: page.index("<script>")])
    refused("or --force", said, answers.audit, scores, "--html", path)
    said(answers.audit, scores, "--html", path, "--force")
    assert "second attack" not in path.read_text(encoding="utf-8").partition("<script>")[0]


def test_a_name_in_a_file_cannot_become_part_of_the_report(tmp_path):
    path = tmp_path / "mine.csv"
    rows = "".join(f"{s!r},{int(m)},0\n" for s, m in zip(SCORES[:60].tolist(), MEMBER[:60], strict=True))
    path.write_text("score,member,<script>alert(1)</script>\n" + rows, encoding="utf-8")
    said(answers.audit, path, "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_who_interrupts_keeps_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.html"
    path.write_text("old", encoding="utf-8")
    refused("--html.*where a file may be written", output.write_whole, tmp_path / ("a" * 300), "new")
    for stops in ("os.replace", "Path.write_text"):
        monkeypatch.setattr(f"mipbook.commands.output.{stops}", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            output.write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_pool_gets_its_epsilon(tmp_path):
    pool, values = tmp_path / "pool.csv", np.random.default_rng(5).normal(size=(41, 3))
    np.savetxt(pool, values, delimiter=",", header="a,b,c", comments="")
    told = said(answers.choose, pool, "--target", "0.2", "--clip", "5", "--delta", "0.001")
    assert "drawn at random, is left out" in told
    assert "Note:" not in told
    row = int(re.search(r"row (\d+)", told)[1])
    assert str(choose_epsilon(np.delete(values, row - 2, axis=0), 0.2, clip=5.0, delta=0.001)) in told
    found = numbers(answers.choose, pool, "--columns", "a", "c")
    assert found["records"] == 40
    assert found["clip"] >= np.linalg.norm(values[:, [0, 2]], axis=1).max() - 1e-9
    assert "tells of the data" in found["notes"][-1]
    assert found["certificate"]["kind"] == "bound"
    said(answers.choose, pool, "--html", tmp_path / "pool.html")
    control = states(tmp_path / "pool.html")[1]["controls"][0]
    assert control["stops"][control["start"]] == 0.1
    assert len(control["stops"]) >= 15
    pool.write_text("a\n" + "1\n2\n" * 1001, encoding="utf-8")
    refused("at most 2,000 records; without --html", said, answers.choose, pool, "--html", tmp_path / "b")


def test_a_reading_has_a_report(tmp_path):
    path = tmp_path / "reading.html"
    said(answers.translate, "--sigma", "1.5", "--html", path)
    page, spec, blobs = states(path)
    at = spec["controls"][0]["start"]
    assert spec["controls"][0]["stops"][at] == 0.01
    assert unpack(blobs[0], at)["layout"]["meta"]["headline"].endswith("found at 1%")
    assert "MIP: eta" in page
    with pytest.raises(SystemExit, match="2"):
        said(answers.translate, "--sigma", "1", "--json", "--html", path)


def test_the_door_says_in_one_line_what_was_wrong_and_who_reads_only_the_head_sees_no_error(scores):
    done = ran("-m", "mipbook", "audit", "none.csv")
    assert done.returncode == 1
    assert done.stderr == "mipbook audit: FILE = 'none.csv': must be a file that exists\n"
    line = f'"{sys.executable}" -m mipbook audit "{scores}" --json | head -n 1'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_neighbours_are_asked_for_and_said_where_they_are_not_told(capsys):
    given = [answers.translate, "--epsilon", "3", "--delta", "1e-5"]
    replaced, added = (numbers(*given, "--neighbours", kind) for kind in ("replace", "add-remove"))
    assert capsys.readouterr().err == ""
    assert (replaced["neighbours"], added["neighbours"]) == ("replace", "add or remove")
    # Replacing a record is two steps of adding and removing, so less is secure.
    assert added["security"] < replaced["security"]
    tossed = "exact if each record is in by a coin toss of its own"
    assert tossed in said(*given, "--neighbours", "add-remove")
    # Who did not say which is told both, each in a column.
    both = said(*given)
    security = next(line for line in both.splitlines() if line.startswith("MIS: security"))
    assert [word for word in security.split() if word[0].isdigit()] == ["0.3648", "0.09483"]
    assert "give --neighbours" in both
    shown = numbers(*given)
    assert (shown.pop("add or remove"), shown) == (added, replaced)
    twice, sampled = "--epsilon 3 --mu 2", "--sigma 1 --sampling 0.1 --neighbours replace"
    refused("^--epsilon, --mu do not go together: give ", answers.translate, twice.split())
    refused("replaced", answers.translate, sampled.split())
    capsys.readouterr()
    with pytest.raises(SystemExit):
        said(answers.translate, "--epsilon", "three")
    assert capsys.readouterr().err.count("\n") == 1


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
    for line, name, mean in zip(lines[1:3], ("age", "income"), PEOPLE.mean(axis=0), strict=True):
        found = re.fullmatch(r"  (\w+)  .*?(\S+) \(noise sd ([\d.e+-]+)\)", line)
        assert found[1] == name
        assert abs(float(found[2]) - mean) < 10 * float(found[3]) + 5
    assert "eta = 0.2: nobody is right more than 70.0% of the time" in told.out
    assert "left out" in told.err
    assert not re.search("public grid|row ", told.out)


@pytest.mark.nightly
def test_json_holds_the_same_and_each_run_draws_anew(people):
    given = [answers.release, people, "--columns", "income", "--statistic", "median"]
    runs = [numbers(*given) for _ in range(2)]
    assert set(runs[0]) == {"median", "eta", "noise_sd", "scale", "guaranteed", "statement"}
    assert runs[0]["guaranteed"] is True
    first, second = (run["median"]["income"] for run in runs)
    assert first != second
    assert all(abs(value - 40) < 10 * runs[0]["noise_sd"]["income"] + 5 for value in (first, second))
    assert "public grid" in said(answers.release, people, "--verbose")


def test_what_cannot_be_meant_is_one_line(people, monkeypatch, capsys):
    people.with_name("same.csv").write_text("age,one\n" + "".join(f"{v:.1f},1\n" for v in PEOPLE[:, 0]))
    for file, *more, told in (
        ("pool.csv", "--eta", "0.7", r"eta = 0\.7: must be"),
        ("pool.csv", "--columns", "wage", "wage"),
        ("same.csv", "one never changes, .* with --columns$"),
        ("no.csv", r"no\.csv"),
    ):
        monkeypatch.setattr("sys.argv", ["mipbook", "release", str(people.with_name(file)), *more])
        with pytest.raises(SystemExit, match=rf"^mipbook release: [^\n]*{told}[^\n]*$"):
            door()
    assert capsys.readouterr().out == ""
