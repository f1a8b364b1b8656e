"""Every threshold of the tests given conditions, once."""

#: Fewer rows leave too little for a regression and a test.
FEWEST_ROWS = 20
#: Numbers that take no more different values than this are treated as labels where they are tested.
FEW_VALUES = 8
#: Most coordinates of a variable that are regressed, and most of its residual that are tested as they are.
MOST_COORDINATES, MOST_LINEAR = 20, 5
#: Most levels of a tested label that have a feature of their own.
MOST_TESTED_LEVELS = 12
#: Kernel principal components of the residual that are tested, with few rows and with more; their width in bits.
FEW_COMPONENTS, MORE_COMPONENTS, MORE_ROWS, COMPONENT_BITS = 2, 4, 60, 1.1
#: Residuals are divided by their spread given the conditions where a regression of their sizes explains this share of
#: how these vary; spreads below this part of the mean size are taken as that. The regression of sizes may spend this
#: share of the rows, and the fit at a row is taken to explain no more than all but this share of its variance.
LEAST_SPREAD_SHARE, SMALLEST_SPREAD, SPREAD_SHARE, LEAST_LEFT_AT_ROW = 0.05, 0.2, 0.1, 0.05
#: How much each statistic counts where they are joined: those that look for a link that changes with the conditions
#: less. Chosen on the links and the null that experiments/conditional.py names.
TAIL_WEIGHTS = {
    "linear": 1.0,
    "linear by precision": 1.0,
    "linear by conditions": 0.5,
    "features": 1.0,
    "features by conditions": 0.25,
}
#: Between these the tail of three moments was measured to hold within strata; beyond them Cantelli's inequality does.
LEAST_SKEWNESS, LARGEST_SKEWNESS = -1.0, 12.0
#: Conditions by which the products of residuals are weighted, for links that change with a condition.
MOST_WEIGHTS = 4
#: Standardised conditions are cut here where they are weights.
LARGEST_WEIGHT = 3.0

#: Linear terms are fitted without a penalty up to this share of the rows, levels of labels up to another.
FREE_SHARE, FREE_LEVELS_SHARE = 1 / 8, 1 / 8
#: Widths, in bits, of the regressions on one number, on each of several, on all together, and on a fitted value.
SCALAR_BITS, ADDITIVE_BITS, JOINT_BITS, INDEX_BITS = (1.0, 2.0, 3.3, 4.5), (1.0, 2.5), (1.0, 2.0, 3.5), (1.0, 2.0, 3.3)
#: From so many rows on a number is also looked at in this width, and a few of them together in another.
NARROW_ROWS, NARROW_BITS, NARROW_JOINT_BITS, NARROW_DIMENSIONS = 400, 5.7, 5.0, 3
#: Most numbers of which all products are formed.
MOST_PRODUCTS = 12
#: Features of a number, of a fitted value and of several numbers together at most; a joint fit that is chosen is made
#: again with more of them, where what was left out could spend this share more degrees of freedom.
NUMBER_RANK, INDEX_RANK, JOINT_RANK, FINE_RANK, FINER_SHARE = 40, 60, 150, 400, 0.25
#: Rows among which landmarks are chosen, for the first joint fit and for the finer one.
SAMPLE_ROWS, FINE_SAMPLE_ROWS = 256, 640
#: Rows in which widths are found: bits need not be exact.
WIDTH_ROWS = 160
#: Share of a similarity that features may leave out.
LEFT_OUT = 1e-4
#: Directions of features that hold less than this share of the largest are round-off.
SMALLEST_DIRECTION = 1e-9

#: Penalties, in tenths of the total variance of the features.
LEAST_PENALTY, LARGEST_PENALTY, PENALTIES = 1e-9, 1e2, 34
#: The least penalty whose criterion exceeds the best by less than this many n-ths is taken: too little smoothing costs
#: a few rows, too much biases the test.
SLACK = 2.0
#: Largest share of the rows that a regression may spend.
LARGEST_SHARE = 0.5

#: Neighbors whose residuals are compared, and rows that are looked at.
NEIGHBORS, NEIGHBOR_ROWS = 6, 20_000
#: Residuals of both variables that are alike among neighbors, each below the first and together below the second
#: p-value, are warned of.
ALIKE_EACH, ALIKE_BOTH = 0.15, 0.02
#: Regressions of both variables that spend more than this share of the rows are warned of.
SPENT_SHARE = 0.45
#: A variable of which less than this share is left given the conditions is a function of them.
SMALLEST_LEFT = 1e-8
#: Conditions of more dimensions than this share of the rows leave nothing to test.
MOST_DIMENSIONS_SHARE = 1 / 3
#: Bytes of features that one regression keeps; beyond it they are formed again for each pass.
ROOM = 2**27
#: Bytes that a test takes for a row, and for a row and each of so many conditions as long as features are kept, at most
#: those of so many regressions: measured (experiments/reliability/memory.py).
BYTES_A_ROW, BYTES_A_CONDITION, MOST_KEPT_CONDITIONS, ROOMS = 2000, 2500, 5, 3
#: And for each level of a label that is tested.
BYTES_A_LEVEL = 10
#: Rows read at a time.
CHUNK_ROWS = 8192
