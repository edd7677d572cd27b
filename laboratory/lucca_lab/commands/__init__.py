"""The commands that the laboratory adds to `lucca`: `eval`, `bench`, `attack` and `judge`."""
