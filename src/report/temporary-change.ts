import { type Block, bold, type Choice, code, type Message, type Span } from '../model/message.ts';
import { isOpenChange, type TemporaryChange } from '../model/temporary-change.ts';
import {
  clip,
  copiedLines,
  counted,
  flatten,
  list,
  note,
  paragraph,
  say as sayAny,
  user,
  type Words,
} from './words/sentence.ts';
import { causeWords } from './words/verdict-words.ts';

const say = (...words: Parameters<typeof sayAny>): Message => flatten(sayAny(...words));

const MOST_VALUES = 3;
const MOST_LISTED = 20;
const DECISIONS = 'patch|extend|permanent|close <change> [reason]';

/** `--max-model-len 8192 → 4096`, of at most three values. */
export function changeWords({ values }: Pick<TemporaryChange, 'values'>): string {
  const shown = values.slice(0, MOST_VALUES).map(({ label, from, to }) => {
    return `${clip(label, 60)} ${clip(from ?? 'unset', 40)} → ${clip(to ?? 'unset', 40)}`;
  });
  const more = values.length - MOST_VALUES;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function placeWords({ target }: TemporaryChange): string {
  return clip(`${target.object.namespace}/${target.object.name} · ${target.cluster}`, 120);
}

function titleOf(change: TemporaryChange, says: string): string {
  return clip(`${says}: ${changeWords(change)} on ${placeWords(change)}`, 290);
}

const time = (at: number): Span => ({ kind: 'time', at });

/** Each of these is posted in the thread of a change once. */
export type ChangeNotice = 'soon' | 'expired' | 'reverted' | 'changed' | 'gone' | 'permanent';

export function changeNotice(change: TemporaryChange, notice: ChangeNotice): Message {
  const by = change.stateBy ?? 'someone (the API server does not record who)';
  const told = NOTICES[notice](change, by);
  const blocks = [...told.blocks, ...faultBlock(change), origin(change)];
  return { ...say(told.mark, titleOf(change, told.says), blocks), choices: choicesOf(change, notice) };
}

type Told = { readonly mark: 'warn' | 'ok' | 'bad'; readonly says: string; readonly blocks: readonly Block[] };

const NOTICES: Readonly<Record<ChangeNotice, (change: TemporaryChange, by: string) => Told>> = {
  soon: ({ expiresAt }) => ({
    mark: 'warn',
    says: 'Temporary change expires soon',
    blocks: [paragraph('Expires ', time(expiresAt), '. Make it permanent in Git, extend it, or roll back.')],
  }),
  expired: ({ expiresAt }) => ({
    mark: 'bad',
    says: 'Temporary change expired',
    blocks: [
      paragraph('Expired ', time(expiresAt), ' and still applied. Make it permanent in Git, extend it, or roll back.'),
    ],
  }),
  reverted: (_, by) => ({
    mark: 'warn',
    says: `Reverted by ${by}`,
    blocks: [
      paragraph('The old values are back, and the failure may come back too. Make the change in Git, or close it.'),
    ],
  }),
  changed: ({ why }, by) => ({
    mark: 'warn',
    says: `Changed again by ${by}`,
    blocks: [
      ...(why === null ? [] : [paragraph(clip(why, 400))]),
      paragraph('oombot does not roll back a value that someone else set. Check it, then close this change.'),
    ],
  }),
  gone: () => ({
    mark: 'warn',
    says: 'Workload deleted',
    blocks: [paragraph('Nothing to roll back. If Git deploys it again, it comes back with the old values.')],
  }),
  permanent: (_, by) => ({
    mark: 'ok',
    says: `Permanent, set by ${by}`,
    blocks: [paragraph('Nothing to roll back.')],
  }),
};

function faultBlock({ checkFault, checkedAt }: TemporaryChange): Block[] {
  if (checkFault === null) return [];
  const last: Words = checkedAt === null ? ['never'] : [time(checkedAt)];
  return [paragraph(`Current values unknown (${clip(checkFault, 200)}); last read `, ...last, '.')];
}

function origin({ requestedBy, approvedBy, appliedAt, incidentId, cause, id }: TemporaryChange): Block {
  const approved = approvedBy.flatMap((who, i): Words => [i === 0 ? ', approved by ' : ', ', user(who)]);
  const why = cause === 'unknown' ? '' : ` (${causeWords(cause)})`;
  return note(
    ...['requested by ', user(requestedBy), ...approved, ' · applied ', time(appliedAt)],
    ...[' · for ', code(incidentId), `${why} · `, code(id)],
  );
}

const DAY = '24h';

function choicesOf(change: TemporaryChange, notice: ChangeNotice): Choice[] {
  const { id } = change;
  if (notice === 'permanent' || !isOpenChange(change)) return [];
  const asks = (label: string, words: string): Choice => ({ asks: 'changes', label, value: words });
  const patch = showPatch(change);
  if (notice === 'gone') return [asks('Close change', `close ${id} the workload was deleted`)];
  if (notice === 'reverted') return [patch, asks('Close change', `close ${id} it was reverted`)];
  if (notice === 'changed') return [patch, asks('Close change', `close ${id} the value was changed again`)];
  return changeChoices(change);
}

/** What may become of a change whose values are applied. */
export function changeChoices(change: TemporaryChange): Choice[] {
  const { id } = change;
  const extend: Choice = { asks: 'changes', label: 'Extend 24 h', value: `extend ${id} ${DAY}` };
  return [rollBack(change), extend, markPermanent(change), showPatch(change)];
}

function showPatch({ id }: TemporaryChange): Choice {
  return { asks: 'changes', label: 'Show patch', value: `patch ${id}` };
}

function markPermanent({ id }: TemporaryChange): Choice {
  return { asks: 'changes', label: 'Mark permanent', value: `permanent ${id}` };
}

function rollBack(change: TemporaryChange): Choice {
  const { runId, target } = change;
  const { namespace, name } = target.object;
  const text = `Undoes ${changeWords(change)} on ${namespace}/${name} (${target.cluster}). Pods may restart.`;
  const confirm = { title: 'Roll back?', text: clip(text, 300), yes: 'Roll back' };
  return { asks: 'roll-back', label: 'Roll back…', value: runId, confirm };
}

/** The card of a run with what becomes of its change: before the small print, and behind the other buttons. */
export function withChange(card: Message, change: TemporaryChange | undefined): Message {
  if (change === undefined || change.state === 'rolled-back') return card;
  const last = Math.max(0, card.blocks.length - 1);
  const blocks = card.blocks.toSpliced(last, 0, expiryBlock(change));
  const choices = isOpenChange(change) ? [showPatch(change), markPermanent(change)] : [];
  return flatten({ ...card, blocks, choices: [...(card.choices ?? []), ...choices].slice(0, 5) });
}

function expiryBlock(change: TemporaryChange): Block {
  if (!isOpenChange(change)) return paragraph(...stateWords(change), '.');
  const now: Words = change.state === 'temporary' ? [] : [...stateWords(change), '. '];
  const expiry: Words = ['expires ', time(change.expiresAt), '. ', ...now];
  return paragraph(bold('Temporary: '), ...expiry, 'Make it permanent in Git.');
}

function stateWords(change: TemporaryChange): Words {
  const { state, stateBy, why } = change;
  const isMarked = isByPerson(change) && state === 'permanent';
  const by: Words = stateBy === null ? [] : [' by ', isByPerson(change) ? user(stateBy) : clip(stateBy, 60)];
  const because = state === 'closed' && why !== null ? `: ${clip(why, 120)}` : '';
  return [isMarked ? 'Marked permanent' : STATES[state], ...by, because];
}

// A field manager is foreign text, and must mention nobody.
function isByPerson({ state, why }: TemporaryChange): boolean {
  return state === 'closed' || state === 'rolled-back' || (state === 'permanent' && why !== null);
}

const STATES: Readonly<Record<TemporaryChange['state'], string>> = {
  temporary: 'Temporary',
  reverted: 'Reverted',
  changed: 'Changed again',
  gone: 'Workload deleted',
  permanent: 'Permanent, set',
  'rolled-back': 'Rolled back',
  closed: 'Closed',
};

/** `changes`: what nobody has closed, the first to expire first. */
export function changesMessage(changes: readonly TemporaryChange[], now: number, command: string): Message {
  if (changes.length === 0) return say('ok', 'No temporary changes.');
  const count = counted(changes.length, 'temporary change');
  const expired = changes.filter(({ expiresAt }) => expiresAt <= now).length;
  const more = changes.length - MOST_LISTED;
  return say(expired > 0 ? 'warn' : 'info', `${count}${expired > 0 ? `, ${expired} expired` : ''}.`, [
    ...list(
      'By expiry',
      changes.slice(0, MOST_LISTED).map((change) => changeLine(change, now)),
    ),
    ...(more > 0 ? [note(`${more} more expire later.`)] : []),
    // A terminal cannot tell who may decide.
    note('Type ', code(`${command} changes ${command.startsWith('/') ? DECISIONS : 'patch <change>'}`)),
  ]);
}

/** A change in one line. */
export function changeLine(change: TemporaryChange, now: number): Words {
  const { state, expiresAt, requestedBy, id, checkFault } = change;
  return [
    bold(clip(changeWords(change), 200)),
    ` on ${placeWords(change)}, `,
    ...(state === 'temporary' ? [] : [...stateWords(change), ', ']),
    expiresAt <= now ? 'expired ' : 'expires ',
    time(expiresAt),
    ...(checkFault === null ? [] : [', current values unknown']),
    ', requested by ',
    user(requestedBy),
    ' · ',
    code(id),
  ];
}

/** What to put into Git. */
export function patchMessage(change: TemporaryChange): Message {
  return say('info', titleOf(change, 'Make it permanent'), [
    ...copiedLines('Merge into the manifest, or into the same fields of the Helm values', change.patch),
    note('oombot sees Helm, Argo CD, Flux and kubectl apply take over the values, and then closes the change.'),
  ]);
}

/** What a person has made of a change: `by` is their user id. */
export type ChangeDecision = { readonly decision: 'extended' | 'permanent' | 'closed'; readonly by: string };

/** What somebody has decided, for the thread and for who did it. */
export function changeDecided(change: TemporaryChange, { decision, by }: ChangeDecision): Message {
  const origin = note('by ', user(by), ' · ', code(change.id));
  if (decision === 'extended') {
    return say('info', titleOf(change, 'Extended'), [paragraph('Expires ', time(change.expiresAt), '.'), origin]);
  }
  const why = change.why === null ? [] : [paragraph(clip(change.why, 500))];
  const says = decision === 'permanent' ? 'Marked permanent' : 'Closed';
  return say('ok', titleOf(change, says), [...why, origin]);
}

/** A decision that comes too late. */
export function changeOver(change: TemporaryChange): Message {
  return say('info', titleOf(change, 'Nothing to do'), [
    paragraph(...stateWords(change), ', ', time(change.stateAt), '.'),
  ]);
}
