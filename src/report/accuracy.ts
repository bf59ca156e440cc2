import type { Feedback, FindingName } from '../model/feedback.ts';
import { formatValue } from '../model/format-value.ts';
import { bold, code, type Message } from '../model/message.ts';
import { nameOfCause } from './incident-state.ts';
import { clip, counted, list, note, say, type Words } from './words/sentence.ts';

// With fewer answers a percentage means little.
const FEW = 10;
const MOST = 14;
const MOST_CAUSES = 3;

/** How often each finding was right, by feedback. */
export function accuracyMessage(
  judged: readonly Feedback[],
  findings: readonly FindingName[],
  commandName: string,
): Message {
  if (judged.length === 0) {
    return say('info', 'No feedback yet.', [
      note('Give feedback in the menu of a finding, or type ', code(`${commandName} feedback <incident> yes`)),
    ]);
  }
  const right = judged.filter((one) => one.right).length;
  const groups = [...Map.groupBy(judged, ({ finding }) => finding)].toSorted(
    ([a, as], [b, bs]) => bs.length - as.length || (a < b ? -1 : 1),
  );
  const left = groups.length - MOST;
  return say(
    'info',
    `${right} of ${counted(judged.length, 'judged finding')} right (${formatValue('share', right / judged.length)}).`,
    [
      ...list('By finding', [
        ...groups.slice(0, MOST).map(([finding, of]) => line(finding, of, findings)),
        ...(left > 0 ? [[`${left} more with less feedback`]] : []),
      ]),
      note(`Based on ${counted(judged.length, 'answer')}. ${fewWords(groups)}`.trim()),
    ],
  );
}

function fewWords(groups: readonly (readonly [string, readonly Feedback[]])[]): string {
  const few = groups.filter(([, of]) => of.length < FEW).length;
  if (few === 0) return '';
  const which = few === groups.length ? 'Every finding' : `${counted(few, 'finding')} of ${groups.length}`;
  return `${which} ${few === 1 || few === groups.length ? 'has' : 'have'} fewer than ${FEW}: too few for a reliable percentage.`;
}

function line(finding: string, of: readonly Feedback[], findings: readonly FindingName[]): Words {
  const right = of.filter((one) => one.right).length;
  const wrong = of.filter((one) => !one.right);
  const causes = [...Map.groupBy(wrong, ({ actual }) => nameOfCause(actual, findings))].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const named = causes.slice(0, MOST_CAUSES).map(([name, all]) => `${clip(name, 80)} (${all.length})`);
  const more = causes.length > MOST_CAUSES ? ', …' : '';
  return [
    bold(clip(nameOfCause(finding, findings), 150)),
    `: ${right} of ${of.length} right (${formatValue('share', right / of.length)})`,
    wrong.length === 0 ? '' : `; ${wrong.length} wrong, actual cause: ${named.join(', ')}${more}`,
  ];
}
