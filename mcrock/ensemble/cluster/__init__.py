"""Studies on several machines: files of clusters, workers of dask, batch scripts.

None of it is part of a study: the same study file runs on a laptop and on any cluster, bit for bit.
"""

from mcrock.ensemble.cluster.connect import connected, listening
from mcrock.ensemble.cluster.settings import load_cluster

__all__ = ["connected", "listening", "load_cluster"]
