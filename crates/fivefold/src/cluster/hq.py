"""Does all jobs by HyperQueue, and evaluates.

    python hq.py               inside an allocation, with its cores
    python hq.py SERVER_DIR    with the workers of a HyperQueue server

Needs the package hyperqueue of PyPI. What is done is not done again, so the script may run again.
"""

import os
import sys

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest

NAME, WARM, EVALUATE, STAGES, THREADS = {values}

os.chdir(os.path.dirname(os.path.abspath(__file__)))
CORES = len(os.sched_getaffinity(0))
SERVER = sys.argv[1] if len(sys.argv) > 1 else None
# A task that ends with 75 asks to be begun again.
AGAIN = 'while :; do eval "$1"; code=$?; [ $code = 75 ] || break; sleep 10; done; '
# A job that failed is FAILED in the tables. With 2 a task refuses to work, and so would the tasks after it.
GOES_ON, ENDS = AGAIN + "[ $code != 2 ]", AGAIN + "exit $code"


def add(job, name, command, after, script=GOES_ON):
    out = os.path.join(os.getcwd(), "out", f"hq-{name}.txt")
    cpus = THREADS if SERVER else min(THREADS, CORES)
    return job.program(
        ["bash", "-c", script, name, command], cwd=os.getcwd(), name=name, deps=after, stdout=out, stderr=out, resources=ResourceRequest(cpus=cpus)
    )


def tasks():
    job = Job(name=NAME, max_fails=None)
    last = add(job, "warm", WARM, [])
    for stage in STAGES:
        with open(stage) as lines:
            chunks = [add(job, f"{stage}-{number}", line.strip(), [last]) for number, line in enumerate(lines)]
        # A task between two stages: each chunk would otherwise depend on each chunk before.
        last = add(job, f"{stage}-end", "true", chunks)
    add(job, "evaluate", EVALUATE, [last], ENDS)
    return job


def do(client):
    submitted = client.submit(tasks())
    if client.wait_for_jobs([submitted], raise_on_error=False):
        return 0
    for number, failed in client.get_failed_tasks(submitted).items():
        print(f"task {number}: {failed.error} {failed.stdout}", file=sys.stderr)
    return 1


if SERVER:
    sys.exit(do(Client(SERVER)))
with LocalCluster(worker_config=WorkerConfig(cores=CORES)) as cluster:
    code = do(cluster.client())
sys.exit(code)
