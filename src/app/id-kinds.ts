type Kind = 'plan' | 'run' | 'incident' | 'temporary change';

const PREFIXES: Readonly<Record<string, Kind>> = {
  plan: 'plan',
  run: 'run',
  inc: 'incident',
  chg: 'temporary change',
};

/** Whether a word is the id of an incident, a plan, a run or a temporary change; no name of Kubernetes holds a `_`. */
export function isOombotId(word: string): boolean {
  return kindOf(word) !== undefined;
}

/**
 * The kind of an id of the wrong kind, and the commands that take it: people paste the id at hand. Undefined if it is not
 * an id, or is of the wanted kind. Does not reveal whether the id exists.
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
    pod: 'Name a pod here, such as `llm/vllm-0`.',
    incident: `Name an incident here, \`inc_…\`: ${typed('status')} lists the open ones.`,
  };
  return {
    says: `${id} is ${kind === 'incident' ? 'an incident' : `a ${kind}`} id.`,
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
    ['rollback', 'rolls it back'],
  ],
  incident: [
    ['explain', 'explains it'],
    ['plan', 'plans a change'],
  ],
  'temporary change': [
    ['changes patch', 'shows it'],
    ['changes close', 'closes it'],
  ],
};

function kindOf(word: string): Kind | undefined {
  const [, prefix = ''] = /^([a-z]+)_\w+$/.exec(word) ?? [];
  return Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined;
}
