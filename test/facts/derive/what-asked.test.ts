import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const MIB = 1024 ** 2;

async function factIn(id: string, files: Readonly<Record<string, string>>) {
  const { facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const found = facts.get(id);
  return found?.kind === 'known' ? found.value : undefined;
}

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

describe('what was asked for against the tokens of a step', () => {
  const LOG = { 'previous.log': `${account('1.00 GiB')}\n` };
  const PREFILL =
    '[2026-01-15 06:48:51 TP5] Prefill batch, #new-seq: 1, #new-token: 4096, #cached-token: 0, token usage: 0.71, #running-req: 0, #queue-req: 0';

  it.each([
    ['the largest chunk there can be', 0.0625, '--max-num-batched-tokens 16384 --max-model-len 32768', LOG],
    ['where no prompt is cut it is one prompt', undefined, '--max-num-batched-tokens 16384 --max-model-len 16384', LOG],
    [
      'the step that was printed',
      0.25,
      '--chunked-prefill-size 8192',
      { 'previous.log': `${PREFILL}\n${account('1.00 GiB')}\n` },
    ],
  ])('%s', async (_, expected, args, log) => {
    const value = await factIn('step.bytes-per-token', { ...log, 'args.txt': `vllm serve m ${args}\n` });

    expect(value).toBe(expected === undefined ? undefined : expected * MIB);
  });
});

describe('whether what others hold on a card is the engine’s own', () => {
  const process = (pid: number, gib: string) => `Process ${pid} has ${gib} GiB memory in use. `;
  const OWN = 'Including non-PyTorch memory, this process has 4.50 GiB memory in use. ';
  const ranks = [901, 902, 903, 904].map((pid) => process(pid, pid === 902 ? '60.00' : '2.10')).join('');

  it.each([
    [true, 'the fraction that it was told to take', '--gpu-memory-utilization 0.85', OWN + process(3, '69.00')],
    [false, 'far less than its fraction', '--gpu-memory-utilization 0.85', OWN + process(3, '40.00')],
    [false, 'more than its fraction', '--gpu-memory-utilization 0.5', OWN + process(3, '69.00')],
    [true, 'as many as it has ranks', '--tensor-parallel-size 4 --gpu-memory-utilization 0.5', OWN + ranks],
    [false, 'another number than it has ranks', '--tensor-parallel-size 8 --gpu-memory-utilization 0.5', OWN + ranks],
    [undefined, 'nobody else is listed', '--gpu-memory-utilization 0.85', ''],
  ])('%s: %s', async (expected, _, args, others) => {
    const files = { 'args.txt': `vllm serve m ${args}\n`, 'previous.log': `${account('52.00 MiB', others)}\n` };

    expect(await factIn('gpu.beside-own', files)).toBe(expected);
  });
});

describe('whether the call that failed was one for embeddings', () => {
  it.each([
    [true, '  File "/x/xinference/api/restful_api.py", line 1214, in create_embedding'],
    [true, 'INFO:     10.0.0.7:50118 - "POST /v1/embeddings HTTP/1.1" 500 Internal Server Error'],
    [true, 'INFO:     10.0.0.7:50118 - "POST /rerank HTTP/1.1" 500 Internal Server Error'],
    [false, 'INFO:     10.0.0.7:50118 - "POST /v1/embeddings HTTP/1.1" 200 OK'],
    [false, '  File "/x/xinference/api/restful_api.py", line 2075, in create_chat_completion'],
    [false, '  File "/x/models/some.py", line 75, in embed_tokens'],
  ])('%s: %s', async (expected, line) => {
    const files = { 'previous.log': `${account('6.00 GiB')}\n${line}\n` };

    expect(await factIn('requests.embeds', files)).toBe(expected);
  });

  it('a call far from the failure is another one', async () => {
    const between = 'a line of the server\n'.repeat(80);
    const log = `INFO: "POST /v1/embeddings HTTP/1.1" 500 Internal Server Error\n${between}${account('6.00 GiB')}\n`;

    expect(await factIn('requests.embeds', { 'previous.log': log })).toBe(false);
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

describe('whether an engine was built to keep the logits of a prompt', () => {
  it.each([
    [true, { 'args.txt': 'trtllm-build --output_dir e --gather_context_logits --max_num_tokens 64000\n' }],
    [false, { 'args.txt': 'trtllm-build --output_dir e --gather_context_logits disable\n' }],
    [undefined, { 'args.txt': 'trtllm-build --output_dir e --max_num_tokens 64000\n' }],
    [true, { 'previous.log': '# built with --gather_all_token_logits --max_batch_size 32\na line\n' }],
    [undefined, { 'previous.log': '# built with --gather_all_token_logits=false\na line\n' }],
  ])('%s: %o', async (expected, files) => {
    expect(await factIn('engine.gathers-logits', files)).toBe(expected);
  });
});
