"""The laboratory of lucca: experiments, benchmarks, attacks, the judge of a run, and training. A robot does not need it."""
