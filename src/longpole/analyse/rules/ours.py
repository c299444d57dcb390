"""Rules of ours, one file each."""

from __future__ import annotations

from longpole.analyse.rules.case import Rule
from longpole.analyse.rules.checkpoint import RULE as CHECKPOINT
from longpole.analyse.rules.cpu_inference import RULE as CPU_INFERENCE
from longpole.analyse.rules.data_loading import RULE as DATA_LOADING
from longpole.analyse.rules.idle_gpu import RULE as IDLE_GPU
from longpole.analyse.rules.import_time import RULE as IMPORT_TIME
from longpole.analyse.rules.ours_b import OURS_B
from longpole.analyse.rules.queue import RULE as QUEUE
from longpole.analyse.rules.serial_trials import RULE as SERIAL_TRIALS
from longpole.analyse.rules.staging import RULE as STAGING

OURS: tuple[Rule, ...] = (
    DATA_LOADING,
    IMPORT_TIME,
    CHECKPOINT,
    SERIAL_TRIALS,
    IDLE_GPU,
    CPU_INFERENCE,
    STAGING,
    QUEUE,
    *OURS_B,
)
