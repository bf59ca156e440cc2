import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

type Files = Readonly<Record<string, string>>;

async function diagnosed(files: Files) {
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const grows = facts.get('ram.growth-noted');
  return { verdict: diagnosis.verdict, grows: grows?.kind === 'known' && grows.value };
}

const SERVED = [
  '(APIServer pid=1) INFO:     Application startup complete.',
  '(APIServer pid=1) INFO:     10.0.0.3:41000 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  '',
].join('\n');

const HEADS = [
  ['columns', (heads: readonly string[]) => ` state      ${heads.join('   ')}`],
  ['a frame', (heads: readonly string[]) => `| | ${heads.join(' | ')} |\n|---|---|---|`],
] as const;
const row = (head: string, word: string, cells: readonly string[]) =>
  head.startsWith('|') ? `| ${word} | ${cells.join(' | ')} |` : `${word}   ${cells.join('   ')}`;

describe('a table with a column for each container', () => {
  it.each(
    HEADS.flatMap(([name, headOf]) => [
      [name, headOf(['vllm', 'fluent-bit']), ['Error', 'OOMKilled'], ['1', '137']] as const,
      [`${name}, the helper first`, headOf(['istio-proxy', 'vllm']), ['OOMKilled', 'Error'], ['137', '1']] as const,
    ]),
  )('tells of no kill of the engine where that is in the column of a helper: %s', async (_, head, reasons, codes) => {
    const text = `${head}\n${row(head, 'reason', reasons)}\n${row(head, 'exit code', codes)}\n`;

    for (const file of ['describe.txt', 'metrics.txt']) {
      expect((await diagnosed({ 'previous.log': SERVED, [file]: text })).verdict.certain).toBe(false);
    }
  });

  it.each(HEADS)('tells of one in its own: %s', async (_, headOf) => {
    const head = headOf(['vllm', 'fluent-bit']);
    const text = `${head}\n${row(head, 'reason', ['OOMKilled', 'Error'])}\n`;

    expect((await diagnosed({ 'previous.log': SERVED, 'describe.txt': text })).verdict).toMatchObject({
      plane: 'host',
      certain: true,
    });
  });

  const rising = (at: number, columns: number) =>
    [10, 20, 30, 40].map((size, hour) => [
      `1${hour}:00`,
      ...Array.from({ length: columns }, (_, column) => `${column === at ? size : 5}`),
    ]);
  const table = (heads: readonly string[], at: number) =>
    `container_memory_rss GiB\n${[['time', ...heads], ...rising(at, heads.length)].map((cells) => cells.join('   ')).join('\n')}\n`;

  it.each([
    [['vllm', 'fluent-bit'], 0, true],
    [['vllm', 'fluent-bit'], 1, false],
    [['istio-proxy', 'vllm'], 0, false],
    [['istio-proxy', 'vllm'], 1, true],
  ])('grows where the column of the engine does: %s, %s', async (heads, at, grows) => {
    expect((await diagnosed({ 'previous.log': SERVED, 'metrics.txt': table(heads, at) })).grows).toBe(grows);
  });

  it('keeps a column that names what read the memory', async () => {
    const heads = ['time', 'vllm rss', 'nvidia-smi'];
    const rows = rising(1, 2).map(([time, ram, gpu]) => `${time}   ${ram}GiB   ${gpu}GiB`);
    const files = { 'previous.log': SERVED, 'metrics.txt': `${heads.join('   ')}\n${rows.join('\n')}\n` };

    expect((await diagnosed(files)).verdict.plane).toBe('gpu');
  });
});
