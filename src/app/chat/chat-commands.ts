import type { Actor, Rights, Target } from '../../model/authorise.ts';
import { toOomError } from '../../model/errors.ts';
import type { MessageRef } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import { noActing } from '../../report/acting-words.ts';
import { explainMessages } from '../../report/explain.ts';
import { helpMessage } from '../../report/help.ts';
import { refusal, unknownVerb } from '../../report/notices.ts';
import { statusMessage } from '../../report/status.ts';
import type { ActingCommands, ActRequest, EditForm } from '../acting/commands/acting-commands.ts';
import { answerAsker } from '../answer-asker.ts';
import type { ActingVerb, CommandVerb } from '../command.ts';
import { parseCommand, typedWords } from '../command.ts';
import { explainWord, type WordDeps } from '../lifecycle/explain-word.ts';
import { type ExplainDeps, explainIncident } from '../lifecycle/find-incident.ts';
import type { Asker, Chat, Clock, Groups, Log, MessageKind, SnapshotSource, Store } from '../ports.ts';
import { readStatus, type StatusDeps } from '../status.ts';
import type { Diagnosed } from '../triage/investigate.ts';
import type { TriageStarter } from '../triage/triage.ts';
import type { BudgetCommand } from './budget-command.ts';
import type { HandoverVerbs } from './handover-verbs.ts';
import type { IncidentForm, IncidentVerbs } from './incident-verbs.ts';

/** Who asks in a chat, where, and with which words. */
export type ChatRequest = {
  readonly text: string;
  readonly asker: Asker;
  readonly channel: string;
  readonly externallyShared: boolean;
  /** The message that bears the button. */
  readonly clicked?: MessageRef | undefined;
  /** Under which it is stored until it is answered. */
  readonly kept?: string | undefined;
};

// A quote that Slack draws whole.
const SLACK_VIEW = { columns: 68, most: 25 };

type ChatCommandsDeps = WordDeps & {
  readonly triage: TriageStarter;
  readonly store: Store & ExplainDeps['store'] & StatusDeps['store'];
  readonly acts: StatusDeps['acts'];
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
  readonly rights: Rights;
  readonly commandName: string;
  /** Where plans are offered. */
  readonly mayPlan?: ((place: Target) => boolean) | undefined;
  readonly source: (snapshot: NonNullable<Awaited<ReturnType<Store['snapshot']>>>) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
  readonly budget: BudgetCommand;
  readonly incidents: IncidentVerbs;
  readonly handover: HandoverVerbs;
  /** Undefined where no cluster allows changes, or nothing that lasts keeps them. */
  readonly act: ActingCommands | undefined;
  /** What becomes of temporary changes; there as `act` is. */
  readonly changes?: ((rest: string, request: ActRequest) => Promise<void>) | undefined;
  /** The groups of a person among those that may act; none where it is left out. */
  readonly groupsOf?: ((user: string) => Promise<Groups>) | undefined;
};

/** All that a chat may ask for. No method rejects: each fault is answered to the asker with its code and the next step. */
export type ChatCommands = {
  /** The words shown at once, without I/O; undefined where the answer itself comes as quickly. */
  receipt(request: ChatRequest): string | undefined;
  command(request: ChatRequest): Promise<void>;
  shortcut(request: ChatRequest): Promise<void>;
  candidate(request: ChatRequest): Promise<void>;
  explain(request: ChatRequest): Promise<void>;
  /** A button of a plan or of a run; `text` is its value. */
  act(verb: ActingVerb, request: ChatRequest): Promise<void>;
  /** The values of a plan to be edited; undefined if refused, with the reason sent to the asker. */
  editForm(request: ChatRequest): Promise<EditForm | undefined>;
  /** The dialog about the incident `text`; undefined if refused, with the reason sent to the asker. */
  incidentForm(kind: IncidentForm['kind'], request: ChatRequest): Promise<IncidentForm | undefined>;
  /** A form of such values that was sent. */
  edited(form: Parameters<ActingCommands['edited']>[0], request: ChatRequest): Promise<void>;
  home(user: string, page?: string): Promise<readonly Message[]>;
};

export function createChatCommands(deps: ChatCommandsDeps): ChatCommands {
  const answered = async (request: ChatRequest, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      const error = toOomError(thrown);
      deps.log.error('command failed', { error, code: error.code });
      await answerAsker(deps, request.asker, refusal(error, request.text));
    }
  };
  const triage = (request: ChatRequest, text: string, from: 'command' | 'message') =>
    deps.triage.ask({ text, asker: request.asker, actor: actorOf(request), from, kept: request.kept });

  return {
    receipt(request) {
      const parsed = parseCommand(request.text);
      if (parsed.kind !== 'command' || parsed.rest === '') return undefined;
      const comes = RECEIPTS[parsed.verb];
      return comes && `Looking for ${parsed.rest.slice(0, 200)}. ${comes} in a few seconds.`;
    },
    command: (request) =>
      answered(request, () => runCommand(deps, request, (rest) => triage(request, rest, 'command'))),
    shortcut: (request) => answered(request, () => triage(request, request.text, 'message')),
    candidate: (request) => answered(request, () => triage(request, request.text, 'command')),
    explain: (request) => answered(request, () => explain(deps, request, request.text)),
    act: (verb, request) => answered(request, () => act(deps, { verb, rest: request.text, isClick: true }, request)),
    async editForm(request) {
      let form: EditForm | undefined;
      await answered(request, async () => {
        form = await deps.act?.form(request.text, await actRequest(deps, request));
      });
      return form;
    },
    async incidentForm(kind, request) {
      let form: IncidentForm | undefined;
      await answered(request, async () => {
        form = await deps.incidents.form(kind, request.text, actorOf(request));
      });
      return form;
    },
    edited: (form, request) =>
      answered(request, async () => {
        if (deps.act === undefined) return answerAsker(deps, request.asker, noActing());
        return deps.act.edited(form, await actRequest(deps, request));
      }),
    async home(user, page) {
      // The Home tab belongs to a person, not to a channel: it shows what a channel without its own rule may read.
      const actor: Actor = { place: 'slack', user, groups: [], channel: '', externallyShared: false };
      try {
        return [await statusFor(deps, actor, page ?? '')];
      } catch (thrown) {
        const error = toOomError(thrown);
        deps.log.error('App Home failed', { error, code: error.code });
        return [refusal(error, 'home')];
      }
    },
  };
}

