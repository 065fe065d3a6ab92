"""A plan with steps, in parts."""

HEAD = """
[data]
path = "people.csv"
missing = "own"

[roles]
identifier = ["name"]
quasi = ["zip", "birth", "sex"]
confidential = ["income"]

[hierarchies]
zip = { prefix = [5, 3, 1] }
birth = { dates = ["month", "year", "decade"] }

[require]
k_anonymity = 3
"""
STEPS = """
[[protect]]
method = "generalise"  # the analysts need decades
levels = { zip = 2, birth = 3 }

[[protect]]
method = "suppress_cells"
k = 3
"""
SWAP = """
[[protect]]
method = "rank_swap"
columns = ["income"]
percent = 10
"""
COLUMNS = ["name", "zip", "birth", "sex", "income"]
