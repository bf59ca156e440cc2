import { describe, expect, it } from 'vitest';
import { readShift, type ShiftDeps } from '../../../src/app/handover/shift-handover.ts';
import {
  lastSlot,
  postDueShifts,
  type ScheduleDeps,
  type ShiftSchedule,
} from '../../../src/app/handover/shift-schedule.ts';
import { askSilence, type SilenceDeps } from '../../../src/app/handover/silence-command.ts';
import type { PodState } from '../../../src/app/incident-ports.ts';
import { createOutbox } from '../../../src/app/outbox.ts';
import { createReadBudget } from '../../../src/app/read-budget.ts';
import { readStatus } from '../../../src/app/status.ts';
import type { Actor, Rights } from '../../../src/model/authorise.ts';
import { severityOf } from '../../../src/model/severity.ts';
import { WEEKDAYS } from '../../../src/model/weekday.ts';
import { shiftMessage } from '../../../src/report/shift.ts';
import { statusMessage } from '../../../src/report/status.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { drawMessage } from '../../../src/slack/draw/message.ts';
import { validateMessage } from '../../../src/slack/limits/message-limits.ts';
import { aFinding } from '../../contracts/store.ts';
import { createFakeChat } from '../../fakes/chat.ts';
import { createFakeClock, START } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import { AS_TEXT } from '../../report/inputs.ts';
import { turns } from '../triage/triage-harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROOM = 'C_LLM';
const RIGHTS: Rights = {
  ...{ channels: { [ROOM]: { clusters: ['prod'], namespaces: ['llm', 'rag'] } }, defaultChannel: null, act: [] },
};
const ACTOR: Actor = { place: 'slack', user: 'U_ONCALL', groups: [], channel: ROOM, externallyShared: false };

const aPod = (ready: boolean, restartedAt?: number): PodState => ({
  ...{ name: 'p', ready, createdAt: START - 24 * HOUR, restartedAt, restarts: restartedAt === undefined ? 0 : 4 },
});

type Workload = { readonly name: string; readonly namespace?: string; readonly pods?: readonly PodState[] };

/** Open incidents of these workloads, whose pods are read as given; unknown where they are not. */
async function withIncidents(workloads: readonly Workload[]) {
  const clock = createFakeClock();
  const ids = createFakeIds();
  const store = createMemoryStore({ clock, ids });
  const opened = [];
  for (const { name, namespace = 'llm' } of workloads) {
    const draft = { key: `${namespace}/${name}`, workload: `Deployment/${name}`, cluster: 'prod', namespace };
    opened.push((await store.recordFinding(aFinding({ draft, at: clock.now() }))).incident);
  }
  const reads: string[] = [];
  const deps: ShiftDeps = {
    ...{ store, acts: store, ledger: store, budget: () => createReadBudget(), version: '0', rights: RIGHTS },
    pods: new Map([
      [
        'prod',
        {
          async read({ workload }) {
            reads.push(workload);
            const pods = workloads.find(({ name }) => workload === `Deployment/${name}`)?.pods;
            return pods === undefined
              ? { kind: 'unknown', why: 'the API server cannot be reached' }
              : { kind: 'read', pods };
          },
        },
      ],
    ]),
  };
  const silence: SilenceDeps = {
    ...{ store, acts: store, ids, rights: RIGHTS, clusters: ['prod'], commandName: '/oom', redact: (text) => text },
  };
  const show = async () => drawTerminal(shiftMessage(await readShift(deps, ACTOR), '/oom'), { ...AS_TEXT, width: 200 });
  return { clock, ids, store, deps, opened, reads, silence, show };
}

it.each([
  ['critical', [aPod(false), aPod(false)]],
  ['critical', []],
  ['high', [aPod(true), aPod(false)]],
  ['high', [aPod(true), aPod(false, START - MINUTE), aPod(false, START - MINUTE)]],
  ['medium', [aPod(true), aPod(true), aPod(false, START - MINUTE)]],
  ['medium', [aPod(true, START - MINUTE)]],
  ['low', [aPod(true, START - 2 * HOUR), aPod(true)]],
] as const)('severity is %s', (severity, pods) => {
  expect(severityOf(pods, START)).toBe(severity);
});

