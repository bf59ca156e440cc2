import type { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import { type Block, bold, code, type Message } from '../model/message.ts';
import type { PodCandidate, Unresolved } from '../model/unresolved.ts';
import { clip, list, note, paragraph, quote, say } from './words/sentence.ts';
import { headlineOf } from './words/verdict-words.ts';

/** Another triage of the same workload is running. */
export function alreadyReading(pod: string, link: string | undefined): Message {
  const where = link === undefined ? 'The finding will appear in this channel.' : 'Finding:';
  return say('info', `A triage of this workload is already running: ${clip(pod, 150)}.`, [withLink(where, link)]);
}

export function notStored(): Message {
  return say('warn', 'Could not store the finding. It will not appear in status or history.', [
    paragraph('The reason is in the log of oombot (store-failed).'),
  ]);
}

/** The finding, visible only to the requester, if the bot cannot post in the channel. */
export function cannotPost(message: Message, next: string | undefined): Message {
  const why = paragraph(bold('Only you see this: '), next ?? 'oombot could not post in this channel.');
  return { ...message, blocks: [why, ...message.blocks] };
}

/** What a channel refused, for one person; its buttons belong to the channel. `next` says why. */
export function notPosted({ summary, blocks }: Message, channel: string, next: string): Message {
  const why = paragraph(bold('Not posted in '), code(channel), bold(': '), next);
  return { summary, blocks: [...blocks.filter(({ kind }) => kind !== 'buttons'), why] };
}

/** In the thread of an older finding: this triage found another cause. */
export function movedTo(link: string | undefined): Message {
  return say(
    'info',
    'This triage found another cause. It has its own message.',
    link === undefined ? [] : [withLink('See', link)],
  );
}

const TWICE = 'Slack did not confirm this message, so it was sent again: it may be here twice.';

/** A message of which a copy may be in the channel already. */
export function maybeTwice(message: Message): Message {
  const blocks = message.blocks.filter((block) => JSON.stringify(block) !== JSON.stringify(note(TWICE)));
  return { ...message, blocks: [...blocks, note(TWICE)] };
}

/** Replaces a second copy of a message. */
export function shownAt(link: string | undefined): Message {
  return say('info', 'This message was posted twice. The other copy is current.', [
    ...(link === undefined ? [] : [withLink('See', link)]),
  ]);
}

/** Replaces the progress message: the same failure as before. */
export function seenAgain(
  incident: Pick<Incident, 'seen' | 'plane' | 'phase' | 'cause' | 'openedAt' | 'pod'>,
  link: string | undefined,
): Message {
  const seen = incident.seen === 1 ? 'Same crash as before' : `Same failure again, seen ${incident.seen} times`;
  return say('warn', `${seen}. ${headlineOf(incident)}.`, [
    note('pod ', code(clip(incident.pod, 200)), ', first seen ', { kind: 'time', at: incident.openedAt }),
    ...(link === undefined ? [] : [withLink('Finding:', link)]),
  ]);
}

/** Replaces a triage that a restart of the bot interrupted. */
export function interrupted(query: string, again: boolean, commandName: string): Message {
  if (again) return say('info', 'oombot restarted during this triage. It runs again below.');
  return say('warn', 'oombot restarted during this triage and did not finish it.', [
    paragraph('To triage it again, type ', code(`${commandName} triage ${clip(query, 200)}`)),
  ]);
}

/** A request that a restart interrupted and that is not repeated. */
export function cutOff(text: string, commandName: string): Message {
  const again = text === '' ? [] : [paragraph('You asked for ', code(clip(`${commandName} ${text}`, 200)))];
  return say('warn', 'oombot restarted before it answered. Check the latest message, then ask again.', again);
}

export function unknownVerb(word: string, nearest: string | undefined, commandName: string): Message {
  const meant = nearest === undefined ? [] : [paragraph('Did you mean ', code(`${commandName} ${nearest}`), '?')];
  return say('warn', `Unknown command “${clip(word, 60)}”.`, [
    ...meant,
    paragraph(
      'Commands: ',
      code('triage <pod>'),
      ', ',
      code('explain <incident>'),
      ', ',
      code('status'),
      ', ',
      code('budget <pod>'),
      ', ',
      code('help'),
    ),
  ]);
}

/** Words behind the pod and its container. */
export function unexpectedWords(words: string): string {
  return `Unexpected \u201c${clip(words, 60)}\u201d after the pod.`;
}

type UnclearPod = { readonly from: 'command' | 'message' } & (
  | { readonly kind: 'empty' | 'unclear' }
  | { readonly kind: 'extra'; readonly words: string }
);

/** Why there is no triage: because of the request, or of the cluster. */
type NothingRead = UnclearPod | Unresolved;

/** The reason and the next step, visible only to the requester. */
export function unresolved(found: NothingRead, commandName: string): Message {
  switch (found.kind) {
    case 'empty':
    case 'unclear':
    case 'extra':
      return unclear(found, commandName);
    case 'ambiguous':
      return {
        ...say('warn', 'Several pods match. Which one?', [
          ...candidateList('Candidates, failing pods first', found.candidates),
          ...cutList(found.searchedPods),
        ]),
        choices: choicesOf(found.candidates, found.cluster),
      };
    case 'not-found':
      return notFound(found, commandName);
    case 'no-pods':
      return noPods(found);
    case 'forbidden':
      return say('bad', `The API server refused access to oombot: ${found.rule}.`, [
        ...(found.manifest === undefined
          ? []
          : [quote('To grant it, a cluster admin applies this', found.manifest.split('\n'))]),
        lookedIn(found),
      ]);
    case 'refused':
      return say('bad', found.why, [paragraph(found.next), note('code not-allowed')]);
  }
}

function unclear(found: UnclearPod, commandName: string): Message {
  if (found.from === 'message') {
    return say('warn', 'No pod name in this message.', [
      paragraph('Type ', code(`${commandName} triage <namespace>/<pod>`), ' instead.'),
    ]);
  }
  const invalid = found.kind === 'empty' ? 'Which pod?' : 'This is not a valid pod name.';
  return say('warn', found.kind === 'extra' ? unexpectedWords(found.words) : invalid, [
    paragraph(
      'Type ',
      code(`${commandName} triage [cluster/][namespace/]pod [container]`),
      ', or paste a line from ',
      code('kubectl get pods'),
      '.',
    ),
  ]);
}

function notFound(found: Extract<NothingRead, { kind: 'not-found' }>, commandName: string): Message {
  const looked = lookedIn(found);
  const noPod = `No pod ${clip(found.pod, 90)}`;
  const notYet = `${noPod} found yet.`;
  if (found.nearest.length === 0) {
    const title = found.searchedPods === undefined ? `${noPod}, and no similar name.` : notYet;
    return say('warn', title, [
      ...cutList(found.searchedPods),
      paragraph('Check the namespace: ', code(`${commandName} triage <namespace>/<pod>`)),
      looked,
    ]);
  }
  const title = found.searchedPods === undefined ? `${noPod}.` : notYet;
  return {
    ...say('warn', title, [...candidateList('Did you mean', found.nearest), ...cutList(found.searchedPods), looked]),
    choices: choicesOf(found.nearest, found.cluster),
  };
}

function noPods({ workload, namespace, replicas, why, cluster }: Extract<NothingRead, { kind: 'no-pods' }>): Message {
  const where = note(`namespace ${namespace} of ${cluster} · code not-found`);
  if (why !== undefined) {
    return say('bad', `${workload} cannot create its pods.`, [quote('The API server says', why.split('\n')), where]);
  }
  return say('warn', replicas === 0 ? `${workload} is scaled to 0.` : `${workload} has no pods.`, [where]);
}

// A truncated list proves nothing about the pods after the cut.
function cutList(searchedPods: number | undefined): Block[] {
  if (searchedPods === undefined) return [];
  const words = `Searched only the first ${searchedPods.toLocaleString('en-US')} pods. Type the namespace and the full name.`;
  return [paragraph(words)];
}

function candidateList(title: string, candidates: readonly PodCandidate[]): Block[] {
  const items = candidates
    .slice(0, 8)
    .map(({ namespace, pod, state }) => [code(clip(`${namespace}/${pod}`, 300)), ` ${clip(state, 100)}`]);
  return list(title, items.length === 0 ? [['none that this channel may see']] : items);
}

function choicesOf(candidates: readonly PodCandidate[], cluster: string): NonNullable<Message['choices']> {
  return candidates.slice(0, 5).map(({ namespace, pod }) => ({
    asks: 'triage-candidate' as const,
    label: clip(pod, 70),
    value: `${cluster}/${namespace}/${pod}`,
  }));
}

type Sought = Extract<NothingRead, { kind: 'not-found' | 'forbidden' }>;

function lookedIn({ kind, searched, cluster }: Sought): Block {
  const shown = searched.slice(0, 6).join(', ');
  const more = searched.length > 6 ? ` and ${searched.length - 6} more` : '';
  const places = searched.length === 0 ? 'no namespace' : `${shown}${more}`;
  return note(`searched ${places} in ${cluster} · code ${kind}`);
}

function withLink(words: string, link: string | undefined): Block {
  return link === undefined ? paragraph(words) : paragraph(`${words} `, { kind: 'link', text: 'open it', url: link });
}

/** What failed, the next step, and the error code. Text to paste has its own block. */
export function refusal(error: OomError, query: string): Message {
  const [words = '', ...paste] = error.next.split('\n');
  const blocks: Block[] = [paragraph(words === '' ? 'Try again.' : words)];
  if (paste.length > 0) blocks.push(quote('To paste', paste));
  const asked = query.trim() === '' ? [] : ['request ', code(clip(query.trim(), 150)), ' · '];
  blocks.push(note(...asked, `code ${error.code}`));
  return say('bad', error.message, blocks);
}
