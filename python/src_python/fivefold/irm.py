"""fivefold as a provider of measures for ir_measures, and so for PyTerrier's experiments.

>>> from fivefold import irm
>>> irm.install()                                     # doctest: +SKIP
>>> ir_measures.calc_aggregate([nDCG @ 10], qrels, run)  # doctest: +SKIP

After `install`, `ir_measures` and `pyterrier.Experiment` ask fivefold first, and other providers for measures that fivefold
does not know.
"""

from ir_measures import DefaultPipeline, providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from ._fivefold import ConfigError
from .evaluation import evaluate

#: A topic, to see whether a measure is known.
ONE_QREL, ONE_RUN = {"q": {"d": 1}}, {"q": {"d": 1.0}}


class FivefoldProvider(providers.Provider):
    """Measures of fivefold under a dialect, by default that of trec_eval.

    A name of ir_measures stands for the number of the program that ir_measures takes it from, whatever
    the dialect; the dialect decides what such a name leaves open.
    """

    NAME = "fivefold"

    def __init__(self, dialect="trec_eval", conventions=None):
        super().__init__()
        self.dialect, self.conventions = dialect, conventions
        self._known = {}

    def supports(self, measure):
        """Whether fivefold knows the measure."""
        name = str(measure)
        if name not in self._known:
            try:
                evaluate(ONE_QREL, ONE_RUN, [name], dialect=self.dialect, conventions=self.conventions)
                self._known[name] = True
            except ConfigError:
                self._known[name] = False
        return self._known[name]

    def _evaluator(self, measures, qrels):
        return FivefoldEvaluator(self, list(measures), QrelsConverter(qrels).as_dict_of_dict())


class FivefoldEvaluator(providers.Evaluator):
    """Measures of runs against qrels."""

    def __init__(self, provider, measures, qrels):
        super().__init__(measures, set(qrels))
        self.provider, self.qrels = provider, qrels

    def _iter_calc(self, run):
        run = RunConverter(run).as_dict_of_dict()
        names = [str(measure) for measure in self.measures]
        settings = {"dialect": self.provider.dialect, "conventions": self.provider.conventions}
        found = evaluate(self.qrels, {"run": run}, names, **settings)
        for column, measure in enumerate(self.measures):
            for query, value in zip(found.queries, found._core.counted(0, column), strict=True):
                if value is not None:
                    yield Metric(query_id=query, measure=measure, value=value)


provider = providers.register(FivefoldProvider())


def install(provider=provider):
    """Lets ir_measures ask this provider first."""
    DefaultPipeline.providers[:] = [provider, *(own for own in DefaultPipeline.providers if own.NAME != provider.NAME)]
