import type { Citation } from '../../model/citation.ts';
import type { Placed } from '../../model/json-file.ts';
import type { ContainerSpec, Revision } from '../../model/kubernetes.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { fieldOf, pointerWord } from './read-pod-json.ts';

const field = fieldOf('revisions.json');

/** One difference between two revisions: `key` is `image`, `limits.memory` or the name of a flag or variable. */
export type Change = {
  readonly key: string;
  /** Undefined for what belongs to none. */
  readonly container: string | undefined;
  readonly before: Scalar;
  readonly now: Scalar;
  readonly says: string;
  readonly from: readonly Citation[];
};
type Scalar = string | number | undefined;

/** The revisions that are compared: that of the pod that died, where its labels name it, and the one before. */
type Pair = { readonly now: Placed<Revision>; readonly before: Placed<Revision> };

// A pod of the old revision may die while the new one rolls out.
const HASH_LABELS = ['pod-template-hash', 'rollouts-pod-template-hash', 'controller-revision-hash'];

/** Undefined where there are not two. `labels` are those of the pod. */
export function pairOf(
  revisions: readonly Placed<Revision>[],
  labels: Readonly<Record<string, string>> = {},
): Pair | undefined {
  const hash = HASH_LABELS.map((label) => labels[label]).find((value) => value !== undefined && value !== '');
  const own = hash === undefined ? -1 : revisions.findIndex(({ value }) => isNamed(value.name, hash));
  const [now, before] = ofOneWorkload(revisions.slice(Math.max(0, own)), own !== -1);
  return now === undefined || before === undefined ? undefined : { now, before };
}

// Of several workloads only the labels tell which is the pod's.
function ofOneWorkload(revisions: readonly Placed<Revision>[], isNamed: boolean): readonly Placed<Revision>[] {
  const own = revisions.filter(({ value }) => value.owner === revisions[0]?.value.owner);
  return isNamed || own.length === revisions.length ? own : [];
}

// A ReplicaSet is `<workload>-<hash>`; the label of a StatefulSet's pod bears the whole name.
function isNamed(name: string | undefined, hash: string): boolean {
  return name === hash || name?.endsWith(`-${hash}`) === true;
}

/** Every difference, in the order in which it is told. */
export function changesOf({ now, before }: Pair): readonly Change[] {
  return containerChanges(now, before);
}

/** What changed between the last two revisions: `image: a -> b; args: --max-model-len 8192 -> 32768`; `nothing` when they are equal. */
export function readRevisionChange(
  revisions: readonly Placed<Revision>[],
  labels?: Readonly<Record<string, string>>,
): Reading<string> {
  if (revisions.length === 0) return unknown('empty', 'no revision of the workload is in the snapshot');
  const pair = pairOf(revisions, labels);
  if (pair === undefined) return unknown('empty', 'no revision before that of the pod is in the snapshot');
  const { now } = pair;
  const changes = changesOf(pair);
  if (changes.length > 0) {
    const from = changes.flatMap((change) => change.from).slice(0, MAX_CITED);
    return known(changes.map((change) => change.says).join('; '), ...from);
  }
  const proof = field(now.value.name, `${now.path}/name`);
  if (proof === undefined) return unknown('failed', 'the revisions could not be compared');
  return known('nothing', proof.from);
}

const MAX_CITED = 12;

function compare(what: string, now: readonly [Scalar, string], before: readonly [Scalar, string]): Change[] {
  if (now[0] === before[0]) return [];
  const from = [field(now[0], now[1]), before[1] === '' ? undefined : field(before[0], before[1])];
  return [
    {
      key: what,
      container: undefined,
      before: before[0],
      now: now[0],
      says: `${what}: ${shown(before[0])} -> ${shown(now[0])}`,
      from: from.flatMap((cited) => (cited === undefined ? [] : [cited.from])),
    },
  ];
}

