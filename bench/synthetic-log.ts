import { closeSync, openSync, writeSync } from 'node:fs';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.38 GiB. GPU 0 has a total capacity of 79.33 GiB of which 204.81 MiB is free. Process 2377657 has 79.10 GiB memory in use. Of the allocated memory 74.68 GiB is allocated by PyTorch, and 310.00 MiB is reserved by PyTorch but unallocated.';

/** Writes a log of a serving vLLM of about `bytes`, with `hits` failures spread over it. The same bytes each time. */
export function writeSyntheticLog(path: string, bytes: number, hits: number): void {
  const file = openSync(path, 'w');
  const every = Math.floor(bytes / hits);
  let written = 0;
  let nextHit = every / 2;
  for (let i = 0; written < bytes; ) {
    let block = '';
    while (block.length < 1 << 20) {
      const time = `10:${String(Math.floor(i / 60) % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}`;
      block += line(i, time);
      if (written + block.length > nextHit) {
        block += `(EngineCore_DP0 pid=214) ERROR 07-10 ${time} [core.py:710] ${OOM}\n`;
        nextHit += every;
      }
      i += 1;
    }
    written += writeSync(file, block);
  }
  closeSync(file);
}

function line(i: number, time: string): string {
  switch (i % 4) {
    case 0:
      return `INFO 07-10 ${time} [loggers.py:127] Engine 000: Avg prompt throughput: ${i % 9000}.4 tokens/s, Avg generation throughput: ${i % 700}.1 tokens/s, Running: ${i % 64} reqs, Waiting: ${i % 5} reqs, GPU KV cache usage: ${i % 100}.2%, Prefix cache hit rate: ${i % 90}.0%\n`;
    case 1:
      return `INFO:     10.42.${i % 250}.${(i * 7) % 250}:${30000 + (i % 20000)} - "POST /v1/chat/completions HTTP/1.1" 200 OK\n`;
    case 2:
      return `DEBUG 07-10 ${time} [async_llm.py:267] Added request chatcmpl-${((i * 2654435761) >>> 0).toString(16).padStart(8, '0')}.\n`;
    default:
      return `INFO 07-10 ${time} [logger.py:42] Finished request chatcmpl-${((i * 40503) >>> 0).toString(16).padStart(8, '0')} in ${i % 30}.${i % 10} s.\n`;
  }
}
