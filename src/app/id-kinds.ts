type Kind = 'plan' | 'run' | 'incident';

const PREFIXES: Readonly<Record<string, Kind>> = { plan: 'plan', run: 'run', inc: 'incident' };

/** Whether a word is the id of an incident, a plan or a run; no name of Kubernetes holds a `_`. */
export function isOombotId(word: string): boolean {
  return kindOf(word) !== undefined;
}

/**
 * What an id stands for where another thing is wanted, and which commands take it: people paste the id that is next to
 * hand. Undefined for what is no id, or one of the kind that is wanted. Tells nothing of whether there is such a thing.
 */
export function wrongKindOfId(
  word: string,
  { wanted, command = '' }: { readonly wanted: 'pod' | 'incident'; readonly command?: string },
): { readonly says: string; readonly next: string } | undefined {
  const kind = kindOf(word);
  if (kind === undefined || kind === wanted) return undefined;
  const id = word.slice(0, 60);
  const typed = (...words: string[]) => `\`${[command, ...words].join(' ').trim()}\``;
  const verbs = TAKEN_BY[kind].map(([verb, does]) => `${typed(verb, id)} ${does}`);
  const here = {
    pod: 'Here a pod is wanted, such as `llm/vllm-0`.',
    incident: `Here an incident is wanted, \`inc_…\`: ${typed('status')} lists the open ones.`,
  };
  return {
    says: `${id} is the id of ${kind === 'incident' ? 'an' : 'a'} ${kind}.`,
    next: `${verbs.join(', ')}. ${here[wanted]}`,
  };
}

const TAKEN_BY: Readonly<Record<Kind, readonly (readonly [verb: string, does: string])[]>> = {
  plan: [
    ['approve', 'approves it'],
    ['reject', 'rejects it'],
  ],
  run: [
    ['abort', 'stops it'],
    ['rollback', 'takes it back'],
  ],
  incident: [
    ['explain', 'tells of it'],
    ['plan', 'plans a change'],
  ],
};

function kindOf(word: string): Kind | undefined {
  const [, prefix = ''] = /^([a-z]+)_\w+$/.exec(word) ?? [];
  return PREFIXES[prefix];
}
