"""
From a table of answers to scores
=================================

You have best-worst answers in a table, and you want scores that a reviewer accepts. This notebook
computes the scores, how sure they are, and how well people agreed. You do not need the web
application.

Install the statistics in a checkout of Likeness, and matplotlib for the plots::

    pip install . matplotlib

Download this page as a notebook, with the links at its end, and put these two tables beside it:
:download:`answers.csv </notebooks/answers.csv>` and
:download:`annotations_nrc.csv </notebooks/annotations_nrc.csv>`.

**The data are simulated.** We wrote down how similar we find twenty English words to *hot*.
Sixteen simulated people then picked from four words at a time: the most similar one, and the
least similar one. Nobody real answered, so the results say nothing about English. Each group of
four words was answered eight times: :download:`answers.csv </notebooks/answers.csv>`.
"""

# %%
# Read the answers
# ----------------
#
# Each row of the table is one answer. ``Item1`` to ``Item4`` are the items that were shown.
# ``BestItem`` and ``WorstItem`` are the two that were picked, and ``Annotator`` says by whom.
# Other columns are ignored. Tab-separated files work, too.
#
# ``read_answers`` checks every row. It stops at the first mistake, for example at an item that
# was picked but not shown, and names its line.

from scoring.command.answers import read_answers

named = read_answers("answers.csv", needs_people=True)
answers, items = named.batch, named.items

print(f"{answers.n_judgments} answers of {len(named.annotators)} people")
print(f"{answers.n_items} items in {answers.n_tuples} tuples of {answers.tuple_size}")

# %%
# A *tuple* is a group of items that are shown together. ``answers`` holds numbers, and ``items``
# says which item each number means.
#
# Score the items
# ---------------
#
# An item's score is its share of best picks minus its share of worst picks. It lies between −1
# and 1. An item that was always picked as the best has 1. An item that was picked as often best
# as worst has 0.

import numpy as np

from scoring import count

counts = count(answers)
scores = counts.scores()
highest_first = np.argsort(-scores)

print("item          shown  best  worst   score")
for item in highest_first[:10]:
    print(
        f"{items[item]:<12}  {counts.appearances[item]:>5}  {counts.best[item]:>4}"
        f"  {counts.worst[item]:>5}  {scores[item]:>6.2f}"
    )

# %%
# How precise is each score?
# --------------------------
#
# With other people, the scores would be a little different. Each interval is for the score that
# many other people would give the item on average, among the same items. Intervals are wider for
# items that are hard to tell apart, and if the answers of one person resemble one another.

from scoring import score_intervals

intervals = score_intervals(answers)

print(f"Item pairs that differ significantly: {intervals.certain_share:.0%}")
print("item          score    low   high  ranks")
for item in highest_first[:10]:
    print(
        f"{items[item]:<12}  {scores[item]:>5.2f}  {intervals.low[item]:>5.2f}"
        f"  {intervals.high[item]:>5.2f}  {intervals.rank_low[item]}–{intervals.rank_high[item]}"
    )

# %%
# All pairs of items are tested for a difference between their scores, so the tests are corrected:
# at most about 5 % of the significant differences are expected to be wrong. The ranks are those
# that the significant differences leave.
#
# Every random step below takes ``rng``. With the same seed you get the same figures again, so
# write the seed down.

rng = np.random.default_rng(2026)

import matplotlib.pyplot as plt

# A light background of its own keeps a plot readable on a light page and on a dark one.
plt.rcParams |= {"figure.facecolor": "white", "axes.grid": True, "grid.alpha": 0.4}

lowest_first = highest_first[::-1]
places = np.arange(len(items))
reach = np.abs([intervals.low, intervals.high] - scores)

figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
axes.errorbar(scores[lowest_first], places, xerr=reach[:, lowest_first], fmt="o", capsize=3)
axes.set_yticks(places, [items[item] for item in lowest_first])
axes.set_xlim(-1, 1)
axes.set_xlabel("score, with its 95 % interval")
axes.set_title("How similar is the word to “hot”?")
plt.show()

# %%
# Would a second set of answers give the same scores?
# ----------------------------------------------------
#
# That is *split-half reliability*. The answers to each tuple are divided at random into two
# halves, and each half gives scores of its own. The reliability is their correlation, here the
# mean of 100 such divisions.

