"""What training promises: brackets around the contour integral, and both right."""

from dataclasses import replace

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.integrate import simpson
from scipy.special import ndtr
from shared import refused

from mipbook import accounting, dpsgd
from mipbook.dpsgd import accountant, contour, lattice
from mipbook.dpsgd.lattice import Sums, above, below, planned
from mipbook.dpsgd.step import Training
from mipbook.tradeoff import gaussian_delta, gaussian_epsilon

# Elsewhere, by a contour of 3,000 nodes and another of 400: epsilon at 1e-5 in both directions,
# that of Rényi accounting and of the Gaussian limit, and the advantage.
KNOWN = {
    (0.01, 0.7, 100): (2.367335, 3.1481, 0.9621, 0.09002),
    (0.01, 0.7, 1000): (4.618288, 5.4233, 3.4758, 0.29033),
    (0.01, 1.0, 1000): (1.828237, 2.1014, 1.6177, 0.16102),
    (0.1, 0.7, 1000): (54.024184634616944, 64.1758, 67.5827, 0.9965602577448248),
    (0.1, 1.0, 100): (7.046602616979779, 7.9039, 6.0071, 0.43875803551081793),
    (0.1, 2.0, 100): (2.3373995931616043, 2.5806, 2.1405, 0.205861132141414),
    (0.1, 2.0, 1000): (8.279291, 8.9470, 8.1120, 0.59100),
}
PUBLISHED = (256 / 60000, 1.1, 14062)


@pytest.mark.parametrize("setting", KNOWN)
def test_the_truth_is_what_it_was_elsewhere_and_lies_between_the_two_sides(setting):
    epsilon, renyi, limit, advantage = KNOWN[setting]
    found, gain = dpsgd.training_epsilon(*setting, 1e-5), dpsgd.training_delta(*setting, 0.0)
    assert found == pytest.approx(epsilon, abs=1e-6)
    assert gain == pytest.approx(advantage, abs=6e-6)
    sides, ends = dpsgd.certified_epsilon(*setting, 1e-5), dpsgd.certified_advantage(*setting)
    assert sides.low < found < sides.high < sides.low + 2e-4 * found
    assert ends.low < gain < ends.high
    assert dpsgd.renyi_epsilon(*setting, 1e-5) == pytest.approx(renyi, abs=6e-5)
    assert dpsgd.limit_epsilon(*setting, 1e-5) == pytest.approx(limit, abs=6e-5)


def test_the_sides_hold_the_truth_far_out_and_in_settings_of_chance(request):
    """The contour has no lattice; where it fades nothing is compared."""
    rng = np.random.default_rng(12)
    runs, deltas = ((0.1, 1.0, 100), (0.05, 0.8, 60)), (1e-10, 1e-8, 0.01, 0.2)
    settings = [(*run, delta, kind) for run in runs for delta in deltas for kind in (False, True)]
    for _ in range(30 if request.config.getoption("all") else 4):
        run = 10 ** rng.uniform(-4, 0), 10 ** rng.uniform(-0.4, 1), int(10 ** rng.uniform(0, 4))
        settings.append((*run, 10 ** rng.uniform(-9, -1), bool(rng.random() < 0.3)))
    for q, sigma, steps, delta, replaced in settings:
        try:
            truth = dpsgd.training_epsilon(q, sigma, steps, delta, replaced)
        except ValueError:
            continue
        at = q, sigma, steps, delta, replaced
        sides = dpsgd.certified_epsilon(*at)
        assert sides.low <= truth + 1e-8 <= sides.high + 2e-8, at
        asked = dpsgd.certified_delta(q, sigma, steps, truth, replaced)
        known = dpsgd.training_delta(q, sigma, steps, truth, replaced)
        assert asked.low <= known * (1 + 1e-8), at
        assert known * (1 - 1e-8) <= asked.high < 1.01 * asked.low, at


def test_a_published_setting_has_its_known_price():
    assert dpsgd.training_epsilon(*PUBLISHED, 1e-5) == pytest.approx(2.3815969, abs=1e-6)
    assert dpsgd.training_epsilon(*PUBLISHED, 1e-5, True) == pytest.approx(4.2212967, abs=1e-6)
    assert dpsgd.training_delta(*PUBLISHED, 0.0) == pytest.approx(0.2244615, abs=1e-7)
    assert dpsgd.training_delta(*PUBLISHED, 0.0, True) == pytest.approx(0.3717246, abs=1e-7)
    assert dpsgd.limit_mu(*PUBLISHED) == pytest.approx(0.573581, abs=1e-6)
    assert dpsgd.limit_epsilon(*PUBLISHED, 1e-5) == pytest.approx(2.324269, abs=1e-6)


