import { afterEach, describe, expect, it } from 'vitest';
import { defaultOf } from '../../src/model/default-table.ts';
import { flagOf } from '../../src/model/flag-table.ts';
import { seriesNames } from '../../src/model/metric-table.ts';
import { takeTables } from '../../src/wire/reference-tables.ts';
import { TABLE_FILES } from '../table-files.ts';

afterEach(() => {
  takeTables(TABLE_FILES);
});

const shipped = (path: string) => TABLE_FILES.find((file) => file.path === path)?.text ?? '';
const own = (path: string, text: string) => [...TABLE_FILES, { root: '/team', path, text }];

/** What is wrong where a team changes a shipped file. */
function told(path: string, from: string, to: string): string[] {
  const before = shipped(path);
  expect(before).toContain(from);
  const read = takeTables(own(path, before.replace(from, to)));
  return read.kind === 'refused' ? read.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`) : [];
}

describe('the tables of a team', () => {
  it('replace the shipped file with the same path, and no other', () => {
    const path = 'engines/sglang/metrics.yaml';
    const read = takeTables(own(path, shipped(path).replace('sglang:num_queue_reqs', 'sglang:waiting_reqs')));

    expect(read.kind).toBe('sound');
    expect(seriesNames('requests.waiting', 'sglang')).toEqual(['sglang:waiting_reqs', 'sglang_waiting_reqs']);
    expect(seriesNames('requests.waiting', 'tgi')).toEqual(['tgi_queue_size']);
  });

  it('add a file of flags to an engine', () => {
    const row = '- { flag: --new-flag, since: "0.30", default: none, plane: gpu, effect: none, source: the team }';
    takeTables(own('engines/vllm/flags-team.yaml', `flags:\n  ${row}\n`));

    expect(flagOf('vllm', '0.30.1', '--new-flag').kind).toBe('exists');
    expect(flagOf('vllm', '0.30.1', '--max-model-len').kind).toBe('exists');
  });

  it('change nothing where they are wrong, and are the same object where nothing changed', () => {
    const first = takeTables(TABLE_FILES);
    const wrong = takeTables(own('engines/vllm/flags.yaml', 'defaults: none\n'));
    const again = takeTables(TABLE_FILES);

    expect(wrong.kind).toBe('refused');
    expect(defaultOf('vllm', '--block-size', { version: '0.9.2' })?.value).toBe('16');
    expect(first.kind === 'sound' && again.kind === 'sound' && first.tables === again.tables).toBe(true);
  });
});

const METRICS = 'engines/vllm/metrics.yaml';
const FLAGS = 'engines/vllm/flags.yaml';
const TGI = 'engines/tgi/flags.yaml';
const KNOBS = 'engines/vllm/knobs.yaml';
const CARDS = 'hardware/gpus.yaml';
const WORDS = 'platform/guess/memory.yaml';
const NOT_MATCHED = /memory\.yaml:\d+: this line matches none/;
const SLICES = 'hardware/mig-profiles.yaml';
const MISSPELT = /metrics\.yaml:9: no key `form` here, did you mean `from`\?/;
const NO_METRIC = /preemtions is not allowed here, did you mean preemptions\?/;
const NO_FEATURE = /knobs\.yaml:\d+: no file has a feature vllm\.graph-in-fraction/;
it.each<[what: string, path: string, from: string, to: string, RegExp]>([
  ['a misspelt key', METRICS, 'from: "0.2.3"', 'form: "0.2.3"', MISSPELT],
  ['a version without quotes', METRICS, 'from: "0.2.3"', 'from: 0.2', /`from` must be text, not 0\.2/],
  ['a metric that does not exist', METRICS, 'id: preemptions', 'id: preemtions', NO_METRIC],
  ['a cause that does not exist', TGI, 'startup.profiling', 'startup.profling', /mean gpu\.startup\.profiling\?/],
  ['a flag twice', TGI, 'flag: --max-waiting-tokens', 'flag: --max-batch-size', /tgi has --max-batch-size twice/],
  [
    'a default outside of its flag',
    FLAGS,
    '"4", to: "0.17"',
    '"4", to: "0.18"',
    /yaml:\d+: vllm has no --swap-space in 0\.18/,
  ],
  ['a default that the flag does not tell', FLAGS, 'value: "0.92"', 'value: "0.91"', /does not tell 0\.91/],
  ['spans out of order', KNOBS, 'from: "0.11", is: always', 'from: "0.7", is: always', /each span begins later/],
  ['a feature that no file has', KNOBS, 'graphs-inside: vllm.graphs', 'graphs-inside: vllm.graph', NO_FEATURE],
  ['memory far from the nominal', CARDS, 'smi-mib: [7680]', 'smi-mib: [76800]', /gpus\.yaml:\d+: Tesla P4: its memory/],
  ['a slice of no card', SLICES, 'parents: [A30]', 'parents: [A31]', /no card A31 in gpus\.yaml/],
  ['a line that no pattern matches', WORDS, "['signal 7'", "['signal 8'", NOT_MATCHED],
  ['a line that must not match', WORDS, "mustNot: ['larger than", "mustNot: ['maxBufferLength than", /`mustNot` says/],
  [
    'a cause without words',
    'oom/words.yaml',
    '  host.shm: shared memory (/dev/shm) is full\n',
    '',
    /words\.yaml:4: `host\.shm` is missing/,
  ],
  ['causes of two planes', WORDS, '[host.offload]', '[host.offload, gpu.burst.logits]', /are of one plane/],
])('a wrong table is told with file and line: %s', (_, path, from, to, message) => {
  expect(told(path, from, to)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
});

it('a lookup throws where nothing has put tables in force', async () => {
  const fresh = (await import(`${'../../src/model/reference-tables.ts'}?fresh`)) as { tablesInForce(): unknown };

  expect(() => fresh.tablesInForce()).toThrow('useTables()');
});