from scoring import half_interval, pools_by_comparison, split_half

halves = split_half(answers, rule="random", n_splits=100, rng=rng)
half = half_interval(answers, pool=pools_by_comparison(answers), rng=rng)

print(f"Split-half reliability (Spearman): {halves.spearman.mean:.3f}")
print(f"95 % interval over {half.over}: {half.low:.3f} to {half.high:.3f}")

# %%
# To compute the interval, each item is left out in turn. So it shows how much the reliability
# depends on the items that you chose. With 30 people or more, each person is left out in turn,
# too. Here there are fewer people, and ``half.note`` says so.
#
# No value is the border between good and bad: see :doc:`/explanation/reliability`.
#
# How many answers are enough?
# ----------------------------
#
# Each half has only half of your answers. The Spearman-Brown formula estimates the reliability of
# scores from other numbers of answers. Far from the number that you have, it is only a guess.

from scoring import project

numbers = np.arange(1, 17)
projection = project(answers, halves, n_answers=numbers)

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(numbers, projection.values, marker="o")
axes.axvline(projection.n_now, linestyle="--", color="tab:orange")
axes.text(projection.n_now + 0.2, 0.85, "answers you have")
axes.set_ylim(0.8, 1)
axes.set_xlabel("answers to each tuple")
axes.set_ylabel("expected reliability")
axes.set_title("Further answers help less and less")
plt.show()

# %%
# Did people give the same answers?
# ---------------------------------
#
# That is *agreement*, and *Krippendorff's alpha* measures it: 1 is perfect agreement, and 0 is
# chance. Here both picks are compared with those of people who click at random. Alpha is usually
# far below the reliability, because each single answer counts.

from scoring import alpha, alpha_interval

agreement = alpha(answers, on="stacked", coding="uniform")
alphas = alpha_interval(answers, on="stacked", coding="uniform")

print(f"Krippendorff's alpha: {agreement.value:.2f}")
print(f"95 % interval over {alphas.over}: {alphas.low:.2f} to {alphas.high:.2f}")

# %%
# Does anybody stand out?
# -----------------------
#
# *Compliance* compares each person with all others. It is the share of a person's choices that
# fit the scores from everybody else. If somebody is far below the rest, look at their answers.

from scoring import compliance

fits = compliance(answers)
least_first = np.argsort(fits.share)

for person in least_first[:3]:
    print(f"{named.annotators[person]}: {fits.share[person]:.2f}")
print(f"median of all: {np.median(fits.share):.2f}")

# %%
# Write the scores to a file
# --------------------------

import csv

with open("scores.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["item", "score", "low", "high"])
    for item in highest_first:
        row = [scores[item], intervals.low[item], intervals.high[item]]
        writer.writerow([items[item], *(f"{value:.4f}" for value in row)])

# %%
# Read what Likeness exports
# --------------------------
#
# The ZIP that you download from Likeness holds the answers in ``annotations_nrc.csv``, with the
# same columns. So the same functions read them. This one is an export of the demo study, which
# simulated people answered: :download:`annotations_nrc.csv </notebooks/annotations_nrc.csv>`.

exported = read_answers("annotations_nrc.csv", needs_people=True)
pools = pools_by_comparison(exported.batch)
exported_halves = split_half(exported.batch, rule="random", n_splits=100, rng=rng)
exported_half = half_interval(exported.batch, pool=pools, rng=rng)

print(f"{exported.batch.n_judgments} answers of {len(exported.annotators)} people")
print(f"{exported.batch.n_items} items in {len(np.unique(pools))} pools")
print(f"Split-half reliability (Spearman): {exported_halves.spearman.mean:.3f}")
print(
    f"95 % interval over {exported_half.over}: {exported_half.low:.3f} to {exported_half.high:.3f}"
)

# %%
# A *pool* holds items that answers compare with each other. In this study each dialogue is a
# pool. Items of two dialogues are never shown together, so the interval leaves out whole
# dialogues.
#
# The scores are those in the export's ``items.tsv``. To go on, replace ``answers.csv`` by a file
# of your own. :doc:`/statistics` lists every function with its definition and its source.
