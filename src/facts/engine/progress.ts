import { MILESTONES, type Milestone } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import { readDraftModel } from '../evidence/draft-model.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { lastLine } from '../log/tail-lines.ts';
import { lastMilestone, milestonesBefore } from '../when/life.ts';

/** How far the start of the engine came. */
export const ENGINE_PROGRESS = defineFacts(
  {
    'engine.last-milestone': {
      unit: 'choice',
      values: ['none', ...MILESTONES],
      says: 'last startup milestone in the log',
      needs: LOG,
    },
    'engine.became-ready': {
      unit: 'yes-no',
      says: 'the container had become ready',
      saysNot: 'the container had not become ready',
      needs: 'the start of the log, or the readiness times of the pod',
    },
    'engine.draft-model': {
      unit: 'yes-no',
      says: 'it failed while setting up the draft model of speculative decoding, after the main model',
      needs: LOG,
    },
  },
  (evidence) => {
    const last = lastMilestone(evidence);
    const end = lastLine(evidence.log.main);
    return {
      'engine.last-milestone': last ? known(last.milestone, last.from) : end && known('none', end),
      'engine.became-ready': becameReady(evidence),
      'engine.draft-model': readDraftModel(evidence),
    };
  },
);

function becameReady(evidence: Evidence): Fact | undefined {
  const seen = milestonesBefore(evidence);
  const at = (milestone: Milestone) => seen.find((one) => one.milestone === milestone)?.from;
  const ready = at('ready') ?? at('served');
  if (ready !== undefined) return known(true, ready);
  const began = seen.find(({ milestone }) => MILESTONES.indexOf(milestone) < MILESTONES.indexOf('ready'))?.from;
  const failed = evidence.weighing.decisive;
  if (began !== undefined && failed !== undefined) return fact(false, [began, citeHit(failed)]);
  const { readiness } = evidence.kubernetes;
  return readiness.kind === 'known' ? known(readiness.value !== 'before-ready', ...readiness.from) : readiness;
}
