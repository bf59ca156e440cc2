import { describe, expect, it } from 'vitest';
import { explainWord } from '../../../src/app/lifecycle/explain-word.ts';
import { flaggedEngines, flagsOf } from '../../../src/model/flag-table.ts';
import { tablesInForce } from '../../../src/model/reference-tables.ts';
import { PLAIN } from '../../../src/playbook/explain.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { drawMessage } from '../../../src/slack/draw/message.ts';
import { validateMessage } from '../../../src/slack/limits/message-limits.ts';
import { runOom } from '../../fakes/terminal.ts';

const VIEW = { command: 'oom', columns: 96 };
const said = (typed: string): string => {
  const message = explainWord({}, typed, VIEW);
  return message === undefined ? '' : drawTerminal(message, { width: 100, paint: PLAIN, unicode: true });
};

describe('an engine', () => {
  it.each(flaggedEngines())('%s has one aligned line for each flag', (engine) => {
    const rows = said(engine)
      .split('\n')
      .filter((line) => line.startsWith('  ┃ '));

    expect(rows).toHaveLength(flagsOf(engine).length);
    expect(rows.filter((row) => row.length > 100)).toEqual([]);
    const at = rows[0]?.search(/(?<=\S {2,})(?:all|to |from |none|\d)/);
    expect(rows.filter((row) => !/^ {2}(?:all|to |from |none|\d)/.test(row.slice((at ?? 0) - 2)))).toEqual([]);
  });

  it.each(flaggedEngines())('%s fits in a message in Slack', (engine) => {
    const message = explainWord({}, engine, { command: '/oom', columns: 68, most: 25 });

    const drawn = message && drawMessage(message);
    expect(validateMessage(drawn ?? {})).toEqual([]);
    const rows = flagsOf(engine).slice(0, 25);
    expect(rows.filter(({ flag }) => !JSON.stringify(drawn).includes(`${flag}  `))).toEqual([]);
  });

  it('says from which version a behavior holds, and what turns it on', () => {
    expect(said('vllm')).toMatch(/Opt-in from 0\.6\.4, on by default from 0\.8, always from 0\.11: V1 engine/);
    expect(said('vllm').replaceAll(/\s+/g, ' ')).toContain('(VLLM_USE_V1); 0.8 to 0.10 use V0');
    expect(said('trt-llm')).toContain('TensorRT-LLM: ');
    expect(said('cuda')).toMatch(/Always from 2\.10: .*[\s\S]*NCCL_BUFFSIZE/);
  });
});

it.each([
  ['vllm 0.11', /^Unexpected “0\.11” after vllm\.$/, '`oom explain vllm` lists flags and behaviors by version.'],
  ['--max-num-seqs in use', /^Unexpected “in use” after --max-num-seqs\.$/, 'Type `oom explain --max-num-seqs`.'],
])('refuses the words behind the one it explains: %s', (typed, message, next) => {
  expect(() => said(typed)).toThrow(expect.objectContaining({ message: expect.stringMatching(message), next }));
});

describe('a flag', () => {
  it('is found by each of its names, whatever the engine', () => {
    const names = tablesInForce().flags.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]);

    expect(names.filter((name) => !said(name).includes('Source: '))).toEqual([]);
  });

  it('has versions, default and effect for each engine that has it', () => {
    const text = said('--kv-cache-dtype');

    expect(text).toMatch(/^vLLM --kv-cache-dtype: from 0\.2, default auto .*\nBytes per KV element/m);
    expect(text).toMatch(/^SGLang --kv-cache-dtype: from 0\.2\.14, default auto$/m);
    expect(text).toMatch(/^TGI --kv-cache-dtype: from 2\.4\.0/m);
  });

  it.each([
    ['sglang --kv-cache-dtype', /^SGLang/m, /vLLM/],
    ['--kv-cache-dtype=fp8', /^vLLM/m, /fp8=/],
    ['--max-num-seqs 256', /^vLLM/m, /SGLang/],
    ['VLLM_USE_V1', /^Opt-in from 0\.6\.4/m, /Opt-in from 0\.12/],
    ['--swap-space', /: to 0\.17, default 4/, /all versions/],
    ['--enable-piecewise-cuda-graph', /: 0\.5\.3\.post2 to 0\.5\.9/, /all versions/],
    ['--max-num-on-the-fly-batches', /: no version has it$/m, /default/],
    ['--gpu-memory-utilization', /^KAITO/m, /^$/],
  ])('%j is read as it is meant', (typed, has, hasNot) => {
    expect(said(typed)).toMatch(has);
    expect(said(typed)).not.toMatch(hasNot);
  });
});

it.each([
  [['explain', '--max-num-seqs'], 0, /most sequences in one step[\s\S]*^vLLM --max-num-seqs: all versions/im],
  [['explain', '-tp'], 0, /-tp: all versions, default 1/],
  [['explain', 'max_num_batched_tokens'], 0, /default server: 2048/],
  [['explain', 'kv', 'dtype'], 0, /^(?!.*--dtype)• KV cache dtype/s],
  [['explain'], 0, /Engines \(flags by version\): vllm, sglang/],
  [['explain', '--max-num-seq'], 2, /Unknown flag --max-num-seq\.\nDid you mean `oom explain --max-num-seqs`/],
  [['explain', 'sglagn'], 3, /Did you mean `oom explain sglang`/],
  [['explain', 'OLLAMA_NUM_PARALEL'], 3, /Did you mean `oom explain ollama-num-parallel`/],
  [['explain', 'inc_vllm'], 3, /^(?!.*mean)/s],
  [['explain', 'inc_1', '--al'], 2, /Unknown option --al/],
  [['explain', '--help'], 0, /topic\|engine\|flag/],
])('oom explain: %j', async (words, code, says) => {
  const answer = await runOom(words);

  expect(answer.code).toBe(code);
  expect(answer.out + answer.err).toMatch(says);
});
