import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AlertStore, OfferedAlert } from '../../src/app/alert-ports.ts';
import type { IncidentStore } from '../../src/app/incident-ports.ts';
import type { Store } from '../../src/app/ports.ts';
import type { TakenAlert } from '../../src/model/alert.ts';
import type { TriageRun } from '../../src/model/incident.ts';
import type { Silence } from '../../src/model/silence.ts';
import { type AuditSource, verifyAudit } from '../../src/store/database/audit-chain.ts';
import { START } from '../fakes/clock.ts';
import { exampleTriageRun } from '../model/examples.ts';
import { aFinding } from './store.ts';

type TestedStore = Store & AlertStore & Pick<IncidentStore, 'silence' | 'unsilence' | 'silences'> & AuditSource;

const PLACE = { cluster: 'prod', namespace: 'llm', workload: 'vllm-server' };
const OF = { ...PLACE, conversation: 'C_LLM' };

const anAlert = (key: string, over: Partial<TakenAlert> = {}): TakenAlert => ({
  key,
  name: 'LLMContainerOOMKilled',
  ...OF,
  subject: 'vllm-server-0',
  triageId: 'tri_1',
  firedAt: START - 1,
  seenAt: START,
  resolvedAt: null,
  toldAt: null,
  ...over,
});

const aRun = (over: Partial<TriageRun> = {}): TriageRun => ({
  ...exampleTriageRun,
  ...{ id: 'tri_1', asker: 'oombot/alert', conversation: 'C_LLM', startedAt: START },
  ...over,
});

const offer = (key: string, triageId: string, over: Partial<TakenAlert> = {}): OfferedAlert => {
  const alert = anAlert(key, { triageId, ...over });
  return { alert, run: aRun({ id: triageId, conversation: alert.conversation, startedAt: alert.seenAt }) };
};

