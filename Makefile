.PHONY: setup check test bench

setup:  ## install with everything the tests need
	python -m pip install -c .ci/constraints.txt -e '.[dev]'

check:  ## lint, types, tests
	ruff check . && ruff format --check . && mypy && pytest

test:
	pytest

bench:  ## the figures in benchmarks/README.md
	python benchmarks/accuracy.py && python benchmarks/speed.py
