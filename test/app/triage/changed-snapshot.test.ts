import { describe, expect, it } from 'vitest';
import { changeSource } from '../../../src/app/triage/changed-snapshot.ts';
import { aSnapshot } from '../../playbooks/shipped.ts';

const FILES = { 'previous.log': 'one 1.38 GiB\ntwo\none again\n', 'kernel.txt': 'quiet\n' };

async function logOf(change: Parameters<typeof changeSource>[1]): Promise<string> {
  const source = await changeSource(aSnapshot(FILES, 3), change);
  let text = '';
  for await (const piece of source.open('previous.log')) text += new TextDecoder().decode(piece);
  return text;
}

describe('a snapshot with changed files', () => {
  it.each([
    [
      'a piece, wherever it stands',
      [{ file: 'previous.log', replace: 'one', with: '$&1' }],
      '$&1 1.38 GiB\ntwo\n$&1 again\n',
    ],
    ['lines that hold a piece', [{ file: 'previous.log', drop: 'one' }], 'two\n'],
    [
      'one change after the other',
      [
        { file: 'previous.log', replace: 'two', with: 'one' },
        { file: 'previous.log', drop: 'one' },
      ],
      '',
    ],
  ])('%s', async (_, change, text) => {
    expect(await logOf(change)).toBe(text);
  });

  it('lists no file that is gone', async () => {
    const source = await changeSource(aSnapshot(FILES), [{ file: 'kernel.txt', gone: true }]);

    expect(await source.list()).toEqual(['previous.log']);
    expect(await source.read('previous.log')).toBe(FILES['previous.log']);
  });

  it.each([
    ['a piece that is not there', { file: 'previous.log', drop: 'three' }, 'previous.log does not contain "three"'],
    ['a file that is not there', { file: 'pod.json', gone: true as const }, 'No file pod.json in the incident.'],
  ])('refuses to change %s', async (_, change, said) => {
    await expect(changeSource(aSnapshot(FILES), [change])).rejects.toThrow(said);
  });
});
