"""Sixty bugs planted in the kernels of kernels.py, with what is wrong and the words by which a report names it.

Written before any checker saw them; committed after. Where `torch_only` is set, JAX has no such bug: its arrays cannot be written
to, and show neither memory nor what is asked for.
"""

import bugs_of_entries as entries
import bugs_of_rows as rows

BUGS = [
    *rows.SOFTMAX,
    *rows.LOG_SOFTMAX,
    *rows.LAYER_NORM,
    *rows.RMS_NORM,
    *entries.GELU,
    *entries.GELU_TANH,
    *entries.SILU,
    *entries.MATMUL,
    *entries.LINEAR,
    *rows.ATTENTION,
    *rows.LOGSUMEXP,
    *entries.MSE,
    *entries.SIGMOID,
    *entries.TANH,
    *entries.BIAS,
]
