import { describe, expect, it } from 'vitest';
import { known, verdictOfFiles } from '../incident.ts';

async function verdictOf(line: string) {
  const log = `Traceback (most recent call last):\n  File "/app/loader.py", line 12, in reserve\n    raise ValueError(\n${line}\n`;
  const files = { 'previous.log': log, ...known({ engine: 'vllm', uptime: 'startup' }) };
  return verdictOfFiles(files);
}

describe('an error that holds an amount of bytes against another', () => {
  it.each([
    'ValueError: the decoder wants 5.5 GiB (2.0 GiB frames, 3.5 GiB decoder), but only 3.21 GiB is available for the engine',
    'ValueError: staging takes 12.0 GB, 9.5 GB left',
    'RuntimeError: this model needs at least 40 GiB on each device',
    'AssertionError: requested 5905580032 bytes, 3446710272 bytes available',
  ])('%s is not called something else than memory', async (line) => {
    expect(await verdictOf(line)).not.toMatchObject({ plane: 'none' });
  });

  it.each([
    'ValueError: the file model-00001.gguf has 4.97 GB, expected 5.00 GB',
    'OSError: the disk /models has 3.2 GB left and 15.1 GB are needed',
    "ValueError: Selected backend FLASH_ATTN is not valid for this configuration. Reason: ['kv_cache_dtype not support",
    'ValueError: rope scaling factor 4 does not go with 32 heads',
  ])('%s is', async (line) => {
    expect(await verdictOf(line)).toMatchObject({ plane: 'none', certain: true });
  });
});
