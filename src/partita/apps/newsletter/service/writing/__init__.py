"""Writing without a model: finding passages, planning an outline, drafting from sentences, and judging the result.

Everything here is a pure function over the values of `values.py`: no items, no requests, no clock.
"""
