"""The stored audits of made-up tables are what a run finds."""

import numpy as np
import pytest

from mipbook import audit
from mipbook.audit.examples import EXAMPLES, MODELS, example_table, table_audit
from mipbook.audit.examples import SETTINGS as STORED
from studies.audit import audited


@pytest.mark.parametrize(("example", "learner"), [(EXAMPLES[0], "linear"), (EXAMPLES[2], "tree")])
def test_a_reduced_run_repeats_the_stored_numbers(example, learner):
    few = {**STORED, "examples": (example,), "learners": (learner,), "models": (20, 100)}
    again = audited(few)
    unit = example_table(example)[:, -1].std()
    for place, models in enumerate((20, 100)):
        stored = table_audit(example, learner, models)
        assert again["errors"][0, 0] / unit == pytest.approx(np.array(stored[:2]), abs=1e-6)
        report = stored.report
        told = (report.estimate, report.certified, *report.asymptotic, report.found, report.accused)
        assert again["reports"][0, 0, place] == pytest.approx(told, abs=0.02)
        assert (report.models, report.tested) == (models, models // 2)


def test_a_table_is_audited_like_the_example_that_it_is():
    name = EXAMPLES[2]
    own, stored = (table_audit(table, "linear", 20) for table in (example_table(name), name))
    assert own.report.certified == pytest.approx(stored.report.certified, abs=0.02)
    assert own.members == pytest.approx(stored.members, abs=1e-6)
    assert own.report.learner != stored.report.learner, "one is trained, the other one is read"


def test_what_is_stored_is_what_the_face_finds():
    """The same settings, by the function that a practitioner calls."""
    from sklearn.tree import DecisionTreeRegressor

    table = example_table(EXAMPLES[0])
    shadows = audit.shadow_models(
        DecisionTreeRegressor(),
        table[:, :-1],
        table[:, -1],
        n=40,
        models=100,
        challenges=20,
        rng=np.random.default_rng(141),
        n_jobs=1,
    )
    report = audit.certify_security(shadows.first(MODELS[0]), rng=np.random.default_rng(142))
    stored = table_audit(EXAMPLES[0], "tree", MODELS[0]).report
    assert stored.certified == pytest.approx(report.certified, abs=0.02)
