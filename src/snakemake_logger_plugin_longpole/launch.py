"""Runs ``longpole record`` from this file alone, whatever folder and environment a job runs in.

Started as ``python -I launch.py ARGUMENTS``: what lies in the job's folder, or in its PYTHONPATH, is neither
imported nor taken away from the job.
"""

if __name__ == "__main__":
    import gc
    import os
    import sys

    gc.disable()  # what is made here lasts
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from longpole.app.record import record

    os._exit(record(sys.argv[1:]))
