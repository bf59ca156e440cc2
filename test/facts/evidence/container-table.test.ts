import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files } from '../incident.ts';

async function diagnosed(files: Files) {
  const { diagnosis } = await diagnoseFiles(files);
  return { verdict: diagnosis.verdict };
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
});
