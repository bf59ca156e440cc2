import type { IncidentPlace } from '../ports.ts';

const POD_SUFFIX = /^(?:(?:-[a-z0-9]{6,10})?-[a-z0-9]{5}|-\d+)$/;

/** The incidents, of these, whose pod or workload a word names: `vllm-0`, `llm/vllm-0` or `prod/llm/vllm-0`. */
export function incidentsNamed(word: string, places: readonly IncidentPlace[]): readonly IncidentPlace[] {
  const [name = '', namespace, cluster] = word.split('/').toReversed();
  return places.filter(
    (place) =>
      (namespace ?? place.namespace) === place.namespace &&
      (cluster ?? place.cluster) === place.cluster &&
      isOf(name, place.workload.slice(place.workload.indexOf('/') + 1)),
  );
}

function isOf(name: string, workload: string): boolean {
  return name === workload || (name.startsWith(workload) && POD_SUFFIX.test(name.slice(workload.length)));
}

/** Whether a word can only be a pod or workload with its namespace. */
export function isPlace(word: string): boolean {
  return /^(?:[a-z0-9.-]+\/){1,2}[a-z0-9.-]{2,}$/.test(word);
}

/** What to answer to a name that no open incident has. */
export function noneNamed(word: string, commandName?: string): { readonly says: string; readonly next: string } {
  const typed = (...words: string[]) => `\`${[commandName, ...words].filter(Boolean).join(' ')}\``;
  const name = word.slice(0, 60);
  return {
    says: `No open incident for ${name}.`,
    next: `${typed('triage', name)} looks at it now; ${typed('status')} lists the open incidents.`,
  };
}

const MOST_LISTED = 3;

/** `inc_a (Deployment/x), inc_b (Deployment/y), and 4 more in /oom status`. */
export function listIncidents(places: readonly IncidentPlace[], commandName?: string): string {
  const named = places.slice(0, MOST_LISTED).map(({ id, workload }) => `\`${id}\` (${workload})`);
  const more = places.length - MOST_LISTED;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more in \`${[commandName, 'status'].filter(Boolean).join(' ')}\`` : ''}`;
}
