import { describe, expect, it } from 'vitest';
import { type Files, valueIn } from '../incident.ts';

const factIn = (id: string, files: Files) => valueIn(files, id);

const account = (want: string, others = '') =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of 80.00 GiB of which 1.20 GiB is free. ${others}Of the allocated memory 4.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.`;

describe('how many requests a load generator sends at once', () => {
  it.each([
    [900, 'python3 -m sglang.bench_serving --num-prompt 5000 --max-concurrency 900'],
    [5000, 'python3 -m sglang.bench_serving --num-prompt 5000'],
    [5000, 'vllm bench serve --num-prompts 5000 --request-rate inf'],
    [undefined, 'vllm bench serve --num-prompts 5000 --request-rate 4'],
    [undefined, 'vllm bench throughput --num-prompts 5000'],
    [undefined, 'vllm serve some-model --max-concurrency 900'],
  ])('%s: %s', async (expected, command) => {
    expect(await factIn('requests.offered', { 'args.txt': `${command}\n` })).toBe(expected);
  });
});

describe('the layer of the innermost frames', () => {
  it.each([
    ['adapter', '/x/vllm/lora/punica_wrapper/punica_gpu.py", line 243, in add_lora_linear', 'buffer = torch.zeros('],
    ['adapter', '/x/vllm/lora/layers.py", line 926, in forward', 'output = self.apply(input_, bias)'],
    [
      'history',
      '/x/vllm/v1/attention/backends/turboquant_attn.py", line 1052, in _continuation_prefill',
      'v_full = torch.empty(seq_len, Hk, D, dtype=qdtype, device=device)',
    ],
    ['nothing', '/x/engine/mask.py", line 9, in run', 'mask = torch.zeros((seq_len, seq_len), device=q.device)'],
    [
      'attention',
      '/x/vllm/v1/attention/backends/flash_attn.py", line 9, in forward',
      'out = torch.empty(num_tokens, 8)',
    ],
    ['mlp', '/x/vllm/model_executor/models/m.py", line 9, in forward', 'x = self.down_proj(self.act_fn(x))'],
  ])('%s', async (expected, frame, call) => {
    const log = `Traceback (most recent call last):\n  File "${frame}\n    ${call}\n${account('400.00 MiB')}\n`;

    expect(await factIn('log.layer', { 'previous.log': log })).toBe(expected);
  });

  it('stands below the error where a server tells of the death of its engine', async () => {
    const trace = '  File "/x/vllm/lora/layers.py", line 926, in forward\n    output = self.apply(input_, bias)\n';

    expect(await factIn('log.layer', { 'previous.log': `${account('144.00 MiB')}\n${trace}` })).toBe('adapter');
  });
});

describe('a model that a note names without its flag', () => {
  it.each([
    [true, 'Qwen2.5-VL-32B-Instruct-AWQ, --tp 4'],
    [undefined, 'Qwen2.5-32B-Instruct-AWQ, --tp 4'],
    [undefined, 'python3 /opt/vision/app-1.py --tp 4'],
  ])('%s: %s', async (expected, args) => {
    expect(await factIn('engine.multimodal', { 'args.txt': `${args}\n`, 'incident.json': '{"engine":"sglang"}' })).toBe(
      expected,
    );
  });
});
