import { describe, expect, it } from 'vitest';
import { diagnoseFiles, known, logged } from '../incident.ts';

const said = (text: string) => `4:10PM DBG GRPC(m-127.0.0.1:39715): stderr ${text}`;
const REFUSED = said(
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4807.05 MiB on device 0: cudaMalloc failed: out of memory',
);
const FAILED = said('llama_model_load: error loading model: unable to allocate backend buffer');

const diagnosed = (...log: readonly string[]) =>
  diagnoseFiles({ ...logged(...log), ...known({ engine: 'localai', uptime: 'hours' }) });

describe('a server that starts a runner for each model', () => {
  it('is at the start of one where a load fails, whatever its own age', async () => {
    const load = await diagnosed(REFUSED, FAILED);
    const work = await diagnosed(REFUSED);

    expect(load.facts.get('failure.life')).toMatchObject({ value: 'starting' });
    expect(work.facts.get('failure.life')).toMatchObject({ value: 'serving' });
  });

  it('is at the start of one of its Python back-ends as well', async () => {
    const failed = (why: string) =>
      `{"error":{"code":500,"message":"${why}: Unexpected err=OutOfMemoryError('CUDA out of memory. Tried to allocate 46.00 MiB. GPU 0 has a total capacity of 5.62 GiB of which 55.50 MiB is free.')"}}`;
    const load = await diagnosed(failed('could not load model (no success)'));
    const work = await diagnosed(failed('could not embed'));

    expect(load.facts.get('failure.life')).toMatchObject({ value: 'starting' });
    expect(work.facts.get('failure.life')).toMatchObject({ value: 'serving' });
  });
});