describe('a shift handover', () => {
  it('lists the most severe first, whatever was seen last, and what could not be read with them', async () => {
    const { show } = await withIncidents([
      { name: 'covered', pods: [aPod(true), aPod(true), aPod(false, START)] },
      { name: 'down', pods: [aPod(false)] },
      { name: 'well', pods: [aPod(true)] },
      { name: 'hidden' },
    ]);

    const text = await show();

    expect(text).toMatch(/^▲|^✖/);
    expect(text).toContain('Shift handover: 4 open (1 critical), no temporary changes');
    expect([...text.matchAll(/(?:critical, 0 of 1|unknown \(the API|medium, 2 of 3|low, 1 of 1)/g)]).toHaveLength(4);
    expect(text.indexOf('llm/down')).toBeLessThan(text.indexOf('llm/covered'));
    expect(text.indexOf('llm/hidden')).toBeLessThan(text.indexOf('llm/covered'));
    expect(text.indexOf('llm/covered')).toBeLessThan(text.indexOf('llm/well'));
  });

  it('with 60 incidents reads 20 workloads, shows 8, counts the rest, and stays within Slack’s limits', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ name: `w${i}`, pods: [aPod(false)] }));
    const { deps, reads } = await withIncidents(many);

    const shift = await readShift(deps, ACTOR);

    expect(reads).toHaveLength(20);
    expect(shift.moreOpen).toBe(40);
    const message = shiftMessage(shift, '/oom');
    expect(validateMessage(drawMessage(message))).toEqual([]);
    expect(drawTerminal(message, AS_TEXT)).toMatch(/12 more[\s\S]*40 more in \/oom status/);
  });

  it('shows nothing of namespaces that the channel may not read', async () => {
    const { show } = await withIncidents([{ name: 'secret', namespace: 'payments', pods: [aPod(false)] }]);

    expect(await show()).toContain('Nothing is open and no temporary change is applied.');
  });

  it('says what came back, and how often', async () => {
    const { show, store, clock } = await withIncidents([{ name: 'again', pods: [aPod(true)] }]);
    for (const death of ['d2', 'd3']) {
      clock.pass(HOUR);
      const draft = { key: 'llm/again', workload: 'Deployment/again', cluster: 'prod', namespace: 'llm', death };
      await store.recordFinding(aFinding({ draft, at: clock.now() }));
    }

    expect(await show()).toMatch(/Again \(1\)\n.*again: .*, 3rd time in 14 days/);
  });
});

describe('a silenced workload', () => {
  it('is left out of the open ones and listed with who and why until it ends', async () => {
    const { show, silence, clock } = await withIncidents([
      { name: 'loud', pods: [aPod(false)] },
      { name: 'chat', pods: [aPod(true)] },
    ]);

    await askSilence(silence, ACTOR, 'llm/loud 4h load test');

    const text = await show();
    expect(text).toContain('Shift handover: 1 open, no');
    expect(text).toMatch(/Silenced \(1\)\n.*llm\/loud \(prod\) until .*: load test, by U_ONCALL/);
    clock.pass(4 * HOUR + 1);
    expect(await show()).toContain('2 open (1 critical)');
  });

  it.each([
    ['chat', 'for how long?'],
    ['chat 4', '4 is not a time'],
    ['chat 4h', 'a reason is needed'],
    ['chat 99d because', '99d is not a time'],
    ['chta 4h because', 'No incident of workload chta here'],
    ['payments/api 4h because', 'may not silence prod/payments'],
  ])('is refused in words: %s', async (text, says) => {
    const { silence, store } = await withIncidents([{ name: 'chat', pods: [aPod(true)] }]);

    await expect(askSilence(silence, ACTOR, text)).rejects.toThrow(says);
    expect(await store.silences(START)).toEqual([]);
  });

  it('can be one that never had an incident, is replaced by a new silence, and ended', async () => {
    const { silence, store } = await withIncidents([{ name: 'chat', pods: [aPod(true)] }]);
    await askSilence(silence, ACTOR, 'llm/new 4h canary');
    await askSilence(silence, ACTOR, 'prod/llm/new 1d canary again');

    const [only, ...others] = await store.silences(START);
    expect(only).toMatchObject({ workload: 'new', namespace: 'llm', until: START + 24 * HOUR, by: 'U_ONCALL' });
    expect(others).toEqual([]);
    expect(drawTerminal(await askSilence(silence, ACTOR, ''), AS_TEXT)).toContain('llm/new (prod) until');
    expect((await askSilence(silence, ACTOR, 'llm/new off')).summary).toBe('No longer silenced: llm/new.');
    expect((await askSilence(silence, ACTOR, 'llm/new off')).summary).toBe('llm/new was not silenced.');
    expect(await store.silences(START)).toEqual([]);
  });

  it('cannot be made from a channel that is shared with another organization', async () => {
    const { silence } = await withIncidents([{ name: 'chat', pods: [aPod(true)] }]);

    await expect(askSilence(silence, { ...ACTOR, externallyShared: true }, 'llm/chat 4h x')).rejects.toThrow('may not');
  });
});

const SCHEDULE: ShiftSchedule = {
  ...{ channel: ROOM, at: ['08:00', '20:00'], timeZone: 'Europe/Berlin', days: [...WEEKDAYS], skipIfQuiet: false },
};
const at = (time: string) => Date.parse(time);

