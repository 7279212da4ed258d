"""Benchmarks: everything that is compared runs in one run, in interleaved rounds; ratios are what counts."""
