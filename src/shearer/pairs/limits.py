"""Every threshold of the tests of pairs, once."""

#: No p-value is smaller: the tails that they come from are approximations.
SMALLEST_PVALUE = 1e-300
#: Fewer rows have too few permutations: third moments divide by n (n - 1) ... (n - 5).
FEWEST_ROWS = 6
#: Entropies of order 2, in bits, of the rungs: the same at every number of rows. The widest sees little but a linear
#: relation, the narrowest tells some 10 values apart; narrower ones have no low rank.
RUNG_BITS = (0.06, 0.5, 1.5, 3.3)
#: What the statistics of a pair count for, by the rungs of the two variables: the unbiased HSIC, and the covariance of
#: the row means. A narrow rung of one and a wide one of the other see a function that goes up and down. Chosen for mean
#: power over the development set of experiments/alternatives.py.
CENTERED_WEIGHTS = {
    (0, 0): 0.4,
    (2, 2): 0.1,
    (3, 3): 0.05,
    (1, 0): 0.05,
    (0, 1): 0.05,
    (3, 0): 0.05,
    (0, 3): 0.05,
}
ADDITIVE_WEIGHTS = {(0, 0): 0.1, (2, 2): 0.1}
#: What the rungs count for in tests of more than two variables and of clusters, where all variables have the same one.
RUNG_WEIGHTS = (0.4, 0.2, 0.1, 0.1)
#: Share of the largest entropy that a sample can have at which the last rung stands where that is below the others.
LAST_SHARE = 0.82
#: A last rung is left out where it is hardly narrower than the one before it.
LEAST_STEP = 1.1
#: Beyond this share of the largest entropy nearly all rows are unlike and tails fail.
LARGEST_SATURATION = 0.85
#: Beyond this skewness the Pearson type III tail was not measured to hold; centered components reach sqrt(8).
LARGEST_SKEWNESS = 3.0
#: Similarities whose root mean square deviation is smaller are constant up to round-off.
#: The root of what is left of a variance after its parts have cancelled, some 1e-8, is no spread.
SMALLEST_SPREAD = 1e-7
#: A deviation of a statistic below this share of the size of its sums is round-off, likewise.
ROUND_OFF = 1e-7
#: Numbers that differ by less, of the largest, are equal but for round-off: what is chosen among them must not depend
#: on the processor.
EQUAL = 1e-7
#: Share of what varies in a similarity (1 less its mean) that its features may leave out. Any features make a valid
#: test: what is left out costs power, and the directions left out are those that add least to a statistic.
RESIDUAL = 5e-3
#: Up to so many rows nothing but round-off is left out.
EXACT_ROWS = 256
#: Rows of a longer table, evenly spread, that widths, landmarks and probes come from: a function of the number of rows
#: alone, so that chunks of rows can pick the same.
SPACED_ROWS = 8192
#: Of these the rows from which landmarks are chosen, and in which widths are found.
SAMPLE_ROWS = 512
#: Largest residual of a row of the sample at which no further landmark is taken.
LANDMARK_RESIDUAL = 1e-4
#: The same where values are wanted beside tests, at one width: round-off, of as many rows as can be factored.
EXACT_RESIDUAL, EXACT_SAMPLE_ROWS = 1e-11, 2048
#: A residual of a row below this is round-off.
ROUND_OFF_RESIDUAL = 1e-12
#: Rows up to which all pairs are multiplied by whole matrices where these are smaller than the features.
MOST_MATRIX_ROWS = 512
#: Patterns of missing values up to which what pairs need of a variable is found on all of them at once.
FEW_PATTERNS = 16
#: Levels of a label that have a feature of their own.
MOST_LEVELS = 256
#: Variables of a tile: those whose pairs are looked at together; decides the last bits of a p-value.
TILE = 32
#: Rows read at a time, at most and at least, and the features of all variables of a tile at all rungs that are held of
#: them, about.
CHUNK_ROWS, FEWEST_CHUNK_ROWS, CHUNK_FEATURES = 4096, 512, 2**21
#: Rows beyond which a sample stands for all in those sums of the third moment that grow faster than rows, which count
#: less and less in it as rows grow; and how many rows that sample has. Half of them are those that count most.
ALL_PROBES, PROBES = 512, 256
#: The same where values are wanted beside tests, at one width.
EXACT_PROBES = 4096
#: What the largest alignment of several rungs is by chance, in standard deviations, for every rung beyond the first of
#: the variable that has more of them, and of the other: at equal rungs; and of the largest share of what is attainable
#: at unequal rungs too. Measured on normal, uniform, skewed, heavy-tailed and coarse numbers and on labels
#: (experiments/strength.py).
GAIN_OF_RUNGS, GAIN_OF_SHARES = (0.2, 0.067), (0.22, 0.19)
#: p-values above which independence cannot be excluded: the interval of a strength then begins at 0.
UNCLEAR = 0.05
#: Rows whose influences stand for all in the interval of a strength.
INFLUENCE_ROWS = 2048
#: Effective rows of an influence: those at which an interval is half way from that of a count of few rows to that of a
#: correlation, the fewest by which a quantile of Student's t is chosen, and those below which one row decides. Chosen
#: by coverage and width over laws with and without far rows (experiments/strength.py).
FEW_ROWS, FEWEST_FREEDOM, SEVERAL_ROWS = 5.0, 3.0, 2.0
#: Features of a scalar at each rung, about.
TYPICAL_RANKS = (4, 6, 13, 38)
#: Bytes that a row of each column takes on the way to features, at most: measured (experiments/reliability/memory.py).
BYTES_A_COLUMN = 130
#: Bytes that the test of a pair takes for each of the spaced rows of a vector, whatever is allowed.
BYTES_A_VECTOR_ROW = 8200


def chunk_rows(variables: int) -> int:
    """Rows that are read at a time of so many variables: a function of their number alone, since it decides last bits.

    Examples
    --------
    >>> chunk_rows(2), chunk_rows(32)
    (4096, 1074)
    """
    held = CHUNK_FEATURES // (max(variables, 1) * sum(TYPICAL_RANKS))
    return min(CHUNK_ROWS, max(FEWEST_CHUNK_ROWS, held))


def residual_of(rows: int) -> float:
    """Share of what varies that the features of so many rows may leave out."""
    return EXACT_RESIDUAL if rows <= EXACT_ROWS else RESIDUAL


def work_of_pair() -> float:
    """Multiplications and additions that a row adds to the test of a pair of scalars, about."""
    pairs = {(height, height) for height in range(len(TYPICAL_RANKS))} | set(CENTERED_WEIGHTS)
    return 2.0 * sum(TYPICAL_RANKS[first] * TYPICAL_RANKS[second] for first, second in pairs)
