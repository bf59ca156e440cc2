import type { Budget, BudgetOutcome, BudgetRow, Proposal, Reckoned } from '../model/budget.ts';
import { type Block, code, type Mark, type Message } from '../model/message.ts';
import { formatBytes } from '../model/quantity.ts';
import { kvBlocks, safeBlocks } from './budget-cache.ts';
import { profileBlocks } from './budget-profiles.ts';
import { amount, bytesText, columns, count, gib, known, missingOf, parts, perRequest } from './words/budget-words.ts';
import { clip, list, note, paragraph, quote, say } from './words/sentence.ts';

/** The memory of one GPU on one screen: fixed use, KV cache, capacity, and the effect of a change. */
export function budgetMessage(budget: Budget): Message {
  const { mark, text } = headline(budget);
  const message = say(mark, text, [
    ...rowBlocks(budget),
    ...kvBlocks(budget),
    ...safeBlocks(budget),
    ...loadBlocks(budget),
    ...lengthBlocks(budget),
    ...profileBlocks(budget),
    ...(budget.proposal === undefined ? [] : proposalBlocks(budget.proposal)),
    ...list(
      'Notes',
      budget.problems.map((problem) => [clip(problem, 300)]),
    ),
    ...missingBlocks(budget),
    note(sourceNote(budget)),
  ]);
  return { ...message, dense: true };
}

/** Shown if there is no engine whose memory can be added up. */
export function noBudgetMessage(id: string, engine: string | undefined): Message {
  const what = engine === undefined ? 'no inference engine recognized' : `no memory model for ${clip(engine, 60)}`;
  return say('unknown', `No memory budget for ${clip(id, 120)}: ${what}.`, [
    paragraph('oombot recognizes an engine by its image, command or log (pod.json, args.txt, current.log).'),
  ]);
}

function headline({ now, kv }: Budget): { mark: Mark; text: string } {
  const { start } = now;
  if (start.kind === 'refuses')
    return { mark: 'bad', text: `The engine does not start with the current arguments: ${start.why}.` };
  if (start.doubt !== undefined) return { mark: 'warn', text: `The engine may not start: ${start.doubt}.` };
  if (kv.tokens.kind === 'unknown') return { mark: 'unknown', text: 'KV cache capacity: no data.' };
  if (kv.basis === 'estimated' && kv.tokens.value <= 0) {
    return { mark: 'unknown', text: 'KV cache capacity unknown: the conservative estimate leaves no space for it.' };
  }
  const about = kv.basis === 'estimated' ? 'about ' : '';
  const holds = `The KV cache holds ${about}${count(kv.tokens.value)} tokens`;
  if (now.lengthTokens === undefined) return { mark: 'info', text: `${holds}.` };
  if (now.concurrency.kind === 'unknown') return { mark: 'info', text: `${holds}.` };
  const each = now.concurrency.value;
  return {
    mark: each < 1 ? 'warn' : 'ok',
    text: `${holds}: ${each.toFixed(2)} sequences of ${count(now.lengthTokens)}.`,
  };
}

function rowBlocks({ rows, demand }: Budget): Block[] {
  const known = rows.filter(({ bytes }) => bytes.kind === 'known');
  const cells = known.map((row) => [row.name, amount(row.bytes, gib), rowWords(row, demand)]);
  return cells.length === 0 ? [] : [quote('GPU memory (one GPU)', columns(cells))];
}

// The cache next to what all sequences of the batch limit would take of it.
function rowWords({ name, note: remark }: BudgetRow, demand: Budget['demand']): string {
  if (name !== 'KV cache' || demand === undefined) return remark ?? '';
  const { sequences, lengthTokens, bytes } = demand;
  const most = `demand ${count(bytes / 2 ** 30)} GiB (${count(sequences)} x ${count(lengthTokens)} tokens)`;
  return [remark, most].filter((one) => one !== undefined).join('; ');
}

type Needed = { readonly name: string; readonly needs: readonly string[] };

// Figures without data, grouped by the log line or metric that would show them.
function missingBlocks({ rows, kv, load }: Budget): Block[] {
  const notes = rows.flatMap(({ bytes, note: remark = '' }) => (bytes.kind === 'known' ? [remark] : []));
  const sum = notes.find((remark) => remark.startsWith(REST))?.slice(REST.length) ?? '';
  const isInSum = ({ name }: BudgetRow) => name.split(/[ ,]+/).some((word) => sum.includes(word));
  const ofRows = rows.filter((row) => !isInSum(row)).map(({ name, bytes }) => ({ name, needs: missingOf(bytes) }));
  const lines = ofRows.flatMap(({ needs }) => needs);
  const isNew = (need: string) => !need.endsWith(SEE_ABOVE) && !lines.some((line) => need.includes(line));
  const needsOf = (...all: readonly Reckoned[]) => [...new Set(all.flatMap(missingOf))].filter(isNew);
  const needed: readonly Needed[] = [
    ...ofRows,
    { name: 'KV cache capacity', needs: needsOf(kv.tokens, kv.bytesPerToken) },
    { name: 'requests', needs: needsOf(load.usedBlocks, load.blocksPerRequest, load.moreRequests) },
  ].filter(({ needs }) => needs.length > 0);
  const byPlace = Map.groupBy(needed, ({ needs }) => placesOf(needs));
  return list(
    'No data',
    [...byPlace].map(([place, own]) => [`${own.map(({ name }) => name).join(', ')}: ${place}`]),
  );
}

