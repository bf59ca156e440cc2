import { type Actor, authorise, type Rights } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { Message } from '../../model/message.ts';
import { isOpenChange, type TemporaryChange } from '../../model/temporary-change.ts';
import {
  type ChangeDecision,
  changeDecided,
  changeOver,
  changesMessage,
  patchMessage,
} from '../../report/temporary-change.ts';
import { type ActRequest, may, type PermitDeps } from '../acting/commands/permit.ts';
import type { ActStore } from '../acting-ports.ts';
import { answerAsker } from '../answer-asker.ts';
import { durationOf, typedWords } from '../command.ts';
import type { LedgerStore } from '../ledger-ports.ts';
import { type NoticeDeps, tellDecision } from './change-notices.ts';

export type ReadDeps = {
  readonly ledger: Pick<LedgerStore, 'openChanges' | 'temporaryChange'>;
  readonly acts: Pick<ActStore, 'now'>;
  readonly rights: Rights;
  /** As it is typed: `/oom`, or `oom` in a terminal. */
  readonly commandName: string;
};

export type ChangeCommandsDeps = ReadDeps &
  NoticeDeps &
  PermitDeps & {
    readonly ledger: ReadDeps['ledger'] & Pick<LedgerStore, 'moveChange' | 'extendChange'>;
    readonly acts: ReadDeps['acts'] & PermitDeps['acts'];
    readonly changeMs: number;
    /** Redraws the card of a run; never waited for. */
    readonly draw: (runId: string) => void;
  };

const MOST_OF_REASON = 500;
const LONGEST_MS = 99 * 24 * 3_600_000;

/** `changes`, and `changes patch <change>`: what can be read without a right to act. Throws OomError. */
export async function readChanges(deps: ReadDeps, actor: Actor, text: string): Promise<Message> {
  const [word = '', ...ids] = typedWords(text);
  if (word === '') {
    const mine = (await deps.ledger.openChanges()).filter((change) => isReadable(deps, actor, change));
    return changesMessage(mine, await deps.acts.now(), deps.commandName);
  }
  const [id = '', ...more] = word.startsWith('chg_') ? [word, ...ids] : ids;
  if (word === 'patch' || id === word) {
    if (more.length === 0) return patchMessage(await findChange(deps, actor, id));
    throw new OomError('bad-input', `Unexpected “${more.join(' ').slice(0, 60)}” after the change.`, {
      next: `Type \`${deps.commandName} changes patch ${id}\`.`,
    });
  }
  const isDecision = word === 'extend' || word === 'permanent' || word === 'close';
  throw new OomError(
    'bad-input',
    isDecision ? `\`changes ${word}\` works in Slack only.` : `Unknown word: ${word.slice(0, 60)}.`,
    {
      next: `Type \`${deps.commandName} changes\`, or \`changes patch <change>\`. In Slack also \`extend\`, \`permanent\` and \`close\`.`,
    },
  );
}

/** `changes extend|permanent|close <change>`, typed or clicked: for those who may roll back. All else is read. */
export async function askChanges(deps: ChangeCommandsDeps, text: string, request: ActRequest): Promise<void> {
  const [word = '', id = '', ...rest] = typedWords(text);
  const decide = Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;
  if (decide === undefined) return answerAsker(deps, request.asker, await readChanges(deps, request.actor, text));
  const change = await findChange(deps, request.actor, id);
  const { target, action } = change;
  const place = { cluster: target.cluster, namespace: target.object.namespace, action };
  if (!(await may(deps, request, 'rollback', place))) return;
  if (!isOpenChange(change)) return answerAsker(deps, request.asker, changeOver(change));
  const at = await deps.acts.now();
  const by = request.asker.user;
  const decision = await decide(deps, change, { by, at, rest: rest.join(' ') });
  const next = await deps.ledger.temporaryChange(change.id);
  if (decision === undefined || next === undefined) return answerAsker(deps, request.asker, changeOver(next ?? change));
  await answerAsker(deps, request.asker, changeDecided(next, { decision, by }));
  deps.draw(change.runId);
  await tellDecision(deps, change, { change: next, decision, by });
}

type Words = { readonly by: string; readonly at: number; readonly rest: string };
type Decide = (
  deps: ChangeCommandsDeps,
  change: TemporaryChange,
  words: Words,
) => Promise<ChangeDecision['decision'] | undefined>;

const DECISIONS: Readonly<Record<string, Decide>> = {
  async extend({ ledger, changeMs, commandName }, { id, expiresAt }, { by, at, rest }) {
    const ms = rest === '' ? changeMs : durationOf(rest);
    // What lasts longer belongs into Git.
    if (ms === undefined || ms > LONGEST_MS) {
      throw new OomError('bad-input', `Not extended: ${rest.slice(0, 60)} is not a time such as 24h or 3d.`, {
        next: `Type \`${commandName} changes extend ${id} 24h\`.`,
      });
    }
    const until = Math.max(at, expiresAt) + ms;
    return (await ledger.extendChange(id, { expiresAt: until, by, at })) ? 'extended' : undefined;
  },
  async permanent({ ledger }, { id }, { by, at, rest }) {
    const why = rest === '' ? 'marked permanent' : rest.slice(0, MOST_OF_REASON);
    return (await ledger.moveChange(id, { state: 'permanent', by, why, at })) ? 'permanent' : undefined;
  },
  async close({ ledger, commandName }, { id }, { by, at, rest }) {
    if (rest === '') {
      throw new OomError('bad-input', 'Not closed: a reason is needed.', {
        next: `Type \`${commandName} changes close ${id} <reason>\`.`,
      });
    }
    const why = rest.slice(0, MOST_OF_REASON);
    return (await ledger.moveChange(id, { state: 'closed', by, why, at })) ? 'closed' : undefined;
  },
};

// A channel that is shared with another organization sees no arguments.
function isReadable({ rights }: ReadDeps, actor: Actor, { target }: TemporaryChange): boolean {
  const place = { cluster: target.cluster, namespace: target.object.namespace };
  const permission = authorise(rights, actor, 'changes', place);
  return permission.kind === 'allowed' && permission.evidence === 'full';
}

async function findChange(deps: ReadDeps, actor: Actor, id: string): Promise<TemporaryChange> {
  const change = await deps.ledger.temporaryChange(id);
  if (change !== undefined && isReadable(deps, actor, change)) return change;
  throw new OomError('not-found', `No temporary change ${id.slice(0, 60)} here.`, {
    next: `\`${deps.commandName} changes\` lists the open ones.`,
  });
}
