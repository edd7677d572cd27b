"""Words: forms, meanings and sets of words, those that change nothing, and text split into sentences of words."""
