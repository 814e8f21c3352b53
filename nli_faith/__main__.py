"""``python -m nli_faith``."""

from nli_faith.cli import main

if __name__ == "__main__":
    main()
