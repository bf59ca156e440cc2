import type { Budget, BudgetOutcome, BudgetRow, ProfileBudget, Proposal, Reckoned } from '../model/budget.ts';
import { type Block, code, type Mark, type Message } from '../model/message.ts';
import { formatBytes } from '../model/quantity.ts';
import { clip, list, note, paragraph, quote, say, type Words } from './words/sentence.ts';

/** The memory of one GPU: what is static, what the cache holds, and what a change would do. */
export function budgetMessage(budget: Budget): Message {
  const { mark, text } = headline(budget);
  return say(mark, text, [
    quote('One GPU', columns(budget.rows.map(rowCells))),
    ...missingBlocks(budget),
    ...list('KV cache', kvItems(budget)),
    ...list('Requests now', loadItems(budget)),
    ...lengthBlocks(budget),
    ...profileBlocks(budget),
    ...(budget.proposal === undefined ? [] : proposalBlocks(budget.proposal)),
    note(sourceNote(budget)),
  ]);
}

/** Said where there is no engine whose memory could be added up. */
export function noBudgetMessage(id: string, engine: string | undefined): Message {
  const what =
    engine === undefined ? 'no inference engine was recognised in it' : `there is no sum for ${clip(engine, 60)}`;
  return say('unknown', `No memory budget for ${clip(id, 120)}: ${what}.`, [
    paragraph('An engine is recognised by its image, its command or its log (pod.json, args.txt, current.log).'),
  ]);
}

function headline({ now, kv }: Budget): { mark: Mark; text: string } {
  if (now.start.kind === 'refuses')
    return { mark: 'bad', text: `With the arguments in force the engine does not start: ${now.start.why}.` };
  const unknown = 'How much the KV cache holds is not known';
  if (kv.tokens.kind === 'unknown') {
    return { mark: 'unknown', text: `${unknown}; it needs ${kv.tokens.missing.join('; ')}.` };
  }
  if (kv.basis === 'estimated' && kv.tokens.value <= 0) {
    return { mark: 'unknown', text: `${unknown}: an estimate that leans to the safe side leaves nothing for it.` };
  }
  const about = kv.basis === 'estimated' ? 'about ' : '';
  const holds = `The KV cache holds ${about}${count(kv.tokens.value)} tokens`;
  if (now.lengthTokens === undefined) return { mark: 'info', text: `${holds}.` };
  const each = kv.tokens.value / now.lengthTokens;
  return {
    mark: each < 1 ? 'warn' : 'ok',
    text: `${holds}: ${each.toFixed(2)} sequences of ${count(now.lengthTokens)}.`,
  };
}

function rowCells({ name, bytes, note: remark = '' }: BudgetRow): readonly string[] {
  return [name, amount(bytes, gib), bytes.kind === 'known' ? remark : ''];
}

// Rows without a figure, by the line that would hold it.
function missingBlocks({ rows }: Budget): Block[] {
  const lacking = rows.filter(({ bytes }) => bytes.kind === 'unknown');
  const byPlace = Map.groupBy(lacking, ({ bytes }) => missingOf(bytes).join('; '));
  const items = [...byPlace].map(([place, own]) => [`${own.map(({ name }) => name).join(', ')}: ${place}`]);
  return list('Where the missing figures would stand', items);
}

function kvItems({ kv }: Budget): Words[] {
  const how = kv.basis === 'printed' ? 'as the engine tells it' : 'estimated, leaning to the safe side';
  const each = kv.blockTokens === 1 ? '1 token' : `${count(kv.blockTokens)} tokens`;
  return [
    [`size: ${amount(kv.bytes, (bytes) => `${gib(bytes)}, ${how}`)}`],
    [`each token takes: ${amount(kv.bytesPerToken, bytesText)}`],
    [`blocks: ${amount(kv.blocks, (blocks) => `${count(blocks)} of ${each}`)}`],
    ...swapItems(kv),
  ];
}

function swapItems({ swap }: Budget['kv']): Words[] {
  if (swap === undefined || swap.bytes === 0) return [];
  const blocks = amount(swap.blocks, (number) => `${count(number)} blocks`);
  return [[`beside it in host memory, pinned for each GPU: ${formatBytes(swap.bytes)}, ${blocks}`]];
}

function loadItems({ load }: Budget): Words[] {
  return [
    item('blocks in use', load.usedBlocks, (blocks) => count(Math.round(blocks))),
    item('blocks per request', load.blocksPerRequest, perRequest),
    item('more requests of that size', load.moreRequests, (requests) =>
      load.batchAllows.kind === 'known' && load.batchAllows.value < requests
        ? `the cache holds ${count(requests)}, the batch takes ${count(load.batchAllows.value)}`
        : count(requests),
    ),
    item(
      'not full',
      load.wasteBytes,
      (bytes) => `at most ${formatBytes(bytes)}: one block of each sequence, which is harmless`,
    ),
  ];
}

function lengthBlocks({ lengths, now }: Budget): Block[] {
  if (lengths.length === 0) return [];
  const most = now.sequences;
  const rows = lengths.map(({ lengthTokens, sequences, bytesEach }) => [
    count(lengthTokens),
    count(sequences),
    gib(bytesEach),
    most !== undefined && sequences > most ? `the batch takes ${count(most)}` : sequences === 0 ? 'does not fit' : '',
  ]);
  return [quote('What fits at once', columns([['length', 'sequences', 'each', ''], ...rows]))];
}

// What a flag has no value of; one that has a value shows it in front of the arrow.
const SET_NOW: ReadonlyMap<string | null, string> = new Map([
  [null, ', which is not set now'],
  ['', ', which is set now'],
]);

