// Hashes of Deployments and random suffixes hold no vowels and no digit that looks like a letter.
const SAFE = '[bcdfghjklmnpqrstvwxz2456789]';
const OF_DEPLOYMENT = new RegExp(`^(.+)-${SAFE}{1,10}-${SAFE}{5}$`);
const OF_GROUP = /^(.+?)-\d+-\d+$/;
const OF_SET = /^(.+)-\d+$/;

/** What a pod's name says about its workload; `bare` where it looks like no pod's name. */
export type NameForm = { readonly kind: 'deployment' | 'group' | 'set' | 'bare'; readonly base: string };

export function formOf(name: string): NameForm {
  const deployment = OF_DEPLOYMENT.exec(name)?.[1];
  if (deployment !== undefined) return { kind: 'deployment', base: deployment };
  const group = OF_GROUP.exec(name)?.[1];
  if (group !== undefined) return { kind: 'group', base: group };
  const set = OF_SET.exec(name)?.[1];
  return set === undefined ? { kind: 'bare', base: name } : { kind: 'set', base: set };
}

/** Workload names that a pod's name may have been made from, the likeliest first: `a-0-1` is of the group `a` or of the set `a-0`. */
export function basesOf(name: string): readonly string[] {
  const set = OF_SET.exec(name)?.[1];
  return [...new Set([formOf(name).base, ...(set === undefined ? [] : [set]), name])];
}

const OF_ONE_HASH = new RegExp(`^(.+)-${SAFE}{5}$`);

/** The workload that the name of a pod looks like a pod of; the name itself where it looks like none. */
export function guessWorkload(name: string): string {
  const form = formOf(name);
  return form.kind === 'bare' ? (OF_ONE_HASH.exec(name)?.[1] ?? name) : form.base;
}
