import { describe, expect, it } from 'vitest';
import { COMPILED } from './shipped.ts';

const FINDINGS = COMPILED.kind === 'sound' ? COMPILED.playbook.findings : [];
const OFFERS = FINDINGS.flatMap((finding) => finding.offers.map((offer) => ({ finding, says: textOf(offer.says) })));

function textOf(says: unknown): string {
  return JSON.stringify(says);
}

describe('lasting remedies', () => {
  it('plan restarts for a leak that is proved, and else where watching it shows one', () => {
    const open = OFFERS.filter(({ finding }) => textOf(finding.cause).includes('.chronic.leak') && isOpen(finding));
    const planned = open.filter(({ says }) => /plan restarts/i.test(says));

    expect(planned.length).toBeGreaterThan(8);
    expect(
      planned.filter(({ says }) => !/\bIf (?:it|one of them) goes on rising\b/.test(says)).map(({ says }) => says),
    ).toEqual([]);
  });

  it('give a container 1.3 times its peak, and nothing less', () => {
    const limits = OFFERS.filter(({ says }) => /\blimit\b.{0,40}\b(?:above|times) (?:its|the) peak\b/.test(says));

    expect(limits.length).toBeGreaterThan(4);
    expect(limits.map(({ says }) => says).filter((says) => !says.includes('1.3 times'))).toEqual([]);
  });
});

function isOpen(finding: (typeof FINDINGS)[number]): boolean {
  return finding.causeOpen !== undefined || !finding.mayBeCertain;
}
