"""The program that is sent to a node, how it is packed, and how its lines are read here."""
