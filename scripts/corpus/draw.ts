import { Plane } from '../../src/model/taxonomy.ts';
import type { Scored } from './score.ts';

const COLUMNS = ['plane', 'phase', 'cause', 'accepted', 'certain', 'harmful'] as const;

/** The figures of each group, and for the first one which plane, phase and cause was taken for which. */
export function drawTable(groups: readonly (readonly [string, readonly Scored[]])[]): string {
  const head = ['', 'n', ...COLUMNS].map((word, i) => pad(word, i)).join('');
  const rows = groups.map(([name, scored]) =>
    [name, String(scored.length), ...COLUMNS.map((column) => figure(scored, column))].map(pad).join(''),
  );
  const all = groups[0]?.[1] ?? [];
  return [head, ...rows, '', ...confusion(all), '', ...confused(all, 'phase'), '', ...confused(all, 'cause')].join(
    '\n',
  );
}

function pad(word: string, column: number): string {
  return column === 0 ? word.padEnd(26) : word.padStart(column === 1 ? 5 : 10);
}

// Harmful ones are counted: a share would hide that one is too many.
function figure(scored: readonly Scored[], column: (typeof COLUMNS)[number]): string {
  const hits = scored.filter((one) => one[column]).length;
  if (column === 'harmful') return String(hits);
  return scored.length === 0 ? '-' : `${((100 * hits) / scored.length).toFixed(1)} %`;
}

function confusion(scored: readonly Scored[]): readonly string[] {
  const planes = Plane.options;
  const count = (label: Plane, said: Plane) =>
    scored.filter((one) => one.truth.label.plane === label && one.diagnosis.verdict.plane === said).length;
  const rows = planes.map((label) =>
    [label, ...planes.map((said) => String(count(label, said)))]
      .map((word, i) => word.padStart(i === 0 ? 10 : 9))
      .join(''),
  );
  return [
    'plane by label (rows), as diagnosed (columns)',
    ['', ...planes].map((w, i) => w.padStart(i === 0 ? 10 : 9)).join(''),
    ...rows,
  ];
}

// A square of 33 causes would be nearly empty: of each label what it was taken for, the most frequent first.
function confused(scored: readonly Scored[], part: 'phase' | 'cause'): readonly string[] {
  const wrong = scored.filter((one) => !one[part]);
  const byLabel = Map.groupBy(wrong, ({ truth }) => truth.label[part]);
  const rows = [...byLabel].toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  return [
    `${part} by label, taken for: ${scored.length - wrong.length} right, ${wrong.length} confused`,
    ...rows.map(([label, all]) => `${String(all.length).padStart(6)}  ${label.padEnd(28)}${takenFor(all, part)}`),
  ];
}

function takenFor(wrong: readonly Scored[], part: 'phase' | 'cause'): string {
  const bySaid = Map.groupBy(wrong, ({ diagnosis }) => diagnosis.verdict[part]);
  return [...bySaid]
    .toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .map(([said, all]) => `${said} ${all.length}`)
    .join(', ');
}

/** One miss: what was said, what the label says, and the way through the tree. */
export function drawMiss(
  { id, truth, diagnosis, facts, accepted, harmful }: Scored,
  options: { facts: boolean },
): string {
  const { verdict, path } = diagnosis;
  const said = `${verdict.plane} ${verdict.phase} ${verdict.cause}${verdict.causeCertain ? ' (certain)' : verdict.certain ? ' (certain, cause open)' : ''}`;
  const label = `${truth.label.plane} ${truth.label.phase} ${truth.label.cause}`;
  const second = `${truth.second.plane} ${truth.second.phase} ${truth.second.cause}`;
  const way = path
    .filter(({ answer }) => answer === 'yes' || answer === 'otherwise')
    .map(({ question, branch }) => `${question}/${branch}`);
  const lines = [
    `${harmful ? 'HARMFUL ' : ''}${id} ${accepted ? '' : '(cause not accepted)'}`,
    `  said   ${said}  [${verdict.finding}]`,
    `  label  ${label}; second ${second}`,
    `  way    ${way.join(' > ')}`,
  ];
  if (!options.facts) return lines.join('\n');
  const known = [...facts].flatMap(([fact, value]) => (value.kind === 'known' ? [`  ${fact}: ${value.value}`] : []));
  return [...lines, ...known].join('\n');
}
