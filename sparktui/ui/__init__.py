"""The terminal application: frame, keys, themes. The only importer of textual's App and widgets."""
