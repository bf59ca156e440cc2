import { expect, it } from 'vitest';
import { type Files, valueIn } from '../incident.ts';

const factIn = (id: string, files: Files) => valueIn(files, id);

it.each([
  [900, 'python3 -m sglang.bench_serving --num-prompt 5000 --max-concurrency 900'],
  [5000, 'python3 -m sglang.bench_serving --num-prompt 5000'],
  [5000, 'vllm bench serve --num-prompts 5000 --request-rate inf'],
  [undefined, 'vllm bench serve --num-prompts 5000 --request-rate 4'],
  [undefined, 'vllm bench throughput --num-prompts 5000'],
  [undefined, 'vllm serve some-model --max-concurrency 900'],
])('how many requests a load generator sends at once: %s: %s', async (expected, command) => {
  expect(await factIn('requests.offered', { 'args.txt': `${command}\n` })).toBe(expected);
});

it.each([
  [true, 'Qwen2.5-VL-32B-Instruct-AWQ, --tp 4'],
  [undefined, 'Qwen2.5-32B-Instruct-AWQ, --tp 4'],
  [undefined, 'python3 /opt/vision/app-1.py --tp 4'],
])('a model that a note names without its flag: %s: %s', async (expected, args) => {
  expect(await factIn('engine.multimodal', { 'args.txt': `${args}\n`, 'incident.json': '{"engine":"sglang"}' })).toBe(
    expected,
  );
});
