import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const OFFLOAD = '--cpu-offload-gb 48\n';
const LOADING = '(EngineCore pid=118) INFO 09-10 07:02:20 [gpu_model_runner.py:4981] Starting to load model /m...\n';
const CORE_GONE =
  '(APIServer pid=1) ERROR 09-10 07:03:05 [core_client.py:741] Engine core proc EngineCore died unexpectedly, shutting down client.\n';
const WORKER_GONE =
  '(EngineCore pid=310) ERROR 06-30 02:11:46 [multiproc_executor.py:274] Worker proc VllmWorker-5 died unexpectedly, shutting down executor.\n';

async function verdictOf(log: string, uptime: string, args = OFFLOAD) {
  const files = { 'previous.log': log, 'args.txt': args, 'incident.json': JSON.stringify({ uptime }) };
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return diagnosis.verdict;
}

describe('a process that was found gone, of an engine that keeps memory on the host', () => {
  it('leads to the offload, at the start and while it serves', async () => {
    expect(await verdictOf(LOADING + CORE_GONE, 'startup')).toMatchObject({
      phase: 'startup',
      cause: 'host.offload',
      certain: false,
    });
    expect(await verdictOf(WORKER_GONE, 'minutes')).toMatchObject({
      phase: 'burst',
      cause: 'host.offload',
      certain: false,
    });
  });

  it.each([
    ['nothing is kept on the host', WORKER_GONE, '--max-model-len 8192\n'],
    ['an error of its own stands above', `ERROR 06-30 02:11:40 [core.py:9] KeyError: 'x'\n${WORKER_GONE}`, OFFLOAD],
    ['its end has a code', WORKER_GONE.replace('unexpectedly,', 'unexpectedly (exit code: -11),'), OFFLOAD],
  ])('leads nowhere where %s', async (_, log, args) => {
    expect((await verdictOf(log, 'minutes', args)).cause).not.toBe('host.offload');
  });
});
