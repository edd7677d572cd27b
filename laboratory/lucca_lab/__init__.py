"""The laboratory of lucca: experiments, benchmarks, attacks, the run judge and training; a robot does not need it."""
