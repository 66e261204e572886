"""`python -m sparktui.demo` serves a simulated rack until its stdin ends."""

from sparktui.demo.child import main

if __name__ == "__main__":
    main()
