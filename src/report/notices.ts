import type { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import { type Block, bold, code, type Message } from '../model/message.ts';
import type { PodCandidate, Unresolved } from '../model/unresolved.ts';
import { clip, list, note, paragraph, quote, say } from './words/sentence.ts';

/** Another reading of the same workload is under way. */
export function alreadyReading(pod: string, link: string | undefined): Message {
  const where = link === undefined ? 'Its card appears in this channel.' : 'Its card:';
  return say('info', `Pods of this workload are being read already: ${clip(pod, 150)}.`, [withLink(where, link)]);
}

export function notStored(): Message {
  return say('warn', 'The finding could not be stored: it is shown, but will not be in status or history.', [
    paragraph('Those who run oombot find the reason in its log (store-failed).'),
  ]);
}

/** The finding for the asker alone, since the bot may not post where it was asked. */
export function cannotPost(message: Message, next: string | undefined): Message {
  const why = paragraph(bold('Only you see this: '), next ?? 'the card could not be posted in this channel.');
  return { ...message, blocks: [why, ...message.blocks] };
}

/** In the thread of an older card: this reading found another cause. */
export function movedTo(link: string | undefined): Message {
  return say(
    'info',
    'Another cause this time: it has a card of its own.',
    link === undefined ? [] : [withLink('See', link)],
  );
}

/** In the place of a second copy of a message. */
export function shownAt(link: string | undefined): Message {
  return say('info', 'This message was posted twice; the other copy is the current one.', [
    ...(link === undefined ? [] : [withLink('See', link)]),
  ]);
}

/** In the place of the progress: the same failure as before. */
export function seenAgain(
  incident: Pick<Incident, 'seen' | 'cause' | 'openedAt' | 'pod'>,
  link: string | undefined,
): Message {
  const seen = incident.seen === 1 ? 'The same death as before' : `The same failure again, seen ${incident.seen} times`;
  return say('warn', `${seen}: ${incident.cause}.`, [
    note('now in pod ', code(clip(incident.pod, 200)), ', first seen ', { kind: 'time', at: incident.openedAt }),
    ...(link === undefined ? [] : [withLink('Its card:', link)]),
  ]);
}

/** In the place of a reading that a restart of the bot cut off. */
export function interrupted(query: string, again: boolean, commandName: string): Message {
  if (again) return say('info', 'oombot was restarted during this reading; it is done again below.');
  return say('warn', 'oombot was restarted during this reading, which was not finished.', [
    paragraph('To read it now, type ', code(`${commandName} triage ${clip(query, 200)}`)),
  ]);
}

/** A request that a restart cut off and that is not carried out again. */
export function cutOff(text: string, commandName: string): Message {
  const again = text === '' ? [] : [paragraph('You asked for ', code(clip(`${commandName} ${text}`, 200)))];
  return say('warn', 'oombot was restarted before it answered you. Look at the card, then ask again.', again);
}

export function unknownVerb(word: string, nearest: string | undefined, commandName: string): Message {
  const meant = nearest === undefined ? [] : [paragraph('Did you mean ', code(`${commandName} ${nearest}`), '?')];
  return say('warn', `oombot does not know the word “${clip(word, 60)}”.`, [
    ...meant,
    paragraph(
      'Words: ',
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

/** Why nothing was read: of the words themselves, or of the cluster. */
export type NothingRead = { readonly kind: 'empty' | 'unclear'; readonly from: 'command' | 'message' } | Unresolved;

/** Words and the next step for the asker alone. */
export function unresolved(found: NothingRead, commandName: string): Message {
  switch (found.kind) {
    case 'empty':
    case 'unclear':
      return unclear(found, commandName);
    case 'ambiguous':
      return {
        ...say('warn', 'Several pods fit. Which one?', [
          ...candidateList('Candidates, the bad ones first', found.candidates),
          ...cutList(found.searchedPods),
        ]),
        choices: choicesOf(found.candidates, found.cluster),
      };
    case 'not-found':
      return notFound(found, commandName);
    case 'no-pods':
      return noPods(found);
    case 'forbidden':
      return say('bad', `The API server refused to let oombot look: ${found.rule}.`, [
        ...(found.manifest === undefined
          ? []
          : [quote('Someone who may grant it applies this', found.manifest.split('\n'))]),
        lookedIn(found),
      ]);
    case 'refused':
      return say('bad', found.why, [paragraph(found.next), note('code not-allowed')]);
  }
}

function unclear(
  { kind, from }: { kind: 'empty' | 'unclear'; from: 'command' | 'message' },
  commandName: string,
): Message {
  if (from === 'message') {
    return say('warn', 'No pod is named in this message.', [
      paragraph('Type ', code(`${commandName} triage <namespace>/<pod>`), ' instead.'),
    ]);
  }
  return say('warn', kind === 'empty' ? 'Which pod?' : 'This names no pod that Kubernetes could have.', [
    paragraph(
      'Type ',
      code(`${commandName} triage [cluster/][namespace/]pod [container]`),
      ', or paste a line of ',
      code('kubectl get pods'),
      '.',
    ),
  ]);
}

function notFound(found: Extract<NothingRead, { kind: 'not-found' }>, commandName: string): Message {
  const looked = lookedIn(found);
  if (found.nearest.length === 0) {
    const title = found.searchedPods === undefined ? 'No such pod, and none with a name like it.' : 'Not found yet.';
    return say('warn', title, [
      ...cutList(found.searchedPods),
      paragraph('Check the namespace: ', code(`${commandName} triage <namespace>/<pod>`)),
      looked,
    ]);
  }
  const title =
    found.searchedPods === undefined ? 'No such pod. These names are near:' : 'Not found yet. These names are near:';
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

// A list that was cut proves nothing about the pods beyond it.
function cutList(searchedPods: number | undefined): Block[] {
  if (searchedPods === undefined) return [];
  const words = `Only ${searchedPods.toLocaleString('en-US')} pods were searched, there are more. Type the namespace and the whole name.`;
  return [paragraph(words)];
}

function candidateList(title: string, candidates: readonly PodCandidate[]): Block[] {
  const items = candidates
    .slice(0, 8)
    .map(({ namespace, pod, state }) => [code(clip(`${namespace}/${pod}`, 300)), ` ${clip(state, 100)}`]);
  return list(title, items.length === 0 ? [['none that may be shown in this channel']] : items);
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
  return note(`looked in ${places} of ${cluster} · code ${kind}`);
}

function withLink(words: string, link: string | undefined): Block {
  return link === undefined ? paragraph(words) : paragraph(`${words} `, { kind: 'link', text: 'the card', url: link });
}

/** What failed, what to do next, and the code at the end. What is to be pasted stands apart. */
export function refusal(error: OomError, query: string): Message {
  const [words = '', ...paste] = error.next.split('\n');
  const blocks: Block[] = [paragraph(words === '' ? 'Try again.' : words)];
  if (paste.length > 0) blocks.push(quote('To paste', paste));
  const asked = query.trim() === '' ? [] : ['asked for ', code(clip(query.trim(), 150)), ' · '];
  blocks.push(note(...asked, `code ${error.code}`));
  return say('bad', error.message, blocks);
}
