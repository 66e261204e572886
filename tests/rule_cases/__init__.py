"""Literal views of machines in order and in trouble, for the tests of the rules."""
