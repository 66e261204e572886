"""One file per verdict or family of rules, all pure."""
