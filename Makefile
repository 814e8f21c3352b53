.PHONY: setup check test bench docs integrations engines

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

engines:  ## Spark (needs Java) and Ray: 20,000 rows, killed workers, poisoned rows; in the current environment
	python -m pip install -c .ci/constraints.txt -e '.[parquet,pandas,polars,datasets,spark,ray]' pytest
	pytest tests/pipelines -m "slow or not slow" -rs