describe('the hours of a schedule', () => {
  it.each([
    ['2026-01-15T07:00:00Z', '2026-01-15T07:00:00Z', 'winter: 08:00 is 07:00 UTC'],
    ['2026-07-15T06:30:00Z', '2026-07-15T06:00:00Z', 'summer: 08:00 is 06:00 UTC'],
    ['2026-01-15T06:59:59Z', '2026-01-14T19:00:00Z', 'before the first of a day: the last of the day before'],
    ['2026-03-29T06:00:00Z', '2026-03-29T06:00:00Z', 'the day on which the clocks go forward'],
  ])('at %s the last was %s (%s)', (now, slot) => {
    expect(lastSlot(SCHEDULE, at(now))).toBe(at(slot));
  });

  it('leave out days that are not theirs', () => {
    // A Sunday; the last slot was on Friday evening.
    expect(lastSlot({ ...SCHEDULE, days: ['mon', 'fri'] }, at('2026-01-18T12:00:00Z'))).toBe(
      at('2026-01-16T19:00:00Z'),
    );
  });

  it('that summer time leaves out come an hour later, and that come twice come once', () => {
    const night: ShiftSchedule = { ...SCHEDULE, at: ['02:30'] };

    expect(lastSlot(night, at('2026-03-29T02:00:00Z'))).toBe(at('2026-03-29T01:30:00Z'));
    const first = lastSlot(night, at('2026-10-25T00:31:00Z'));
    expect(lastSlot(night, at('2026-10-25T02:00:00Z'))).toBe(first);
  });
});

describe('scheduled shift handovers', () => {
  async function scheduled(over: Partial<ShiftSchedule> = {}, workloads: readonly Workload[] = []) {
    const made = await withIncidents(workloads);
    const { store, clock, ids, deps } = made;
    const [chat, log] = [createFakeChat(), createFakeLog()];
    const replica = () => {
      const outbox = createOutbox({ store, chat, clock, ids, log });
      const schedules = [{ ...SCHEDULE, timeZone: 'UTC', ...over }];
      const own: ScheduleDeps = {
        ...{ ...deps, schedules, outbox, isShared: async () => false, commandName: '/oom', log },
      };
      const settled = new Set<string>();
      return async (later: Partial<ScheduleDeps> = {}) => {
        await postDueShifts({ ...own, ...later }, settled);
        await turns();
      };
    };
    const until = (time: string) => clock.pass(at(time) - clock.now());
    return { ...made, chat, log, replica, until };
  }

  it('are posted once at their minute by one of two replicas, also after restarts and a clock set back', async () => {
    const { replica, until, chat, clock } = await scheduled();
    const [one, two] = [replica(), replica()];
    until('2026-01-15T07:59:50Z');
    await one();
    expect(chat.posts).toEqual([]);

    until('2026-01-15T08:00:10Z');
    await Promise.all([one(), two()]);
    clock.pass(5 * MINUTE);
    await replica()();
    clock.pass(-6 * MINUTE);
    await replica()();
    await one();

    expect(chat.posts.map(({ message }) => message.summary)).toEqual([
      'Shift handover: nothing open, no temporary changes',
    ]);
    expect(chat.posts[0]?.ref.conversation).toBe(ROOM);
  });

  it('that were missed come late within an hour, and not later', async () => {
    const { replica, until, chat } = await scheduled();
    until('2026-01-15T09:01:00Z');
    await replica()();
    expect(chat.posts).toEqual([]);

    until('2026-01-15T20:50:00Z');
    await replica()();
    expect(chat.posts).toHaveLength(1);
  });

  it('are left out where there is nothing to tell, if so wanted, and not where there is', async () => {
    const quiet = await scheduled({ skipIfQuiet: true });
    quiet.until('2026-01-15T08:00:10Z');
    await quiet.replica()();
    expect(quiet.chat.posts).toEqual([]);

    const busy = await scheduled({ skipIfQuiet: true }, [{ name: 'down', pods: [aPod(false)] }]);
    busy.until('2026-01-15T08:00:10Z');
    await busy.replica()();
    expect(busy.chat.posts).toHaveLength(1);
  });

  it('that Slack refuses for good are in the status until one is posted, and not where others read it', async () => {
    const { replica, until, chat, store } = await scheduled({ at: ['08:00', '09:00'] });
    const shown = async (actor: Actor = ACTOR) => {
      const status = statusMessage(await readStatus({ store, acts: store, rights: RIGHTS }, actor), 0, '/oom');
      return drawTerminal(status, AS_TEXT).replace(/\s+/g, ' ');
    };
    chat.refuse(ROOM, 'is_archived');
    until('2026-01-15T08:00:10Z');
    await replica()();

    expect(await shown()).toMatch(/Refused by Slack.*shift handover, not posted in C_LLM/);
    expect(await shown({ ...ACTOR, externallyShared: true } as Actor)).not.toContain('Refused');

    chat.refuse(ROOM, '');
    until('2026-01-15T09:00:10Z');
    await replica()();
    expect(await shown()).not.toContain('Refused');
  });

  it('are not posted in a channel that is shared with another organization, and the log says so', async () => {
    const { replica, until, chat, log } = await scheduled();
    until('2026-01-15T08:00:10Z');

    await replica()({ isShared: async () => true });

    expect(chat.posts).toEqual([]);
    expect(JSON.stringify(log)).toContain('shared with another organization');
  });
});
