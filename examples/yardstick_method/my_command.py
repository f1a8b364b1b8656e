"""A method as a program: it gets names of npy files and prints the p-value last. Any language will do."""

import sys

import numpy as np
from my_method import pvalue

if __name__ == "__main__":
    print(pvalue(*(np.load(path, allow_pickle=False) for path in sys.argv[1:3])))
