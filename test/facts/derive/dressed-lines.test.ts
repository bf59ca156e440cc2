import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

type Log = readonly string[];

const REFUSED =
  'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB (GPU 0; 15.90 GiB total capacity; 15.40 GiB already allocated; 30.00 MiB free; 15.42 GiB reserved in total by PyTorch)';
const BAR = 'Loading checkpoint shards:  50%|█████     | 1/2 [00:30<00:30, 30.02s/it]';
const BUILD = 'build: 6100 (65c797c4) with cc';
const RAY_KILLED =
  'Memory on the node ( ID: 37f3) where the task (actor ID: 658f, name=Some.__init__, pid=5315, memory used=1.67GB) was running was 445.48GB / 468.75GB (0.950365), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 3842) because it was the most recently scheduled task';
const ADAPTER = [
  'Invocation of add_lora method failed',
  '  File "/x/engine/lora/helper.py", line 122, in validate',
  'ValueError: LoRA rank 64 is greater than max_lora_rank 16.',
];
const box = (text: string) => `│ ${text.padEnd(76)} │`;

const workers = (method: string) => [5310, 5311].map((pid) => `${pid}\t221.00\tray::Some.${method}`);

// Words that are known by where in its line they begin, and the fact that they tell.
const LOGS: readonly (readonly [fact: string, value: unknown, log: Log])[] = [
  ['failure.life', 'starting', [RAY_KILLED, 'PID\tMEM(GB)\tCOMMAND', ...workers('init_model_from_pretrained')]],
  ['ram.equal-workers', 2, [RAY_KILLED, ...workers('generate')]],
  ['log.terminated', true, ['Uvicorn running on http://0.0.0.0:8000', 'Signal (15) received.']],
  ['log.ends-in-load', true, ['Loading safetensors', 'Read throughput is 1.02 GB per second']],
  ['log.call-refused', true, [...ADAPTER, '[GIN] 2026/07/10 - 10:15:00 | 400 |  2s |  10.0.0.1 | POST "/v1/lora"']],
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
  ['sequence.second-run', true, [BUILD, REFUSED, BUILD, BAR, 'Killed']],
];

const DATE = '2026-07-10T10:00:00.123456789Z ';

async function factsOf(log: Log) {
  const snapshot = aSnapshot({ 'previous.log': `${log.join('\n')}\n` });
  return (await diagnoseSource(snapshot, { phrases: COMPILED_PHRASES, judge })).facts;
}

describe('a line that a runtime dated', () => {
  it.each(LOGS)('tells the same: %s', async (fact, value, log) => {
    const [plain, dated] = [await factsOf(log), await factsOf(log.map((line) => DATE + line))];

    expect(plain.get(fact)).toMatchObject({ value });
    expect(dated.get(fact)).toMatchObject({ value });
  });

  it('is no word of people where a program raised it', async () => {
    const raised = 'RuntimeError: GPU memory grows by 1 GiB an hour and is never freed';

    expect((await factsOf([raised])).get('gpu.growth-noted')).toMatchObject({ value: false });
    expect((await factsOf([`[pod/engine-0/engine] ${raised}`])).get('gpu.growth-noted')).toMatchObject({
      value: false,
    });
  });
});
