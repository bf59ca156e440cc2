import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { createSystemClock } from '../../../src/system/clock.ts';
import { aSnapshot, COMPILED_SIGNATURES, INCIDENTS, judge, PLAYBOOKS } from '../../playbooks/shipped.ts';
import { anySnapshotHolds, citations, fault } from './any-snapshot.ts';

const deps = { signatures: COMPILED_SIGNATURES, judge };

function filesOf(incident: string): Record<string, string> {
  const folder = join(PLAYBOOKS, 'oom/incidents', incident);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

describe('the diagnosis of a snapshot', () => {
  it.each(INCIDENTS)(
    'cites the snapshot byte for byte, and is the same in chunks of any size: %s',
    async (incident) => {
      const files = filesOf(incident);

      const { facts, diagnosis } = await diagnoseSource(aSnapshot(files, 1 << 20), deps);
      const bits = await diagnoseSource(aSnapshot(files, 37), deps);

      const cited = [...citations(facts), ...diagnosis.verdict.evidence.flatMap(({ from }) => from)];
      expect(cited.length).toBeGreaterThan(0);
      expect(cited.map((citation) => fault(citation, files)).filter((wrong) => wrong !== undefined)).toEqual([]);
      expect(bits.diagnosis).toEqual(diagnosis);
    },
  );

  it('lets others be answered between its readers, not only between files', async () => {
    let turns = 0;
    let ended = false;
    const answer = () => {
      turns += 1;
      if (!ended) setImmediate(answer);
    };
    setImmediate(answer);

    await diagnoseSource(aSnapshot({}), { ...deps, breathe: createSystemClock().breathe });
    ended = true;

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('of an empty folder is plane unknown and names what is missing', async () => {
    const { diagnosis, capture, series } = await diagnoseSource(aSnapshot({}), deps);

    expect(diagnosis.verdict).toMatchObject({
      plane: 'unknown',
      cause: 'unknown',
      certain: false,
      id: 'a-snapshot',
      evidence: [],
    });
    expect(diagnosis.next.join(' ')).toContain('previous log');
    expect([capture, series]).toEqual([undefined, undefined]);
  });

  it('of a folder that cannot be listed is plane unknown too', async () => {
    const source = { ...aSnapshot({}), list: () => Promise.reject(new Error('gone')) };

    const { diagnosis } = await diagnoseSource(source, deps);

    expect(diagnosis.verdict.plane).toBe('unknown');
  });

  it('goes on with the other files where one cannot be read', async () => {
    const files = filesOf('startup-kv-room');
    const source = {
      ...aSnapshot({ ...files, 'metrics.txt': '' }),
      read: (file: string) =>
        file === 'metrics.txt' ? Promise.reject(new Error('gone')) : Promise.resolve(files[file] ?? ''),
    };

    const { diagnosis } = await diagnoseSource(source, deps);

    expect(diagnosis.verdict.finding).toBe('gpu-startup-kv-refused');
  });

  it('hands the capture and the series on to the report', async () => {
    const { series } = await diagnoseSource(aSnapshot(filesOf('oomkilled-chronic')), deps);

    expect(series?.series.map(({ id }) => id)).toContain('container.memory.working-set');
  });

  it('never reads labels or notes that stand beside an incident', async () => {
    const bare = { 'incident.json': '{"uptime":"startup"}' };
    const labelled = {
      'incident.json': '{"uptime":"startup","label":{"plane":"gpu"},"title":"CUDA OOM","notes":"OOMKilled"}',
    };

    const [a, b] = await Promise.all([bare, labelled].map((files) => diagnoseSource(aSnapshot(files), deps)));

    expect(b?.diagnosis.verdict).toEqual(a?.diagnosis.verdict);
  });
});

it('any snapshot at all ends in a valid verdict, the same one twice, and cites what is there', () =>
  anySnapshotHolds(60));