/** What every store keeps to about alerts and silences. `make` gives an empty one. */
export function alertStoreContract(name: string, make: () => Promise<TestedStore>): void {
  describe(`alert store: ${name}`, () => {
    let store: TestedStore;

    beforeEach(async () => {
      store = await make();
    });

    afterEach(async () => {
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact' });
      await store.close();
    });

    const take = (...offered: readonly OfferedAlert[]) => store.takeAlerts(offered, 'oombot/alert');
    const resolve = (at: number, ...keys: readonly string[]) =>
      store.resolveAlerts(
        keys.map((key) => ({ key, name: 'LLMContainerOOMKilled' })),
        at,
      );
    const audit = async () => (await store.auditRows(1, 1000)).map(({ action, subject }) => `${action} ${subject}`);
    const running = async () => (await store.unfinishedTriages()).map(({ id }) => id);

    describe('alerts', () => {
      it('of one workload are one triage, and are only seen again after that', async () => {
        const other = { workload: 'other' };
        const first = await take(offer('a', 'tri_1'), offer('b', 'tri_2'), offer('c', 'tri_3', other));

        const again = await take(offer('a', 'tri_4', { seenAt: START + 9 }), offer('d', 'tri_5', other));

        expect([first, again]).toEqual([
          ['started', 'joined', 'started'],
          ['seen', 'joined'],
        ]);
        expect(await running()).toEqual(['tri_1', 'tri_3']);
        expect((await audit()).filter((row) => row.startsWith('alerts-'))).toEqual([
          'alerts-taken tri_1',
          'alerts-taken tri_3',
          'alerts-taken tri_3',
        ]);
      });

      it('of two replicas that get them at once, in another order, start one triage for each workload', async () => {
        const alerts = Array.from({ length: 20 }, (_, i) => ({ key: `key-${i}`, workload: `model-${i % 4}` }));
        const takeIn = async (replica: string, own: readonly { key: string; workload: string }[]) => {
          const answers: string[] = [];
          for (const { key, workload } of own)
            answers.push(...(await take(offer(key, `${replica}-${key}`, { workload }))));
          return answers;
        };

        const answers = await Promise.all([takeIn('one', alerts), takeIn('two', alerts.toReversed())]);

        const counts = Object.groupBy(answers.flat(), (answer) => answer);
        expect([counts.started?.length, counts.joined?.length, counts.seen?.length]).toEqual([4, 16, 20]);
        expect(await running()).toHaveLength(4);
      });

      it('join no triage of another workload, channel, or day, nor a quiet one that they would be lost in', async () => {
        const quiet = offer('q', 'tri_quiet', { workload: 'quiet' });
        await take(offer('a', 'tri_1'), { ...quiet, run: { ...quiet.run, asker: 'oombot/quiet-watch' } });

        const others = [{ cluster: 'test' }, { namespace: 'x' }, { workload: 'x' }, { conversation: 'C_X' }];
        const later = { seenAt: START + 10 * 60_000 + 1 };
        const offers = [...others, { workload: 'quiet' }, later].map((over, i) => offer(`k${i}`, `tri_k${i}`, over));

        expect(await take(...offers)).toEqual(offers.map(() => 'started'));
        expect(await take(offer('z', 'tri_z', { seenAt: START + 10 * 60_000 }))).toEqual(['joined']);
      });

      it('are resolved once, and untold until their thread was told', async () => {
        await take(offer('a', 'tri_1'), offer('b', 'tri_2'));

        expect(await resolve(START + 5, 'b', 'a')).toHaveLength(2);
        expect(await resolve(START + 6, 'a')).toEqual([]);
        expect(await resolve(START + 6)).toEqual([]);
        expect(await store.untoldAlerts()).toEqual([
          { alert: anAlert('a', { resolvedAt: START + 5 }), incidentId: null, triage: 'running' },
          { alert: anAlert('b', { resolvedAt: START + 5 }), incidentId: null, triage: 'running' },
        ]);

        await store.tellAlerts(['a'], START + 7);

        expect((await store.untoldAlerts()).map(({ alert }) => alert.key)).toEqual(['b']);
        expect((await audit()).slice(-2)).toEqual(['alerts-resolved tri_1', 'alerts-told alerts']);
      });

      it('that are resolved before they come start their triage, and are told as resolved once', async () => {
        expect(await resolve(START - 5, 'a', 'a', 'b')).toEqual([]);
        expect(await resolve(START - 4, 'a')).toEqual([]);
        expect(await store.untoldAlerts()).toEqual([]);

        expect(await take(offer('a', 'tri_1'))).toEqual(['started']);
        expect(await take(offer('a', 'tri_2'))).toEqual(['seen']);

        expect(await store.untoldAlerts()).toMatchObject([{ alert: { key: 'a', resolvedAt: START - 5 } }]);
        expect(await running()).toEqual(['tri_1']);
      });

      it('join the last triage where the clock was set back by minutes, and none of an hour ahead', async () => {
        await take(offer('a', 'tri_1'), offer('x', 'tri_2', { workload: 'x', seenAt: START + 5_000 }));

        expect(await take(offer('y', 'tri_3', { workload: 'x' }))).toEqual(['joined']);
        expect(await take(offer('b', 'tri_4', { seenAt: START - 3_600_000 }))).toEqual(['started']);
      });

      it('are those of the incident that their triage found, while it is open', async () => {
        const { incident } = await store.recordFinding(aFinding());
        const key = 'other';
        const { incident: other } = await store.recordFinding(aFinding({ draft: { key } }));
        await take(
          offer('a', 'tri_1'),
          offer('b', 'tri_2', { workload: 'other' }),
          offer('c', 'tri_3', { workload: 'third' }),
        );
        await resolve(START + 5, 'a');
        const end = { state: 'done', outcome: 'told', at: START + 2 } as const;
        await store.endTriage('tri_1', { ...end, incidentId: incident.id });
        await store.endTriage('tri_2', { ...end, incidentId: other.id });

        expect(await store.untoldAlerts()).toMatchObject([{ incidentId: incident.id, triage: 'done' }]);
        expect((await store.incidentAlerts()).toSorted((x, y) => (x.resolvedAt ?? 0) - (y.resolvedAt ?? 0))).toEqual([
          { incidentId: other.id, seenAt: START, resolvedAt: null },
          { incidentId: incident.id, seenAt: START, resolvedAt: START + 5 },
        ]);
      });
    });

    describe('silences', () => {
      const aSilence = (over: Partial<Silence> = {}): Silence => ({
        ...{ id: 'sil_1', ...PLACE, until: START + 100, by: 'U_ONCALL', reason: 'node maintenance', at: START },
        ...over,
      });

      it('are in force until they end, the first to end first', async () => {
        const later = aSilence({ id: 'sil_2', workload: 'other', until: START + 200 });
        await store.silence(later);
        await store.silence(aSilence());

        expect(await store.silences(START + 99)).toEqual([aSilence(), later]);
        expect(await store.silences(START + 100)).toEqual([later]);
        expect(await audit()).toEqual(['silenced sil_2', 'silenced sil_1']);
      });

      it('of one workload replace each other, and can be ended once', async () => {
        const second = aSilence({ id: 'sil_2', at: START + 1, until: START + 50 });
        await store.silence(aSilence());
        await store.silence(second);
        expect(await store.silences(START + 2)).toEqual([second]);
        const end = { by: 'U_APPROVER', at: START + 3 };

        expect(await store.unsilence({ ...PLACE, workload: 'other' }, end)).toBe(false);
        expect(await store.unsilence(PLACE, end)).toBe(true);
        expect(await store.unsilence(PLACE, end)).toBe(false);

        expect(await store.silences(START + 4)).toEqual([]);
        expect((await audit()).at(-1)).toBe('silence-ended sil_2');
      });
    });
  });
}
