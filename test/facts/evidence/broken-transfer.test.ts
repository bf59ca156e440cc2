import { expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';

const EXPIRED =
  '(EngineCore_DP0 pid=402) WARNING 09-29 13:10:57 [nixl_connector.py:1048] Releasing expired KV blocks for request cmpl-1-0 which were retrieved by 0 decode worker(s) within 120 seconds.';

const raised = (frame: string, error: string) =>
  ['Traceback (most recent call last):', `  File "/opt/vllm/${frame}`, '    f(x)', error]
    .map((text) => `(EngineCore_DP0 pid=402) ERROR 09-29 13:10:58 [core.py:720] ${text}`)
    .join('\n');

const BOOKS = 'vllm/v1/core/sched/scheduler.py", line 1287, in _update_from_kv_xfer_finished';
const STEP = 'vllm/v1/core/sched/scheduler.py", line 400, in schedule';

it.each([
  ['near miss: an error of another part', [EXPIRED, raised(STEP, "KeyError: 'cmpl-1-0'")], 'none.other'],
  ['near miss: the error came first', [raised(BOOKS, "KeyError: 'cmpl-1-0'"), EXPIRED], 'none.other'],
  ['evidence gone: the error', [EXPIRED], 'none.other'],
])('blocks that were not fetched in time: %s', async (_name, lines, cause) => {
  const files = logged(...lines);

  expect((await diagnoseFiles(files)).diagnosis.verdict).toMatchObject({ plane: 'none', cause });
});
