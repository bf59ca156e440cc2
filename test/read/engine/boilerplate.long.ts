import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLogName } from '../../../src/model/snapshot.ts';
import { diagnoseFiles, type Files, verdictOfFiles } from '../../facts/incident.ts';
import { filesOfIncident, INCIDENTS, SIGNATURES } from '../../playbooks/shipped.ts';
import { scan } from '../log/scan-text.ts';
import { BOILERPLATE } from './boilerplate-lines.ts';

const LINES = BOILERPLATE.map(([, line]) => line);

describe('boilerplate', () => {
  it.each(BOILERPLATE)('%s decides nothing and hints at nothing', (_, line) => {
    const weights = new Map(SIGNATURES.map(({ id, weight }) => [id, weight]));

    const found = scan(`${line}\n`).hits.filter(({ id }) => weights.get(id) !== 'context');

    expect(found.map(({ id }) => id)).toEqual([]);
  });

  it('alone is no memory failure', async () => {
    const { facts, diagnosis } = await diagnoseFiles({ 'current.log': `${LINES.join('\n')}\n` });

    expect(['none', 'unknown']).toContain(diagnosis.verdict.plane);
    expect(facts.get('evidence.plane')?.kind).toBe('unknown');
    expect(facts.get('log.hint-plane')).toMatchObject({ value: 'nothing' });
  });

  it('changes no verdict, wherever it stands in a log', async () => {
    const incidents = INCIDENTS.map((name) => ({ name, files: filesOfIncident(name) }));
    const plain = new Map<string, string>();
    for (const { name, files } of incidents) plain.set(name, await verdictOf(files));
    const insert = fc.record({ line: fc.constantFrom(...LINES), at: fc.double({ min: 0, max: 1, noNaN: true }) });

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...incidents),
        fc.array(insert, { minLength: 1, maxLength: 6 }),
        async ({ name, files }, all) => {
          const inserts = all.filter(({ line }) => !tellsOf(plain.get(name), line));
          const logs = Object.entries(files).map(([file, text]) => [
            file,
            parseLogName(file) === undefined ? text : withLines(text, inserts),
          ]);

          expect(await verdictOf(Object.fromEntries(logs)), name).toBe(plain.get(name));
        },
      ),
      { seed: 20_260, numRuns: 150 },
    );
  });
});

// Where RAM ran out, space set aside for swapped blocks is a cause like others; where nothing is known, so is sleep.
function tellsOf(verdict: string | undefined, line: string): boolean {
  return (
    (verdict?.startsWith('host') === true && /swap space/.test(line)) ||
    (verdict?.startsWith('unknown') === true && /asleep|wake up/.test(line))
  );
}

async function verdictOf(files: Files): Promise<string> {
  const { plane, phase, cause, certain, finding } = await verdictOfFiles(files);
  return `${plane} ${phase} ${cause} ${certain} ${finding}`;
}

function withLines(text: string, inserts: readonly { line: string; at: number }[]): string {
  const lines = text.split('\n');
  for (const { line, at } of inserts) lines.splice(Math.floor(at * lines.length), 0, line);
  return lines.join('\n');
}
