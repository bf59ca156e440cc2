import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/read/engine/arguments.ts';
import { hitsOf, scan } from '../log/scan-text.ts';

// As the launcher of 3.3.4 prints them, some left out.
const HEAD = '2025-07-04T12:35:02.586768Z  INFO text_generation_launcher: Args {';
const FIELDS = `    model_id: "acme/m",
    revision: None,
    validation_workers: 2,
    num_shard: Some(
        2,
    ),
    quantize: None,
    max_concurrent_requests: 128,
    max_input_tokens: Some(
        8192,
    ),
    max_total_tokens: Some(
        16384,
    ),
    waiting_served_ratio: 0.3,
    max_batch_prefill_tokens: None,
    cuda_memory_fraction: 0.9,
    cors_allow_origin: [],
    lora_adapters: None,
    usage_stats: On,
}`.split('\n');
const BEHIND = '2025-07-04T12:35:04.335583Z  INFO text_generation_launcher: Sharding model on 2 processes';

const argumentsIn = (log: string) => readArguments({ log: scan(log) });
const valuesIn = (log: string) =>
  Object.fromEntries(argumentsIn(log).map(({ flag, value }) => [flag.replace('--', ''), value]));

const WHOLE = {
  'model-id': 'acme/m',
  'validation-workers': '2',
  'num-shard': '2',
  'max-concurrent-requests': '128',
  'max-input-tokens': '8192',
  'max-total-tokens': '16384',
  'waiting-served-ratio': '0.3',
  'cuda-memory-fraction': '0.9',
  'usage-stats': 'On',
};

describe('the arguments of TGI, a line each', () => {
  it.each<[string, (line: string) => string]>([
    ['as they are printed', (line) => line],
    ['with times of kubectl', (line) => `2025-07-04T12:35:02.600000001Z ${line}`],
    ['in a file of containerd', (line) => `2025-07-04T12:35:02.600000001Z stdout F ${line}`],
    [
      'in a file of Docker',
      (line) => `{"log":${JSON.stringify(`${line}\n`)},"stream":"stdout","time":"2025-07-04T12:35:02.6Z"}`,
    ],
    ['with the pod before each', (line) => `[pod/tgi-0/engine] ${line}`],
    ['with a pod of a Deployment', (line) => `tgi-7f5c9d8b6-x2x9q engine ${line}`],
    ['from compose', (line) => `tgi-1  | ${line}`],
    ['in colours', (line) => line.replace(' INFO', '\u001b[32m INFO\u001b[0m').replace('Args', '\u001b[0mArgs')],
    ['with feeds of Windows', (line) => `${line}\r`],
  ])('%s', (_, written) => {
    expect(valuesIn(`${[HEAD, ...FIELDS, BEHIND].map(written).join('\n')}\n`)).toEqual(WHOLE);
  });

  it('are cited in the lines in which they stand', () => {
    const log = `the entrypoint\n${[HEAD, ...FIELDS].join('\n')}\n`;

    const cited = (name: string) => argumentsIn(log).find(({ flag }) => flag === name)?.from;

    expect(cited('--model-id')).toMatchObject({ line: 3, text: 'model_id: "acme/m",' });
    expect(cited('--num-shard')).toMatchObject({ line: 6, text: 'num_shard: Some(', more: ['2,', '),'] });
    for (const { from } of argumentsIn(log)) {
      if (from.kind !== 'line') throw new Error('no line');
      expect(log.split('\n')[from.line - 1]).toContain(from.text);
    }
  });

  it('of a record that another line cuts are the whole fields before it', () => {
    const cut = (at: number) => valuesIn(`${[HEAD, ...FIELDS.slice(0, at), BEHIND].join('\n')}\n`);

    const upToShards = { 'model-id': 'acme/m', 'validation-workers': '2' };
    expect(cut(3)).toEqual(upToShards);
    expect(cut(4)).toEqual(upToShards);
    expect(cut(5)).toEqual(upToShards);
    expect(cut(6)).toEqual({ ...upToShards, 'num-shard': '2' });
    expect(cut(0)).toEqual({});
  });

  it('are those of the last start', () => {
    const later = FIELDS.map((line) => line.replace('16384', '4096'));

    expect(valuesIn(`${[HEAD, ...FIELDS, BEHIND, HEAD, ...later, BEHIND].join('\n')}\n`)['max-total-tokens']).toBe(
      '4096',
    );
  });

  it('are read at the begin of a log that is longer than its ends', () => {
    const requests = `${'2025-07-04T13:00:00.000000Z  INFO text_generation_router: a request was answered\n'.repeat(12_000)}`;

    expect(valuesIn(`${[HEAD, ...FIELDS, BEHIND].join('\n')}\n${requests}`)).toEqual(WHOLE);
  });

  it('hold no failure, whatever stands in them', () => {
    const named = FIELDS.map((line) => line.replace('"acme/m"', '"CUDA out of memory. Tried to allocate 2.00 GiB"'));

    const reading = scan(`${[HEAD, ...named, BEHIND].join('\n')}\n`);

    expect(hitsOf(reading, 'tgi.cfg.args')).toHaveLength(1);
    expect(hitsOf(reading, 'tgi.cfg.args')[0]?.text).toBe(HEAD);
  });
});
