"""All masking methods by their plan names: catalogue id, tags, an example, when to use them and when not."""

from ..entry import Entry, Tags
from .add_noise import AddNoise
from .anonymise import Anonymise
from .data_shuffle import DataShuffle
from .data_swap import DataSwap
from .dp_identity import DpIdentity
from .dp_marginals import DpMarginals
from .dp_microaggregate import DpMicroaggregate
from .dp_network import DpNetwork
from .drop_identifiers import DropIdentifiers
from .dummy_records import DummyRecords
from .full_domain import FullDomain
from .generalise import Generalise
from .geo_mask import GeoMask
from .hide_rules import HideRules
from .households import DropHousehold, GeneraliseComposition, SplitHouseholds, SuppressHouseholds, SwapMembers
from .k_member import KMember
from .local_recode import LocalRecode
from .mask_terms import MaskTerms
from .mdav import Mdav
from .microaggregate import Microaggregate
from .mondrian import Mondrian
from .multiply_noise import MultiplyNoise
from .new_households import NewHouseholds
from .pipeline import Pipeline
from .pram import Pram
from .pseudonymise import Pseudonymise
from .randomised_response import RandomisedResponse
from .rank_swap import RankSwap
from .recode import Recode
from .record_swap import RecordSwap
from .resample import Resample
from .rotate import Rotate
from .round import Round
from .sample import Sample
from .semantic_noise import SemanticNoise
from .semantic_swap import SemanticSwap
from .shift_dates import ShiftDates
from .shuffle import Shuffle
from .suppress_cells import SuppressCells
from .suppress_records import SuppressRecords
from .synth_copula import SynthCopula
from .synth_marginals import SynthMarginals
from .synth_moments import SynthMoments
from .synth_network import SynthNetwork
from .synth_trees import SynthTrees
from .top_bottom_code import TopBottomCode
from .v_mdav import VMdav

_IDENTITY = Tags(about="identity", kind="method")
_PROVEN = Tags(about="identity", kind="method", shown="proven")
_BOTH = Tags(about="identity and attribute", kind="method")

_PRIVATE = Tags(about="identity and attribute", kind="method", form="semantic", shown="proven")

_CLASSES = {"zip": 2, "birth": 4, "occupation": 2}

_DECLARED = {
    "epsilon": 1,
    "delta": 1e-6,
    "categories": {"sex": ["F", "M", "X"]},
    "bounds": {"visits": [1, 20], "rent": [0, 5000]},
    "rows": 300,
}

