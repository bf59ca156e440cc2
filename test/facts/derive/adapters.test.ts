import { expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const loaded = (name: string) =>
  `(APIServer pid=1) INFO 12-16 09:44:01 [serving_models.py:209] Loaded new LoRA adapter: name '${name}', path '/adapters/${name}'\n`;
const KILLED = 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\nLimits:\n  memory: 64Gi\n';

async function verdictOf(args: string, log: string, engine = 'vllm') {
  const source = aSnapshot({
    'args.txt': `${args}\n`,
    'previous.log': log,
    'describe.txt': KILLED,
    'incident.json': JSON.stringify({ engine, uptime: 'minutes' }),
  });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

const TWO = loaded('tenant-1') + loaded('tenant-2');

it.each([
  ['many stay in RAM', 'vllm serve m --enable-lora --max-loras 8 --max-cpu-loras 400', TWO, 'host-adapters'],
  [
    'as many stay in RAM as on the card',
    'vllm serve m --enable-lora --max-loras 8 --max-cpu-loras 8',
    TWO,
    'host-burst-probable',
  ],
  ['nothing tells how many stay', 'vllm serve m --enable-lora', TWO, 'host-burst-probable'],
  ['one was loaded', 'vllm serve m --enable-lora --max-cpu-loras 400', loaded('tenant-1'), 'host-burst-probable'],
])('vLLM is killed for RAM while it loads adapters, and %s', async (_, args, log, finding) => {
  expect(await verdictOf(args, log)).toMatchObject({ plane: 'host', finding, certain: true, causeCertain: false });
});

const ofSglang = (names: readonly string[]) =>
  names
    .map(
      (name, rank) =>
        `[2026-04-02 17:55:20 TP${rank}] LoRA adapter loading completes: LoRARef(lora_name='${name}'). avail mem=2.41 GB\n`,
    )
    .join('');

it.each([
  ['adapters', ['a', 'b'], 'host-adapters'],
  ['ranks of one adapter', ['a', 'a'], 'host-burst-probable'],
])('SGLang keeps what it loaded without being told: two %s', async (_, names, finding) => {
  const verdict = await verdictOf('python -m sglang.launch_server --enable-lora', ofSglang(names), 'sglang');

  expect(verdict).toMatchObject({ finding });
});
