"""Kinds of objects: which object a noun phrase means, by the lexicon, by the meaning of names, or by looks."""
