import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { createCauseFinder } from '../../../src/read/log/cause-finder.ts';
import { aSnapshot, COMPILED_SIGNATURES, judge } from '../../playbooks/shipped.ts';
import { compiled, hitsOf, OOM_LINE, scan } from './scan-text.ts';

const QUESTION = ['why does my pod print', OOM_LINE, '?<|im_end|>'];
const LOCALAI = '2:04PM INF Success ip=10.0.0.1 latency=2s method=POST status=200 url=/v1/chat/completions';
const TGI =
  '2026-07-10T12:00:00.000000Z  INFO generate{}: text_generation_router::server: router/src/server.rs:402: Success';
const LLAMA = 'srv  log_server_r: request: POST /v1/chat/completions 10.0.0.4 200';
const LLAMA_SLOT = 'slot launch_slot_: id  0 | task 0 | processing task';
const LLAMA_NEW = '0.12.480.112 I srv  update_slots: all slots are idle';

const PRINTED: readonly (readonly [what: string, opens: string, own: string])[] = [
  ['LocalAI', '2:04PM DBG Prompt (after templating): <|im_start|>user', LOCALAI],
  ['LocalAI in colours', '\u001b[90m2:04PM\u001b[0m \u001b[33mDBG\u001b[0m Prompt (after templating): hi', LOCALAI],
  ['an older LocalAI', '2:04PM DBG Template found, input modified to: Below is', LOCALAI],
  [
    'TGI',
    '2026-07-10T10:04:51.000000Z DEBUG chat_completions: text_generation_router::server: router/src/server.rs:700: Input: <|im_start|>user',
    TGI,
  ],
  [
    'TGI, an answer',
    '2026-07-10T10:04:51.000000Z DEBUG generate{}: text_generation_router::server: router/src/server.rs:431: Output: The error',
    TGI,
  ],
  ['llama.cpp', "formatted_chat: '<|im_start|>user", LLAMA],
  ['llama.cpp, up to a slot', 'srv  params_from_: formatted_chat: <|user|>', LLAMA_SLOT],
  ['llama.cpp beside others', 'llama-1  | formatted_chat: <|user|>', `llama-1  | ${LLAMA}`],
  ['llama.cpp in colours', 'formatted_chat: <|user|>', `\u001b[32mI \u001b[0m${LLAMA_SLOT}`],
  ['llama.cpp with times', '0.12.480.100 D formatted_chat.prompt: <|im_start|>user', LLAMA_NEW],
];

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('a text of a user or a model that is printed as it is', () => {
  it.each(PRINTED)('is no evidence: %s', async (_, opens, own) => {
    const text = textOf([own, opens, ...QUESTION, own]);

    const source = aSnapshot({ 'current.log': text });
    const { diagnosis, facts } = await diagnoseSource(source, { signatures: COMPILED_SIGNATURES, judge });

    expect(diagnosis.verdict.plane).not.toBe('gpu');
    expect(facts.get('log.exception')?.kind).not.toBe('known');
    expect(scan(text).tail).not.toContain('OutOfMemory');
    expect(scan(text).bytes).toBe(text.length);
  });

  it.each(PRINTED)('ends where the engine writes on: %s', (_, opens, own) => {
    const [hit] = hitsOf(scan(textOf([opens, ...QUESTION, own, OOM_LINE])), 'torch.oom.head');

    expect(hit).toMatchObject({ line: 6, text: OOM_LINE });
  });

  it.each(PRINTED)('is no evidence behind its name either: %s', (_, opens) => {
    expect(hitsOf(scan(textOf([`${opens} ${OOM_LINE}`])), 'torch.oom.head')).toEqual([]);
  });

  it('is none in the next block of the log, nor where the log ends in it', () => {
    const [, opens = '', own = ''] = PRINTED[0] ?? [];
    const long = [opens, ...Array.from({ length: 30_000 }, () => 'and so on'), OOM_LINE];
    const text = textOf([...long, own, opens, OOM_LINE]).trimEnd();
    const finder = createCauseFinder(compiled);
    finder.push(Buffer.from(text));

    expect(hitsOf(scan(text), 'torch.oom.head')).toEqual([]);
    expect(scan(text, { cuts: [7, 200_000, 262_200] })).toEqual(scan(text));
    expect(finder.foundCause).toBe(false);
  });

  it.each([
    ['another writer', 'Input: CUDA error follows'],
    ['a compiler', 'nvcc: Output: /tmp/x.o'],
    ['a program beside vLLM', 'INFO 07-08 09:00:00 [app.py:12] formatted_chat: hello'],
  ])('is not assumed of %s', (_, line) => {
    expect(hitsOf(scan(textOf([line, OOM_LINE])), 'torch.oom.head')).toHaveLength(1);
  });
});
