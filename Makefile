# Two commands for a fresh machine (Python >= 3.11): make demo, make test.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Where the environment forbids byte code, every process of the tests would compile all of the sources again.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip --disable-pip-version-check -q install -c constraints.txt

.PHONY: demo test test-slow pytest lint types contracts docs bench study study-linkage study-learned study-disclosure study-composition screenshots schema clean

demo: $(VENV)/.demo ## set up, run the main job on example data, print where the report is
	@$(BIN)/tacit demo --out demo

# Types are checked beside the tests; a third process works while others wait for a browser, a deadline or a server.
test: $(VENV)/.dev ## lint, type-check, import contracts, tests
	@$(MAKE) --no-print-directory -j 2 lint contracts types pytest

pytest: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 3 --dist loadfile -q -m "not slow"

test-slow: $(VENV)/.dev ## the tests of tests/slow.txt: Spark, long journeys, long pages, every bench in its smallest form
	@$(BIN)/python -m pytest -n 2 --dist loadfile -q -m slow

lint: $(VENV)/.dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports --no-cache

docs: $(VENV)/.dev ## write the generated pages of docs/
	@$(BIN)/python docs/generate.py && $(BIN)/python docs/dp_story.py

screenshots: $(VENV)/.dev ## take the pictures of the report that the README shows
	@$(BIN)/python docs/screenshots.py && $(BIN)/python docs/screenshots_studio.py

bench: $(VENV)/.dev ## measure every bar and write bench/results
	@code=0; for name in foundation models masking linkage learned inference study tables queries graphs synthetic multiparty studio; do $(BIN)/python bench/$$name.py || code=1; done; exit $$code

study: $(VENV)/.dev ## write docs/studies/methods.md: microaggregation, rank swapping and noise by ½ (IL + DR)
	@$(BIN)/python bench/study_methods.py

study-linkage: $(VENV)/.dev ## write docs/studies/rank-swapping.md: published figures beside ours
	@$(BIN)/python bench/study_linkage.py

study-learned: $(VENV)/.dev ## write docs/studies/learned-distances.md: the strongest distances, proven and cross-validated
	@$(BIN)/python bench/study_learned.py

study-disclosure: $(VENV)/.dev ## write docs/studies/attribute-disclosure.md: what is learnt, by masking method
	@$(BIN)/python bench/study_disclosure.py

study-composition: $(VENV)/.dev ## write docs/studies/composition.md: how risk grows with the number of releases
	@$(BIN)/python bench/study_composition.py

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV)

# The demo compiles the kernels that it needs; tacit warm compiles all of them.
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "setting up in $(VENV): one or two minutes the first time"
	@$(PIP) -e '.[files]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) -e '.[dev]'
	@$(BIN)/tacit warm
	@touch $@ $(VENV)/.demo

clean:
	@rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
