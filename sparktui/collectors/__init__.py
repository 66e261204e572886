"""One file per collector, standard library only: the same file runs on the node and is imported here for its types."""
