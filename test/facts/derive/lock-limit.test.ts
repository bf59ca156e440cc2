import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const REFUSED = 'RuntimeError: Unable to pin host memory with error code: -1';

async function diagnosed(log: string, metrics?: string) {
  const files = {
    'previous.log': `${log}\n`,
    'incident.json': '{"uptime":"startup"}',
    ...(metrics === undefined ? {} : { 'metrics.txt': `${metrics}\n` }),
  };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('RAM that could not be pinned', () => {
  it('is refused by a small limit on locked memory', async () => {
    const { diagnosis } = await diagnosed(
      `${REFUSED}\n# ulimit -l in the pod: 64\n# ulimit -l unlimited: not permitted`,
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.config', certain: false });
  });

  it.each([
    ['a limit is not known', REFUSED],
    ['there is none', `${REFUSED}\n# ulimit -l: unlimited`],
    ['a large one', `${REFUSED}\n# ulimit -l: 67108864`],
  ])('is a want of RAM where %s', async (_, log) => {
    expect((await diagnosed(log)).diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload' });
  });

  it.each([
    ['max locked memory           (kbytes, -l) 8192', 8_388_608],
    ['Max locked memory         65536                65536                bytes', 65_536],
    ['max locked memory: 512 MiB', 536_870_912],
  ])('is measured by what the shell or the kernel prints of the limit: %s', async (line, bytes) => {
    const { facts } = await diagnosed(REFUSED, line);

    expect(facts.get('ram.lock-limit')).toMatchObject({ value: bytes });
  });
});

describe('words of what is no memory', () => {
  const cudart = [
    'cudaSetDevice err: 999',
    'time=2024-09-17T07:58:12.443+02:00 level=DEBUG source=gpu.go:533 msg="Unable to load cudart" library=/usr/lib/libcudart.so.12 error="cudart init failure: 999"',
  ].join('\n');
  const found =
    'time=2024-09-17T07:58:13.443+02:00 level=INFO source=types.go:107 msg="inference compute" id=GPU-1 library=cuda variant=v12 compute=8.9';

  it.each([
    ['none.scheduling', 'No suitable workers.\nDetails:\n- No workers meet the resource requirements.'],
    ['none.driver', cudart],
  ])('point to %s', async (cause, log) => {
    expect((await diagnosed(log)).diagnosis.verdict).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it('say nothing of a library that is tried in vain before another, or of a card that is full', async () => {
    const full = cudart.replaceAll('999', '2');

    expect((await diagnosed(`${cudart}\n${found}`)).diagnosis.verdict.cause).not.toBe('none.driver');
    expect((await diagnosed(full)).diagnosis.verdict.cause).not.toBe('none.driver');
  });
});
