import { describe, expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';

type Log = readonly string[];
const RAY_KILLED =
  'Memory on the node ( ID: 37f3) where the task (actor ID: 658f, name=Some.__init__, pid=5315, memory used=1.67GB) was running was 445.48GB / 468.75GB (0.950365), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 3842) because it was the most recently scheduled task';
const box = (text: string) => `│ ${text.padEnd(76)} │`;

const workers = (method: string) => [5310, 5311].map((pid) => `${pid}\t221.00\tray::Some.${method}`);

// Words that are known by where in its line they begin, and the fact that they tell.
const LOGS: readonly (readonly [fact: string, value: unknown, log: Log])[] = [
  ['failure.life', 'starting', [RAY_KILLED, 'PID\tMEM(GB)\tCOMMAND', ...workers('init_model_from_pretrained')]],
  ['log.terminated', true, ['Uvicorn running on http://0.0.0.0:8000', 'Signal (15) received.']],
  [
    'log.exception-ended',
    true,
    [
      box('/usr/src/server/text_generation_server/models/flash_model.py:94 in __init__'),
      box('❱  94 │   │   │   raise ValueError('),
      'ValueError: `num_heads` must be divisible by `num_shards`',
      'INFO: later',
    ],
  ],
];

const DATE = '2026-07-10T10:00:00.123456789Z ';

async function factsOf(log: Log) {
  return (await diagnoseFiles(logged(...log))).facts;
}

describe('a line that a runtime dated', () => {
  it.each(LOGS)('tells the same: %s', async (fact, value, log) => {
    const [plain, dated] = [await factsOf(log), await factsOf(log.map((line) => DATE + line))];

    expect(plain.get(fact)).toMatchObject({ value });
    expect(dated.get(fact)).toMatchObject({ value });
  });
});
