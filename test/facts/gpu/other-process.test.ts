import { describe, expect, it } from 'vitest';
import { factsOfFiles, logged } from '../incident.ts';

const LOG =
  'ERROR 12-03 11:27:45 engine.py:135] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 160.00 MiB. GPU 0 has a total capacity of 79.25 GiB of which 86.81 MiB is free.';
const row = (pid: number, name: string, mib: number, gpu = 0) =>
  `|    ${gpu}   N/A  N/A   ${pid}      C   ${name}     ${mib}MiB |`;

async function foreign(...rows: readonly string[]) {
  const files = {
    ...logged(LOG),
    'nvidia-smi.txt': `${rows.join('\n')}\n`,
    'incident.json': '{"engine":"vllm"}',
  };
  return (await factsOfFiles(files)).get('gpu.foreign');
}

const ENGINE = row(2210841, '/opt/vllm/bin/python3', 73402);

describe('what nvidia-smi lists beside the engine', () => {
  it('is foreign where its name is of another program', async () => {
    expect(await foreign(ENGINE, row(3380120, '...envs/jupyter/bin/python', 7664))).toMatchObject({
      kind: 'known',
      value: 7664 * 2 ** 20,
    });
  });

  it.each([
    ['a second process of the engine', row(3380120, 'VLLM::Worker_TP1', 7664)],
    ['a process on another card', row(3380120, '...envs/jupyter/bin/python', 7664, 1)],
    ['a context', row(3380120, '...envs/jupyter/bin/python', 480)],
  ])('is not told by %s', async (_name, other) => {
    expect(await foreign(ENGINE, other)).toMatchObject({ kind: 'unknown' });
  });

  it('is not told where no name is the engine’s', async () => {
    expect(await foreign(row(1, 'python3', 73402), row(2, 'python', 7664))).toMatchObject({ kind: 'unknown' });
  });
});