function proposalBlocks({ flags, before, after }: Proposal): Block[] {
  const lines = columns([
    ['of one GPU', 'now', 'then'],
    ['KV cache', amount(before.pool, gib), amount(after.pool, gib)],
    ['each token takes', amount(before.bytesPerToken, bytesText), amount(after.bytesPerToken, bytesText)],
    ['tokens', amount(before.tokens, count), amount(after.tokens, count)],
    ['length', lengthText(before), lengthText(after)],
    ['sequences at once', amount(before.atOnce, count), amount(after.atOnce, count)],
    ['starts', startText(before), startText(after)],
  ]);
  const items = flags.map(({ flag, from, to, note: remark }) => [
    code(clip(`${flag}${from === null || from === '' ? '' : ` ${from} →`}${to === '' ? '' : ` ${to}`}`, 120)),
    `${SET_NOW.get(from) ?? ''}${remark === undefined ? '' : `; ${remark}`}`,
  ]);
  const missing = [...missingOf(after.pool), ...missingOf(after.bytesPerToken)];
  return [
    ...list('The change', items),
    quote('What it does', lines),
    ...(after.start.kind === 'refuses' ? [paragraph(`The engine would not start with it: ${after.start.why}.`)] : []),
    ...(missing.length === 0 ? [] : [paragraph(`Not known after the change: ${[...new Set(missing)].join('; ')}.`)]),
  ];
}

function lengthText({ lengthTokens }: BudgetOutcome): string {
  return lengthTokens === undefined ? 'not known' : count(lengthTokens);
}

function startText({ start }: BudgetOutcome): string {
  if (start.kind === 'refuses') return 'no';
  return start.proven ? 'yes' : 'unknown';
}

function missingOf(reckoned: Reckoned): readonly string[] {
  return reckoned.kind === 'unknown' ? reckoned.missing : [];
}

function amount(reckoned: Reckoned, format: (value: number) => string): string {
  if (reckoned.kind === 'unknown') return 'not known';
  return `${reckoned.about === true ? 'about ' : ''}${format(reckoned.value)}`;
}

function item(name: string, reckoned: Reckoned, format: (value: number) => string): Words {
  const text =
    reckoned.kind === 'known' ? format(reckoned.value) : `not known; it needs ${reckoned.missing.join('; ')}`;
  return [`${name}: ${text}`];
}

function sourceNote({ id, engine, version, product, model }: Budget): string {
  const parts = [id, `${engine ?? 'engine not known'} ${version ?? 'of a version that is not known'}`, product, model];
  return `${clip(parts.filter((part) => part !== undefined).join(', '), 400)}. Sizes are of one GPU; GiB are 2^30 bytes.`;
}

// Text columns, which stay in line where the type is fixed.
function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (i: number) => Math.max(0, ...rows.map((row) => [...(row[i] ?? '')].length));
  const widths = (rows[0] ?? []).map((_, i) => width(i));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd((widths[i] ?? 0) + 2)))
      .join('')
      .trimEnd(),
  );
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}

// From a thousand on a tenth of a block tells nobody anything.
function perRequest(blocks: number): string {
  return blocks < 1000 ? blocks.toFixed(1) : count(blocks);
}

function bytesText(bytes: number): string {
  return `${count(Math.round(bytes))} bytes`;
}

function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

const NAME = 40;
const LONGEST = 300;

/** What each profile would set and whether the engine starts with it; the one that was asked for with its reasons. */
function profileBlocks({ profiles, profile, fixed }: Budget): Block[] {
  if (fixed !== undefined) return [paragraph(`No profile is computed: ${clip(fixed, LONGEST)}.`)];
  if (profiles.length === 0) {
    return profile === undefined ? [] : [paragraph(`There is no ${clip(profile, NAME)} profile for this engine.`)];
  }
  const asked = profiles.find(({ name }) => name === profile);
  if (asked !== undefined) return reasonBlocks(asked);
  const items = profiles.map((one) => [
    code(clip(one.name, NAME)),
    `: ${clip(`${settings(one)}${startWords(one)}`, LONGEST)}`,
  ]);
  return list('What the profiles would set', items);
}

function settings({ edits, start }: ProfileBudget): string {
  if (edits.length > 0) return edits.map(({ flag, to }) => `${flag} ${to ?? ''}`.trim()).join(', ');
  return start.kind === 'refuses' ? 'nothing' : 'nothing: what is in force is safer already, or not known';
}

function startWords({ edits, start }: ProfileBudget): string {
  if (start.kind === 'refuses') return `; the engine would not start: ${start.why}`;
  if (edits.length === 0) return '';
  return start.proven ? '; the engine starts with it' : '; whether the engine starts with it is unknown';
}

function reasonBlocks(asked: ProfileBudget): Block[] {
  const { name, says, edits, start, sum } = asked;
  const title = `The ${clip(name, NAME)} profile: ${clip(says, LONGEST)}`;
  if (edits.length === 0) {
    const why =
      start.kind === 'refuses'
        ? `It is not set: ${start.why}.${start.why.includes(sum) ? '' : ` The sum: ${sum}.`}`
        : 'It changes nothing.';
    return [paragraph(`${title}. ${clip(why, LONGEST)}`), ...leftBlocks(asked)];
  }
  const items = edits.map(({ flag, to, why }) => [code(`${flag} ${to ?? ''}`), `: ${clip(why, LONGEST)}`]);
  return [...list(title, items), ...leftBlocks(asked)];
}

function leftBlocks({ left }: ProfileBudget): Block[] {
  const items = left.map(({ flag, why }) => [code(flag), `: ${clip(why, LONGEST)}`]);
  return list('What of it stays as it is', items);
}
