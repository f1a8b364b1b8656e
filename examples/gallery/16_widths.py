"""The width of the kernel sets the scale that is seen

A wave of four periods in little noise. A wide kernel takes the whole range of x for one value and sees next to
nothing of it; a narrow one tells the periods apart. The default test looks at four widths at once and needs no
choice.
"""

import matplotlib.pyplot as plt
import numpy as np

import shearer as sh

rng = np.random.default_rng(0)
x = rng.uniform(0, 1, 200)
wave = np.sin(8 * np.pi * x) + 0.2 * rng.normal(size=200)
noise = rng.permutation(wave)

median = sh.kernels.Gaussian().width(x[:, None])
shares = np.geomspace(0.05, 4, 12)
for column, name in ((wave, "wave"), (noise, "the same values, rows exchanged")):
    values = []
    for share in shares:
        kernel = {"x1": sh.kernels.Gaussian(share * median), "x2": sh.kernels.Gaussian()}
        values.append(sh.mutual_information(x, column, kernel=kernel))
    plt.semilogx(shares, values, marker=".", label=name)
print(
    f"default test: wave p = {sh.independence_test(x, wave).pvalue:.1g}, "
    f"exchanged p = {sh.independence_test(x, noise).pvalue:.1g}"
)
plt.xlabel("width for x, as a multiple of the median distance (the default)")
plt.ylabel("I*")
plt.legend()