// `KV use (metrics.txt)` and `running requests (metrics.txt)` name their place once.
function placesOf(needs: readonly string[]): string {
  const byPlace = Map.groupBy(needs, (need) => / \([^()]*\)$/.exec(need)?.[0] ?? '');
  const named = [...byPlace].map(
    ([place, own]) => `${own.map((need) => need.slice(0, need.length - place.length)).join(', ')}${place}`,
  );
  return named.join('; ');
}

const SEE_ABOVE = '(see above)';
// Such a row shows the sum of what its note names: `the rest: activations, context, libraries`.
const REST = 'the rest: ';

function loadBlocks({ load }: Budget): Block[] {
  return parts('Requests: ', [
    known(load.usedBlocks, (blocks) => `${count(Math.round(blocks))} blocks in use`),
    known(load.blocksPerRequest, (blocks) => `${perRequest(blocks)} per request`),
    known(load.moreRequests, (requests) =>
      load.batchAllows.kind === 'known' && load.batchAllows.value < requests
        ? `space for ${count(requests)} more, batch limit allows ${count(load.batchAllows.value)}`
        : `space for ${count(requests)} more`,
    ),
    known(load.wasteBytes, (bytes) => `max ${formatBytes(bytes)} unused`),
  ]);
}

function lengthBlocks({ lengths, now }: Budget): Block[] {
  if (lengths.length === 0) return [];
  const most = now.sequences;
  const isCapped = most !== undefined && lengths.some(({ sequences }) => sequences > most);
  const rows = [
    ['tokens per sequence', ...lengths.map(({ lengthTokens }) => count(lengthTokens))],
    ['sequences that fit', ...lengths.map(({ sequences }) => count(sequences))],
    ['GiB per sequence', ...lengths.map(({ bytesEach }) => (bytesEach / 2 ** 30).toFixed(2))],
    ...(isCapped ? [['batch limit', ...lengths.map(({ sequences }) => count(Math.min(most, sequences)))]] : []),
  ];
  return [quote('Capacity', columns(rows))];
}

// A flag with a value shows it in front of the arrow.
const SET_NOW: ReadonlyMap<string | null, string> = new Map([
  [null, ' (not set now)'],
  ['', ' (set now)'],
]);

function proposalBlocks({ flags, before, after }: Proposal): Block[] {
  const lines = columns([
    ['one GPU', 'now', 'after'],
    ['KV cache', amount(before.pool, gib), amount(after.pool, gib)],
    ['bytes per token', amount(before.bytesPerToken, bytesText), amount(after.bytesPerToken, bytesText)],
    ['tokens', amount(before.tokens, count), amount(after.tokens, count)],
    ['maximum length', lengthText(before), lengthText(after)],
    ['sequences at once', amount(before.atOnce, count), amount(after.atOnce, count)],
    ['starts', startText(before), startText(after)],
  ]);
  const items = flags.map(({ flag, from, to, note: remark }) => [
    code(clip(`${flag}${from === null || from === '' ? '' : ` ${from} →`}${to === '' ? '' : ` ${to}`}`, 120)),
    `${SET_NOW.get(from) ?? ''}${remark === undefined ? '' : `; ${remark}`}`,
  ]);
  const missing = [...missingOf(after.pool), ...missingOf(after.bytesPerToken)];
  return [
    ...list('Change', items),
    quote('Effect', lines),
    ...(after.start.kind === 'refuses' ? [paragraph(`The engine would not start: ${after.start.why}.`)] : []),
    ...(missing.length === 0 ? [] : [paragraph(`No data on the effect: ${[...new Set(missing)].join('; ')}.`)]),
  ];
}

function lengthText({ lengthTokens }: BudgetOutcome): string {
  return lengthTokens === undefined ? 'unknown' : count(lengthTokens);
}

function startText({ start }: BudgetOutcome): string {
  if (start.kind === 'refuses') return 'no';
  if (start.doubt !== undefined) return 'may not';
  return start.proven ? 'yes' : 'unknown';
}

function sourceNote({ id, engine, version, product, model }: Budget): string {
  const parts = [id, `${engine ?? 'unknown engine'} ${version ?? '(version unknown)'}`, product, model];
  return `${clip(parts.filter((part) => part !== undefined).join(', '), 400)}.`;
}