const RECEIPTS: Partial<Record<CommandVerb, string>> = {
  triage: 'The finding appears here',
  budget: 'The memory budget appears here',
};

async function runCommand(
  deps: ChatCommandsDeps,
  request: ChatRequest,
  triage: (rest: string) => Promise<void>,
): Promise<void> {
  const parsed = parseCommand(request.text);
  if (parsed.kind === 'unknown') {
    return answerAsker(deps, request.asker, unknownVerb(parsed.word, parsed.nearest, deps.commandName));
  }
  switch (parsed.verb) {
    case 'triage':
      return triage(parsed.rest);
    case 'help':
      return answerAsker(deps, request.asker, helpMessage(deps.commandName, { acting: deps.act !== undefined }));
    case 'status':
      return status(deps, request, parsed.rest);
    case 'explain':
      return explain(deps, request, parsed.rest);
    case 'budget':
      return deps.budget.ask({ text: parsed.rest, asker: request.asker, actor: actorOf(request) });
    case 'ack':
    case 'resolve':
    case 'feedback':
    case 'history':
    case 'export':
    case 'fix':
      return deps.incidents.ask(parsed.verb, parsed.rest, { asker: request.asker, actor: actorOf(request) });
    case 'handover':
    case 'silence':
      return deps.handover.ask(parsed.verb, parsed.rest, {
        ...{ asker: request.asker, actor: actorOf(request), kept: request.kept },
      });
    case 'changes':
      if (deps.changes === undefined) return answerAsker(deps, request.asker, noActing());
      return deps.changes(parsed.rest, await actRequest(deps, request));
    default:
      return act(deps, { verb: parsed.verb, rest: parsed.rest, isClick: false }, request);
  }
}

type Wanted = { readonly verb: ActingVerb; readonly rest: string; readonly isClick: boolean };

async function act(deps: ChatCommandsDeps, { verb, rest, isClick }: Wanted, request: ChatRequest): Promise<void> {
  if (deps.act === undefined) return answerAsker(deps, request.asker, noActing());
  return deps.act.ask(verb, rest, { ...(await actRequest(deps, request)), isClick });
}

// Who is in which group is asked only where it decides: for acting.
async function actRequest({ groupsOf }: ChatCommandsDeps, request: ChatRequest): Promise<ActRequest> {
  const groups = await groupsOf?.(request.asker.user);
  const actor = { ...actorOf(request), groups: [...(groups?.in ?? [])] };
  return { asker: request.asker, actor, groupsUnknown: groups?.unknown, clicked: request.clicked };
}

async function status(deps: ChatCommandsDeps, request: ChatRequest, rest = ''): Promise<void> {
  return answerAsker(deps, request.asker, await statusFor(deps, actorOf(request), rest));
}

async function statusFor(deps: ChatCommandsDeps, actor: Actor, rest: string): Promise<Message> {
  const { store, chat, clock, commandName } = deps;
  const linkTo = async (incidentId: string, kind: MessageKind): Promise<string | undefined> => {
    const ref = (await store.messages(incidentId, kind)).at(-1);
    return ref && chat.permalink(ref);
  };
  const now = await readStatus({ ...deps, linkTo }, actor, { rest });
  const changes = deps.changes !== undefined;
  return statusMessage(now, clock.now(), commandName, { clickable: true, mayPlan: deps.mayPlan, changes });
}

function readExplain(text: string): { id: string; all: boolean } {
  const words = typedWords(text);
  return { id: words.filter((word) => word !== '--all').join(' '), all: words.includes('--all') };
}

async function explain(deps: ChatCommandsDeps, request: ChatRequest, text: string): Promise<void> {
  const { id, all } = readExplain(text);
  if (id === '') return status(deps, request);
  const word = explainWord(deps, id, { command: deps.commandName, ...SLACK_VIEW });
  if (word !== undefined) return answerAsker(deps, request.asker, word);
  const explained = await explainIncident(deps, actorOf(request), id);
  const snapshot = await deps.store.snapshot(explained.latest.snapshotId);
  const facts = snapshot === undefined ? new Map() : (await deps.diagnose(deps.source(snapshot))).facts;
  for (const message of explainMessages({
    diagnosis: explained.latest.diagnosis,
    facts,
    place: explained.place,
    evidence: explained.evidence,
    all,
  })) {
    await answerAsker(deps, request.asker, message);
  }
}

function actorOf(request: ChatRequest): Extract<Actor, { place: 'slack' }> {
  const { asker, channel, externallyShared } = request;
  return { place: 'slack', user: asker.user, groups: [], channel, externallyShared };
}