def test_without_sampling_the_steps_are_one_gaussian():
    sigma = 5.0 / np.sqrt(30.0)
    known = gaussian_epsilon(1e-6, sigma=sigma)
    assert dpsgd.training_epsilon(1.0, 5.0, 30, 1e-6) == pytest.approx(known, abs=1e-8)
    known = gaussian_delta(1.0, sigma / 2)
    assert dpsgd.training_delta(1.0, 5.0, 30, 1.0, True) == pytest.approx(known, rel=1e-12)
    known = accounting.from_subsampled_gaussian(1.5, 0.2).delta(0.3)
    assert dpsgd.training_delta(0.2, 1.5, 1, 0.3) == pytest.approx(known, rel=1e-12)


def test_the_noise_that_is_asked_for_keeps_the_promise_and_hardly_more_or_is_refused():
    refused("sampling, sigma, steps", dpsgd.certified_epsilon, 0.5, 0.1, 10**4, 1e-5)
    refused("sampling, sigma, steps", dpsgd.certified_epsilon, 0.1, 1.0, 10**6, 1e-10)
    sigma = dpsgd.certified_sigma(0.05, 200, 3.0, 1e-5)
    assert dpsgd.training_epsilon(0.05, sigma, 200, 1e-5) <= 3.0
    assert dpsgd.training_epsilon(0.05, sigma * 0.999, 200, 1e-5) > 3.0


def test_a_million_steps_are_certified_as_closely_and_no_refusal_calls_them_few():
    sides = dpsgd.certified_epsilon(1e-3, 1.0, 10**6, 1e-5)
    assert sides.low < 6.026131251676405 < sides.high < 1.0002 * sides.low
    for rare in ((1e-6, 0.1), (1e-6, 1.0)):
        refused("(?s)^(?!.*(few|more steps)).*certified_epsilon", dpsgd.training_epsilon, *rare, 10**6, 1e-5)
        found = dpsgd.certified_epsilon(*rare, 10**6, 1e-5)
        assert found.high < 1.0002 * found.low


@pytest.mark.parametrize("replaced", [False, True])
def test_the_field_s_accountant_agrees(replaced):
    """Its upper end lies above our lower one, its lower end below our upper one; both are near."""
    relations = dp_accounting.NeighboringRelation
    relation = relations.REPLACE_ONE if replaced else relations.ADD_OR_REMOVE_ONE
    for q, sigma, steps, delta in ((0.02, 1.2, 300, 1e-6), (0.3, 3.0, 40, 1e-3)):
        sides = dpsgd.certified_epsilon(q, sigma, steps, delta, replaced)
        for upper in (True, False):
            how = {"pessimistic_estimate": upper, "use_connect_dots": upper, "neighboring_relation": relation}
            loss = privacy_loss_distribution.from_gaussian_mechanism(sigma, sampling_prob=q, **how)
            told = loss.self_compose(steps).get_epsilon_for_delta(delta)
            assert (sides.low < told < 1.0003 * sides.high) if upper else (told < sides.high)


def hockey(masses, losses, epsilon):
    return masses @ np.maximum(-np.expm1(epsilon - losses), 0.0)


def truth(law, epsilon, mirrored):
    """Return the hockey-stick of a step by the closed chances of one side of a place."""
    x = float(law.places(np.array([-epsilon if mirrored else epsilon]))[0])
    if mirrored:
        first, second = law.below(x)
        return second - np.exp(epsilon) * first
    second = (1 - law.sampling) * ndtr(-x / law.sigma)
    second += law.sampling * ndtr((-x - law.replaced) / law.sigma)
    return law.above(x) - np.exp(epsilon) * float(second)


