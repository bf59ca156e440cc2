import { expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/model/events.ts';
import { timelineRows } from '../../../src/report/post-mortem/timeline-rows.ts';
import { exampleDiagnosis } from '../../model/examples.ts';

const AT = Date.UTC(2026, 0, 15, 3, 0, 0);
const base = (minute: number, actor = 'oncall') => ({ at: AT + minute * 60_000, incidentId: 'inc_1', actor });
const finding = (minute: number, over = {}): DomainEvent => ({
  ...{ ...base(minute), kind: 'verdict-given', snapshotId: `snap_${minute}` },
  verdict: { ...exampleDiagnosis.verdict, ...over },
});
const rows = (...events: DomainEvent[]) => timelineRows(events, new Map(), new Map()).map(({ what }) => what);

it('has one row for triages of the same death with the same finding', () => {
  const again: DomainEvent = { ...base(5), kind: 'incident-seen-again', seen: 2 };

  const [opened, failed, ...rest] = rows(finding(1), finding(2), finding(3), again, finding(5));

  expect(opened).toMatch(/^Finding: .* \(same in 3 triages\)$/);
  expect(failed).toBe('Failed again, seen 2 times');
  expect(rest).toEqual([opened?.replace(/ \(same .*/, '')]);
});

it('keeps each change of the finding', () => {
  const other = finding(2, { plane: 'host', phase: 'burst' });

  expect(rows(finding(1), other, finding(3))).toHaveLength(3);
});
