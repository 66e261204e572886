"""One file per pane: a pure function from what is known to lines of Content."""