ALL = {
    "add_noise": Entry(
        call=AddNoise,
        catalogue="E-01",
        tags=_BOTH,
        example={"columns": ["income", "visits"], "variance": 0.1},
        use="Amounts are analysed by means, covariances or regressions, and analysts can be told the variance added.",
        avoid="Values must look real one by one, or a few large ones tower above all: multiply_noise, or code the top first.",
    ),
    "anonymise": Entry(
        call=Anonymise,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}},
        use="You have models to meet and no method in mind: it tries the fitting ones and takes the least loss.",
        avoid="Analysts need a method they know, or the file is large: name the method and save the search.",
    ),
    "data_shuffle": Entry(
        call=DataShuffle,
        catalogue="E-14",
        tags=_BOTH,
        example={"columns": ["income"], "given": ["visits", "birth"]},
        use="Confidential amounts beside columns that are published as they are: nobody keeps more of them than these tell.",
        avoid="Relations are not monotone, or analysts need columns that are neither shuffled nor given.",
    ),
    "data_swap": Entry(
        call=DataSwap,
        catalogue="E-05",
        tags=_BOTH,
        example={"columns": ["diagnosis"], "share": 0.2, "within": ["sex"]},
        use="Categories whose counts, also within strata, must stay exact, with doubt about every single record.",
        avoid="Records that are not swapped must be protected, too: most of the file stays as it was.",
    ),
    "dp_identity": Entry(
        call=DpIdentity,
        catalogue="E-07",
        tags=_PRIVATE,
        example={"columns": ["visits", "rent"], "epsilon": 1, "bounds": {"visits": [0, 100], "rent": [0, 5000]}},
        use="You want to see what ε-differential privacy of every single value costs, or nobody may see the true ones.",
        avoid="Anybody is to use the values: the noise is as wide as the column; take dp_microaggregate.",
        repeatable=False,
    ),
    "dp_marginals": Entry(
        call=DpMarginals,
        catalogue="L-01",
        tags=_PRIVATE,
        example=_DECLARED,
        use="A whole file with a guarantee: counts of columns and of the pairs that hang together most, also at small ε.",
        avoid="Relations of three columns at once matter (dp_network, or declare the sets), or columns cannot be declared.",
        repeatable=False,
    ),
    "dp_microaggregate": Entry(
        call=DpMicroaggregate,
        catalogue="E-07",
        tags=_PRIVATE,
        example={
            "columns": ["visits", "rent"],
            "k": 30,
            "epsilon": 1,
            "bounds": {"visits": [0, 100], "rent": [0, 5000]},
        },
        use="Amounts are to be ε-differentially private, and analysts need their distributions and how they hang together.",
        avoid="Rows must stay the records of people, or relations to other columns matter: nothing private keeps them.",
        repeatable=False,
    ),
    "dp_network": Entry(
        call=DpNetwork,
        catalogue="L-01",
        tags=_PRIVATE,
        example={**_DECLARED, "degree": 2},
        use="A whole file with a guarantee, many records or a large ε: columns that depend on several others at once.",
        avoid="Few records or a small ε: tables of several columns drown in noise; dp_marginals.",
        repeatable=False,
    ),
    "drop_household": Entry(
        call=DropHousehold,
        catalogue="A-01",
        tags=_IDENTITY,
        needs=("household",),
        use="Always, unless analysts need to know who lives with whom.",
        avoid="Analyses of households: keep the number, and require household_k_anonymity and a bound on re-identification.",
    ),
    "drop_identifiers": Entry(
        call=DropIdentifiers,
        catalogue="A-01",
        tags=_IDENTITY,
        use="Always, first: names, numbers and addresses of people have no place in a release.",
        avoid="Records of one person must stay linkable across files: pseudonymise instead.",
    ),
    "dummy_records": Entry(
        call=DummyRecords,
        catalogue="D-07",
        tags=Tags(about="attribute", kind="method", shown="proven"),
        example={"t": 0.4, "columns": ["income"]},
        use="A few classes miss t-closeness, and analysts can be told the share of invented records.",
        avoid="Counts must be those of real people, or the weights must add up to the population.",
    ),
    "full_domain": Entry(
        call=FullDomain,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}, "suppression": 0.1},
        use="The same categories for all records are needed, with a proof that no coarser release was necessary.",
        avoid="One rare record drives all others up: local recoding or cell suppression loses less.",
    ),
    "generalise": Entry(
        call=Generalise,
        catalogue="E-12",
        tags=_IDENTITY,
        example={"levels": _CLASSES},
        use="You know the categories that analysts need: five-digit codes to three, days to years.",
        avoid="Exact amounts matter: microaggregation keeps means, noise keeps moments.",
    ),
    "generalise_composition": Entry(
        call=GeneraliseComposition,
        catalogue="D-07",
        tags=_IDENTITY,
        example={"k": 3},
        needs=("household",),
        use="Households are kept, and rare ones may lose detail about their members.",
        avoid="Many households are rare: the cells suppressed are most of the file; drop or split households instead.",
    ),
    "geo_mask": Entry(
        call=GeoMask,
        catalogue="E-14",
        tags=_IDENTITY,
        example={"latitude": "income", "longitude": "rent", "units": "metres", "least": 10, "most": 50},
        use="Coordinates of homes or of events at homes are to be mapped or joined with areas.",
        avoid="Only the region is needed: leave the coordinates out and give the region.",
    ),
    "hide_rules": Entry(
        call=HideRules,
        catalogue="D-08",
        tags=Tags(about="attribute", kind="method", shown="proven"),
        example={
            "rules": [{"given": {"sex": "F"}, "then": {"education": {"from": 6}}}],
            "minsup": 0.05,
            "minconf": 0.2,
        },
        use="A rule or a path of a decision tree that the file shows is itself the secret: it must not be found in it.",
        avoid="The values of single people are the secret: a rule that is hidden leaves them as they are.",
    ),
    "k_member": Entry(
        call=KMember,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}},
        use="Up to some ten thousand records in which every unit of loss counts.",
        avoid="The file is large (its time grows with the square), or tables need the same categories for all.",
    ),
    "local_recode": Entry(
        call=LocalRecode,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}},
        use="The least loss among recodings is wanted and labels may differ from record to record.",
        avoid="Tables need the same categories for all records: full_domain.",
    ),
    "mask_terms": Entry(
        call=MaskTerms,
        catalogue="E-16",
        tags=_PROVEN,
        example={"person": "household", "column": "diagnosis", "k": 3},
        use="Search logs, baskets, documents: many terms of each person, and a taxonomy of the terms.",
        avoid="Each person has one record (microaggregate), or analysts need the exact terms that go together.",
    ),
    "mdav": Entry(
        call=Mdav,
        catalogue="E-02",
        tags=_BOTH,
        example={"columns": ["income", "visits"], "k": 3},
        use="Published results with MDAV are to be compared or repeated.",
        avoid="You want the least loss: microaggregate is faster and better.",
    ),
    "microaggregate": Entry(
        call=Microaggregate,
        catalogue="E-02",
        tags=_BOTH,
        example={"columns": ["income", "visits", "sex"], "k": 3},
        use="Amounts must stay amounts, and nobody may stand out from k others; the first choice for numbers.",
        avoid="Variances and rare extremes matter to the analysts, or the columns hold nothing but a few categories.",
    ),
    "mondrian": Entry(
        call=Mondrian,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}},
        use="A large file with ordered quasi-identifiers, quickly.",
        avoid="Quasi-identifiers without order or hierarchy, or when each unit of loss counts: local_recode.",
    ),
    "multiply_noise": Entry(
        call=MultiplyNoise,
        catalogue="E-01",
        tags=_BOTH,
        example={"columns": ["income"], "spread": 0.05},
        use="Skewed amounts of which the large ones need most protection, such as turnovers of firms; signs and zeros stay.",
        avoid="Many values are zero or near it (they hardly move), or the column has no natural zero, like a temperature.",
    ),
    "new_households": Entry(
        call=NewHouseholds,
        catalogue="A-01",
        tags=_IDENTITY,
        use="Household ids of the source could be known elsewhere, and members must stay together.",
        avoid="The release has no households, or is to be joined with another file by them.",
    ),
    "pipeline": Entry(
        call=Pipeline,
        catalogue="A-01",
        tags=_BOTH,
        example={"steps": [DropIdentifiers(), Generalise(levels=_CLASSES), SuppressRecords(k=3)]},
        use="Several steps belong together, in a study or as one step of a plan.",
        avoid="A plan lists its steps by itself.",
    ),
    "pram": Entry(
        call=Pram,
        catalogue="E-06",
        tags=_BOTH,
        example={"columns": ["sex", "occupation"], "stay": 0.8, "form": "invariant"},
        use="Categories must be uncertain for an intruder, and analysts can be told with which probabilities.",
        avoid="Relations between columns matter more than single counts: they are attenuated; swap or generalise instead.",
    ),
    "pseudonymise": Entry(
        call=Pseudonymise,
        catalogue="A-01",
        tags=_IDENTITY,
        example={"columns": ["name"]},
        use="Records of one person must be linkable over time or across files held by the key's owner.",
        avoid="Nobody needs the link: drop the identifiers, pseudonyms are personal data still.",
    ),
    "randomised_response": Entry(
        call=RandomisedResponse,
        catalogue="E-07",
        tags=_PRIVATE,
        example={"columns": ["sex"], "epsilon": 1, "categories": {"sex": ["F", "M", "X"]}},
        use="Categories are to be ε-differentially private record by record, and counts may be corrected afterwards.",
        avoid="A column has dozens of categories, or many columns share ε: hardly any true answer is left.",
        repeatable=False,
    ),
    "rank_swap": Entry(
        call=RankSwap,
        catalogue="E-03",
        tags=_BOTH,
        example={"columns": ["income"], "percent": 5},
        use="Numbers or ordered categories whose own distribution must stay exact.",
        avoid="Analysts study relations between columns closely, or the reach is published (then form='distribution').",
    ),
    "recode": Entry(
        call=Recode,
        catalogue="E-10",
        tags=_BOTH,
        example={"column": "sex", "groups": {"other than F": ["M", "X"]}},
        use="Some categories are rare or need not be told apart; a number is needed in classes only.",
        avoid="A hierarchy exists: generalise keeps its labels and levels.",
    ),
    "record_swap": Entry(
        call=RecordSwap,
        catalogue="E-05",
        tags=_IDENTITY,
        example={"geography": ["zip"], "k": 2, "share": 0.1, "keys": ["sex", "occupation"]},
        use="Census and household files with small areas: households that stand out there move to another area.",
        avoid="Small areas are what is studied, or other columns that stay tell the place.",
    ),
    "resample": Entry(
        call=Resample,
        catalogue="E-06",
        tags=_BOTH,
        example={"columns": ["income"], "draws": 3},
        use="Amounts whose order and mean must hold, and whose exact values must not.",
        avoid="Records are close together: each stays near its value, so that a link by distance still finds it.",
    ),
    "rotate": Entry(
        call=Rotate,
        catalogue="E-01",
        tags=_BOTH,
        example={"columns": ["income", "visits"], "strength": 0.2},
        use="Means and covariances among the masked columns must come out exactly, as for a regression to be repeated.",
        avoid="Shapes of distributions, whole numbers, zeros or relations with columns that are not masked matter.",
    ),
    "round": Entry(
        call=Round,
        catalogue="E-06",
        tags=_BOTH,
        example={"columns": ["income"], "base": 1000, "form": "random"},
        use="The last digits of amounts or dates name people, and nobody needs them; random rounding keeps sums.",
        avoid="Single records stand far apart, such as turnovers: the rounded value still names them.",
    ),
    "sample": Entry(
        call=Sample,
        catalogue="E-09",
        tags=_BOTH,
        example={"fraction": 0.5},
        use="A research file need not hold everybody, so that nobody can be sure who is in it.",
        avoid="It is the only protection and the file has exact amounts or dates: they identify in a sample too.",
    ),
    "semantic_noise": Entry(
        call=SemanticNoise,
        catalogue="E-16",
        tags=_BOTH,
        example={"columns": ["occupation"], "stay": 0.7},
        use="Categories with a taxonomy, and each cell needs doubt of its own by a law that can be published.",
        avoid="The counts of each category must stay exact (semantic_swap), or there is no taxonomy (pram).",
    ),
    "semantic_swap": Entry(
        call=SemanticSwap,
        catalogue="E-16",
        tags=_BOTH,
        example={"columns": ["occupation"], "percent": 5},
        use="Categories with a taxonomy whose counts must stay exact, exchanged between likes.",
        avoid="Rare combinations with other columns must hold, or one category is most of the file.",
    ),
    "shift_dates": Entry(
        call=ShiftDates,
        catalogue="E-14",
        tags=_IDENTITY,
        example={"columns": ["birth"], "days": 180},
        use="Intervals between the events of a person matter, the days in the calendar do not.",
        avoid="Seasons or epidemics are the subject, or an event's true day may be known: give intervals alone.",
    ),
    "shuffle": Entry(
        call=Shuffle,
        catalogue="A-01",
        tags=_IDENTITY,
        use="Always, last: the order of the rows tells who is who.",
        avoid="The order carries meaning, as in a time series.",
    ),
    "split_households": Entry(
        call=SplitHouseholds,
        catalogue="D-07",
        tags=_IDENTITY,
        example={"size": 2},
        needs=("household",),
        use="Large households stand out, and pairs of people are enough for the analysis.",
        avoid="The size or the whole composition of households is analysed.",
    ),
    "suppress_cells": Entry(
        call=SuppressCells,
        catalogue="E-13",
        tags=_PROVEN,
        example={"k": 3},
        use="Few records are rare, and a missing value here and there does less harm than coarser categories.",
        avoid="Most records are rare: coarsen first. Blanks are not at random, so that estimates need care.",
    ),
    "suppress_households": Entry(
        call=SuppressHouseholds,
        catalogue="D-07",
        tags=Tags(about="identity", kind="method", shown="proven"),
        example={"k": 3},
        needs=("household",),
        use="Households are kept, and those of a rare composition or size may stand without their number.",
        avoid="Most households are rare: little is left of them; split them, or drop the number.",
    ),
    "suppress_records": Entry(
        call=SuppressRecords,
        catalogue="E-13",
        tags=_PROVEN,
        example={"k": 2},
        use="A handful of records is beyond help.",
        avoid="Many records would go, or the rare are the subject of the study.",
    ),
    "swap_members": Entry(
        call=SwapMembers,
        catalogue="E-05",
        tags=_IDENTITY,
        example={"share": 0.2, "similar": ["sex"]},
        needs=("household",),
        use="Households are kept, and their counts by composition need hold on average only.",
        avoid="Relations within the household (parent and child) are what is analysed.",
    ),
    "synth_copula": Entry(
        call=SynthCopula,
        catalogue="L-01",
        tags=_BOTH,
        example={"columns": ["visits", "education", "sex"]},
        use="Distributions of all columns and how they go together two by two suffice, and copies must be unlikely.",
        avoid="Relations are not monotone, or hold among three columns and more: synth_trees.",
    ),
    "synth_moments": Entry(
        call=SynthMoments,
        catalogue="L-01",
        tags=_BOTH,
        example={"columns": ["income"]},
        use="Regressions and all else that rests on means and covariances must come out exactly, with nobody's amounts.",
        avoid="Shapes of distributions, zeros, whole numbers or relations that are not linear matter.",
    ),
    "synth_marginals": Entry(
        call=SynthMarginals,
        catalogue="L-01",
        tags=_BOTH,
        example={"columns": ["visits", "education", "birth"], "sets": [["visits", "education"], ["birth", "sex"]]},
        use="You can name the tables that analysts will make: their counts hold, and nothing else is learnt from people.",
        avoid="Analysts look for relations that nobody named (synth_trees), or a guarantee is needed (dp_marginals).",
    ),
    "synth_network": Entry(
        call=SynthNetwork,
        catalogue="L-01",
        tags=_BOTH,
        example={"degree": 2, "columns": ["visits", "diagnosis", "birth"]},
        use="Mostly categories, and it should be plain which columns depend on which: the trace has the whole model.",
        avoid="Amounts must be exact to more than a bin (synth_trees), or a guarantee is needed (dp_network).",
    ),
    "synth_trees": Entry(
        call=SynthTrees,
        catalogue="L-01",
        tags=_BOTH,
        example={"leaf": 5, "columns": ["visits", "diagnosis", "birth"]},
        use="Analysts need records that look real, of any kinds of columns, and relations between them; nobody's records.",
        avoid="A guarantee for every person is needed, or the file is so small that a leaf is most of it.",
    ),
    "top_bottom_code": Entry(
        call=TopBottomCode,
        catalogue="E-11",
        tags=_BOTH,
        example={"column": "income", "top": 60_000},
        use="Extremes identify people: the oldest, the richest.",
        avoid="The tail is the subject of the study, or totals must hold (then replace='mean').",
    ),
    "v_mdav": Entry(
        call=VMdav,
        catalogue="E-02",
        tags=_BOTH,
        example={"columns": ["income", "visits"], "k": 3, "gamma": 0.2},
        use="Published results with V-MDAV are to be compared or repeated.",
        avoid="You want the least loss: microaggregate is faster and better.",
    ),
}
"""Plan name → method, with an example for the clinic register."""