function shown(value: Scalar): string {
  if (value === undefined) return '(not set)';
  const text = String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

type Located = { readonly spec: ContainerSpec; readonly path: string };

function containerChanges(now: Placed<Revision>, before: Placed<Revision>): Change[] {
  const old = containersOf(before);
  const fresh = containersOf(now);
  return fresh.flatMap((container) => {
    const twin = old.find((candidate) => candidate.spec.name === container.spec.name);
    if (twin === undefined)
      return compare('container', [container.spec.name, `${container.path}/name`], [undefined, '']);
    const prefix = fresh.length > 1 ? `${container.spec.name ?? '?'} ` : '';
    return differences(container, twin).map((change) => {
      return { ...change, container: container.spec.name, says: `${prefix}${change.says}` };
    });
  });
}

function containersOf(revision: Placed<Revision>): Located[] {
  const { spec } = revision.value.template ?? {};
  const path = `${revision.path}/template/spec`;
  return [
    ...(spec?.containers ?? []).map((container, i) => ({ spec: container, path: `${path}/containers/${i}` })),
    ...(spec?.initContainers ?? []).map((container, i) => ({ spec: container, path: `${path}/initContainers/${i}` })),
  ];
}

function differences(now: Located, before: Located): Change[] {
  return [
    ...compare('image', [now.spec.image, `${now.path}/image`], [before.spec.image, `${before.path}/image`]),
    ...words('command', now, before),
    ...words('args', now, before),
    ...env(now, before),
    ...resources('limits', now, before),
    ...resources('requests', now, before),
  ];
}

/** A flag with its value, the word that holds the value, and where that word stands. */
type Flag = { readonly value: string | undefined; readonly word: string; readonly path: string };

function words(key: 'command' | 'args', now: Located, before: Located): Change[] {
  const fresh = flagsOf(now.spec[key] ?? [], `${now.path}/${key}`);
  return flagChanges(key, fresh, flagsOf(before.spec[key] ?? [], `${before.path}/${key}`));
}

type Flags = ReadonlyMap<string, Flag>;

function flagChanges(what: string, now: Flags, before: Flags): Change[] {
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((name) => {
    const [a, b] = [before.get(name), now.get(name)];
    if (a?.value === b?.value && (a === undefined) === (b === undefined)) return [];
    const from = [b, a].flatMap((flag) => (flag === undefined ? [] : (field(flag.word, flag.path)?.from ?? [])));
    return [
      {
        key: name,
        container: undefined,
        before: wordOf(a),
        now: wordOf(b),
        says: `${what}: ${flagChange(name, a, b)}`,
        from,
      },
    ];
  });
}

// A switch has no value, and is not the same as one that is not there.
function wordOf(flag: Flag | undefined): string | undefined {
  return flag === undefined ? undefined : (flag.value ?? '');
}

function flagChange(name: string, before: Flag | undefined, now: Flag | undefined): string {
  if (before === undefined) return `${name}${now?.value === undefined ? '' : ` ${shown(now.value)}`} added`;
  if (now === undefined) return `${name} removed`;
  return `${name} ${shown(before.value)} -> ${shown(now.value)}`;
}

// `--flag value` and `--flag=value` are one flag; a word that belongs to none is compared by its place.
function flagsOf(list: readonly string[], path: string): Flags {
  const flags = new Map<string, Flag>();
  for (let i = 0; i < list.length; i += 1) {
    const word = list[i] ?? '';
    const next = list[i + 1];
    const joined = /^(--?[^=\s]+)=(.*)$/s.exec(word);
    const place = `${path}/${i}`;
    if (joined !== null) flags.set(joined[1] ?? '', { value: joined[2], word, path: place });
    else if (!word.startsWith('-')) flags.set(`word ${i + 1}`, { value: word, word, path: place });
    else if (next === undefined || /^--?[A-Za-z]/.test(next)) flags.set(word, { value: undefined, word, path: place });
    else {
      flags.set(word, { value: next, word: next, path: `${path}/${i + 1}` });
      i += 1;
    }
  }
  return flags;
}

function env(now: Located, before: Located): Change[] {
  return flagChanges('env', variablesOf(now), variablesOf(before));
}

function variablesOf({ spec, path }: Located): Flags {
  return new Map(
    (spec.env ?? []).flatMap(({ name, value }, i) => {
      if (name === undefined) return [];
      const place = `${path}/env/${i}/${value === undefined ? 'name' : 'value'}`;
      return [[name, { value, word: value ?? name, path: place }]];
    }),
  );
}

function resources(key: 'limits' | 'requests', now: Located, before: Located): Change[] {
  const [fresh, old] = [now.spec.resources?.[key] ?? {}, before.spec.resources?.[key] ?? {}];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((name) => {
    const at = (located: Located): string => `${located.path}/resources/${key}/${pointerWord(name)}`;
    return compare(`${key}.${name}`, [fresh[name], at(now)], [old[name], at(before)]);
  });
}
