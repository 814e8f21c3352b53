.PHONY: setup check test bench docs integrations

setup:  ## install with everything the tests need
	python -m pip install -c .ci/constraints.txt -e '.[dev]'

check:  ## lint, types, tests
	ruff check . && ruff format --check . && mypy && pytest

test:
	pytest

docs:  ## the reference pages, from the code
	python scripts/make_docs.py

bench:  ## the figures in benchmarks/README.md
	python benchmarks/accuracy.py && python benchmarks/speed.py

integrations:  ## the adapters against Ragas, DeepEval, LangChain, LlamaIndex, OpenTelemetry
	python scripts/check_integrations.py
