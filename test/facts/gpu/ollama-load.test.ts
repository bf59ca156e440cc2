import { describe, expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';

const wrapper = (level: string, what: string) =>
  `time=2025-04-29T12:31:28.521+02:00 level=ERROR source=sched.go:${level} msg="error loading llama server" error="llama runner process has terminated: ${what}"`;

const LOADING =
  'time=2025-04-29T12:31:26.000+02:00 level=INFO source=server.go:405 msg="starting llama server" cmd="/usr/bin/ollama runner"';
const REFUSED =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory';

const diagnosed = async (...lines: readonly string[]) => {
  const { verdict, says } = (await diagnoseFiles(logged(...lines))).diagnosis;
  return { verdict, says, advice: verdict.remedies.map((remedy) => remedy.says).join('\n') };
};

describe('GPU memory that Ollama lacks while it loads a model', () => {
  it.each([
    ['0.1.44', [wrapper('388', 'signal: aborted (core dumped) error:cudaMalloc failed: out of memory')]],
    ['0.6.6', [wrapper('457', 'cudaMalloc failed: out of memory')]],
    ['0.12.6', [LOADING, REFUSED, wrapper('489', 'cudaMalloc failed: out of memory')]],
  ])('may be of the weights, the KV cache or the compute buffer: the context counts too, %s', async (_, lines) => {
    const { verdict, says, advice } = await diagnosed(...lines);

    expect(verdict).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
      cause: 'gpu.startup.weights',
      causeCertain: false,
    });
    expect(says).not.toContain('Request settings do not help');
    expect(advice).toMatch(/context/i);
  });

  it('is of the weights where the log says so', async () => {
    const { verdict, says } = await diagnosed(
      LOADING,
      REFUSED,
      'llama_model_load: error loading model: unable to allocate CUDA0 buffer',
    );

    expect(verdict).toMatchObject({ finding: 'gpu-startup-weights' });
    expect(says).toContain('Request settings do not help');
  });
});
