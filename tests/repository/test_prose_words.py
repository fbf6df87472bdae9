"""The reader of the book's English: what it finds, what it leaves alone, and a book without."""

import prose


def found(text: str) -> list[str]:
    told = prose.faults_in(prose.prose_of(text), {**prose.ADVICE, **prose.POWER})
    return [words for _, words, _ in told]


FOUND = {
    "The law of a record, and two\nLaws.": ["law", "Laws"],
    "See the next chapter but one.": ["next chapter but one"],
    "at most 1e-05 of them": ["1e-05"],
    "planted: half the noise": ["planted:"],
    "off by at most 0, others accused 45%": ["off by at most 0", "others accused 4"],
    "no better than a coin.": ["than a coin"],
    "obviously, it is easy to see": ["obviously", "it is easy to see"],
    "a randomized answer of of a neighbor": ["randomized", "neighbor", "of of"],
    "A power law, and the law of large numbers.": [],
    "```{code-cell} ipython3\n:tags: [remove-input]\nlaw = 1e-05  # planted: x\n```": [],
    "`law`, $law = 1e-5$, and $$\nlaw\n$$ {prf:ref}`law` [words](law.md#law)": [],
    "off by at most 0.5; a coin toss; nearer than a coin toss; 2e of them": [],
    "---\ntitle: law\n---\n# A page": [],
}
TYPED = {
    "Of 1,000 members 92% are found, 0.5 of each.": ["1,000", "92%", "0.5"],
    "At $\\varepsilon = 2$, $\\delta = 10^{-5}$ and $n = 10{,}000$.": ["2", "10^{-5", "10{,}000"],
    "{set}`epsilon=4 | At 4` of 25 it is 0.49.": ["25", "0.49"],
    'Of {eval}`n` {eval}`f"{100 * x:.1f}%"` in 2019, by Theorem 9 and Figures 4 and 5.': [],
    "1. Zero, 0 or 1, or twelve.\n2. A sum $\\frac{1}{2} + 3x \\le 2 \\eta + 4$.": [],
    "```{code-cell} ipython3\nx = 3.5\n```\n`7.5` [words](page-3.md) {cite}`homer2008`": [],
    ":::{prf:theorem} One\n:label: mip-thm-1\nAt most 4.5 and $\\eta = 3.5$.\n:::\n": [],
}


def test_a_phrase_that_is_advised_against_and_a_typed_number_are_found_and_no_others():
    assert {text: found(text) for text in FOUND} == FOUND
    assert {text: [number for _, number in prose.typed_numbers(text)] for text in TYPED} == TYPED