@pytest.mark.parametrize(("coarse", "tail"), [(0.02, 1e-14), (0.3, 1e-3), (3.0, 1e-14)])
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(("q", "sigma"), [(0.1, 1.0), (1.0, 2.0), (1e-6, 0.1), (0.9, 0.4)])
def test_the_curve_of_a_step_lies_between_the_two_lattices(q, sigma, replaced, coarse, tail):
    law = Training(q, sigma, 1, replaced)
    log_mass, loss = law.table()
    width = coarse * np.sqrt(np.exp(log_mass) @ (loss - law.lost) ** 2)
    high, low = above(law, width, tail), below(law, width, tail)
    assert high.masses.sum() + high.beyond == pytest.approx(1.0, abs=1e-12)
    for mirrored in (False,) if replaced else (False, True):
        up, down = (one.mirrored() if mirrored else one for one in (high, low))
        for epsilon in np.concatenate([[0.0], np.geomspace(0.01, 30.0, 25) * width / coarse]):
            known = truth(law, float(epsilon), mirrored)
            room = 1e-13 + 1e-9 * known
            least, most = (hockey(one.masses, one.losses, epsilon) for one in (down, up))
            assert least - down.beyond <= known + room
            assert known <= most + up.beyond + room
            assert coarse > 0.1 or most - least < 0.01 * truth(law, 0.0, mirrored)


def test_masses_and_ratios_are_those_of_the_densities():
    for replaced in (False, True):
        law = Training(0.3, 0.8, 1, replaced)
        y = np.linspace(-9.0, 1.7, 200_001)
        for x in (-1.0, 0.2, 1.7):
            assert law.places(law.loss(np.array([x])))[0] == pytest.approx(x, abs=1e-12)
            kept = y[y <= x]
            mass = law.density(kept)
            sums = [simpson(part, x=kept) for part in (mass, mass * np.exp(-law.loss(kept)))]
            assert law.below(float(kept[-1])) == pytest.approx(sums, abs=1e-9)
            slope = (law.loss(np.array(x + 1e-5)) - law.loss(np.array(x - 1e-5))) / 2e-5
            assert law.slope(np.array(x)) == pytest.approx(float(slope), rel=1e-6)


@pytest.mark.parametrize("steps", [1, 90, pytest.param(3000, marks=pytest.mark.nightly)])
def test_the_plan_decides_how_near_the_sides_are_and_never_that_they_hold(steps):
    law = Training(0.02, 0.9, steps)
    plan = planned(law, False, 1e-6)
    epsilons = np.array([0.0, 0.3, plan.epsilon])
    known = np.array([dpsgd.training_delta(0.02, 0.9, steps, float(epsilon)) for epsilon in epsilons])
    for turn, wide, outside in ((1, 1, -30), (0.1, 3, -8), (0.6, 1, -1), (7, 1, -30), (900, 1, -300)):
        tilt = turn * plan.tilt
        rough = replace(
            plan, tilt=tilt, lower=-tilt, upper=1.5 * tilt, width=wide * plan.width, outside=outside
        )
        low, high = (
            Sums(one(law, rough.width, 1e-9), steps, rough, upper).delta(epsilons)
            for one, upper in ((below, False), (above, True))
        )
        assert (low <= known * (1 + 1e-9) + 1e-15).all()
        assert (known * (1 - 1e-9) <= high).all()


@pytest.mark.parametrize(("q", "sigma", "steps"), [(0.1, 1.0, 100), (0.6, 2.0, 400)])
def test_a_record_that_is_added_has_sides_of_its_own(q, sigma, steps):
    training = Training(q, sigma, steps)
    for delta in (1e-7, 1e-3, 0.2):
        known = contour._epsilon(training, True, delta)
        low, high = accountant.epsilon_of(training, True, delta)
        assert low <= known + 1e-8 <= high + 2e-8
        assert high < 1.001 * low
        assert accountant._may_exceed(training, 0.999 * low, delta)
        assert not accountant._may_exceed(training, 2.0 * high + 1.0, delta)


def test_negative_masses_draw_their_neighbours_together_and_keep_both_sums():
    losses = np.array([-1.0, -0.2, 0.1, 0.5, 1.2, 3.0])
    masses = np.array([0.1, -0.03, -0.01, 0.5, -0.2, 0.4])
    kept, found, before, beyond = lattice._drawn_together(losses, masses)
    assert (found >= 0).all()
    assert before == beyond == 0.0
    assert found.sum() == pytest.approx(masses.sum(), rel=1e-12)
    assert found @ np.exp(-losses[kept]) == pytest.approx(masses @ np.exp(-losses), rel=1e-12)
    for epsilon in np.linspace(-2, 4, 61):
        assert hockey(found, losses[kept], epsilon) <= hockey(masses, losses, epsilon) + 1e-12
