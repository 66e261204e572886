"""`python -m sparktui` is the same as the `sparktui` command."""

from sparktui.cli import main

if __name__ == "__main__":
    main()
