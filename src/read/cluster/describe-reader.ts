import type { Cited } from '../../model/engine-reader.ts';
import { cited } from '../text/lines.ts';
import { parseTime } from '../text/when.ts';
import {
  type ConditionView,
  type ContainerView,
  type EventView,
  NO_POD,
  type PodView,
  type VolumeView,
} from './container-states.ts';
import { ContainerDraft } from './describe-container.ts';
import { isInlineWords, isStateSibling, type KeyLine } from './describe-lines.ts';
import { eventRow, type PodRow, podRow } from './describe-tables.ts';

const FILE = 'describe.txt';

/** What one description tells; `pod` without what rows of tables say about it. */
export type SectionReading = {
  readonly pod: PodView;
  readonly events: readonly EventView[];
  readonly hasEvents: boolean;
  readonly rows: readonly PodRow[];
};

const SECTIONS = [
  'limits',
  'requests',
  'command',
  'args',
  'environment',
  'mounts',
  'state',
  'laststate',
  'lastfailureinfo',
] as const;
const CONTAINER_FIELDS = new Set([
  ...SECTIONS,
  'image',
  'ready',
  'restartcount',
  'liveness',
  'readiness',
  'startup',
  'containerid',
  'imageid',
  'port',
  'hostport',
  'ports',
  'hostports',
  'resources',
]);
// A variable pasted without the `Environment:` above it.
const ENV_LINE = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/;
const CONTAINER_LISTS: Readonly<Record<string, ContainerView['kind']>> = {
  containers: 'container',
  containerstatuses: 'container',
  initcontainers: 'init',
  initcontainerstatuses: 'init',
  // `kubectl debug` puts them next to the others: their termination is not the engine's.
  ephemeralcontainers: 'sidecar',
  ephemeralcontainerstatuses: 'sidecar',
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The description of one pod, fragments of it, tables and loose lines. Never throws. */
export function readSection(lines: readonly KeyLine[]): SectionReading {
  const reader = new SectionReader();
  for (const line of lines) reader.take(line);
  return reader.reading();
}

class SectionReader {
  readonly #pod: Mutable<PodView> = { ...NO_POD };
  readonly #drafts: ContainerDraft[] = [];
  readonly #conditions: ConditionView[] = [];
  readonly #volumes = new Map<string, Mutable<VolumeView>>();
  readonly #events: EventView[] = [];
  readonly #rows: PodRow[] = [];
  #hasEvents = false;
  #hasItems = false;

  take(at: KeyLine): void {
    if (this.#takeTable(at)) return;
    if (this.#takeContainer(at)) return;
    if (this.#takeCondition(at)) return;
    if (this.#takeVolume(at)) return;
    this.#takePod(at);
  }

  reading(): SectionReading {
    const containers = mergeByName(this.#drafts.map((draft) => draft.view()));
    const pod = { ...this.#pod, conditions: this.#conditions, containers, volumes: [...this.#volumes.values()] };
    return {
      pod,
      events: this.#events,
      hasEvents: this.#hasEvents,
      rows: this.#rows,
    };
  }

  #takeTable(at: KeyLine): boolean {
    const event = at.path.some((key) => key === 'environment' || key === 'args') ? undefined : eventRow(at.line);
    if (event !== undefined) {
      this.#events.push(event);
      this.#hasEvents = true;
      return true;
    }
    const row = podRow(at.line);
    if (row !== undefined) this.#rows.push(row);
    return row !== undefined;
  }

  #takeContainer(at: KeyLine): boolean {
    const section = at.path.findLastIndex((key) => (SECTIONS as readonly string[]).includes(key));
    if (section >= 0) {
      const draft = this.#draftAt(at, section);
      const inside = at.path[section] ?? '';
      return isStateSibling(inside, at) ? draft.takeField(at) : draft.takeInside(inside, at);
    }
    const list = CONTAINER_LISTS[at.path.at(-1) ?? ''];
    if (list !== undefined && at.name !== undefined) return this.#openContainer(at, list);
    if (isLooseState(at)) return this.#draftAt(at, at.path.length).takeInside('laststate', at);
    if (isInlineWords(at)) return this.#draftAt(at, at.path.length).takeWords(at);
    if (ENV_LINE.test(at.name ?? '')) return this.#draftAt(at, at.path.length).takeInside('environment', at);
    if (at.name === undefined || !CONTAINER_FIELDS.has(at.key)) return false;
    const draft = this.#draftAt(at, at.path.length);
    draft.seen.add(at.key);
    draft.takeField(at);
    return true;
  }

  // `  vllm:` below `Containers:`, or `- name: vllm` in YAML, where the fields of an item follow its dash.
  #openContainer(at: KeyLine, kind: ContainerView['kind']): boolean {
    if (at.item) {
      this.#hasItems = true;
      this.#drafts.push(new ContainerDraft(undefined, kind));
    } else if (!this.#hasItems) {
      this.#drafts.push(new ContainerDraft(cited(at.name ?? '', FILE, at.line), kind));
      return true;
    }
    this.#drafts.at(-1)?.takeField(at);
    return true;
  }

  // A fragment has no container above it; the same field twice then means another container.
  #draftAt(at: KeyLine, depth: number): ContainerDraft {
    const current = this.#drafts.at(-1);
    const isInside = at.path.slice(0, depth).some((key) => Object.hasOwn(CONTAINER_LISTS, key));
    const isRepeat = depth === at.path.length && current?.seen.has(at.key) === true;
    if (current !== undefined && (isInside || !isRepeat)) return current;
    const parent = at.names[depth - 1];
    const named = parent === undefined || !/^[a-z0-9-]+$/.test(parent) || parent === 'resources' ? undefined : parent;
    const draft = new ContainerDraft(named === undefined ? undefined : cited(named, FILE, at.line), 'container');
    this.#drafts.push(draft);
    return draft;
  }

  #takeCondition(at: KeyLine): boolean {
    if (!at.path.includes('conditions')) return false;
    const match = /^\s*([A-Za-z][\w./-]*)\s+(True|False|Unknown)\s*$/.exec(at.line.text);
    if (match !== null) {
      const status = cited(match[2] ?? '', FILE, at.line);
      this.#conditions.push({
        type: match[1] ?? '',
        status,
        reason: undefined,
        message: undefined,
        changedAt: undefined,
      });
    }
    return true;
  }

  #takeVolume(at: KeyLine): boolean {
    if (at.path[0] !== 'volumes') return false;
    const name = at.names[1];
    if (name === undefined || at.name === undefined) return true;
    const volume = this.#volumes.get(name) ?? {
      name,
      medium: undefined,
      sizeLimit: undefined,
    };
    this.#volumes.set(name, volume);
    const value = at.value.startsWith('<unset>') ? undefined : cited(at.value, FILE, at.line);
    if (at.key === 'medium') volume.medium = value;
    if (at.key === 'sizelimit') volume.sizeLimit = value;
    return true;
  }

  #takePod(at: KeyLine): boolean {
    if (at.key === 'events') this.#hasEvents = true;
    if (at.name === undefined || at.value === '' || at.path.length > 1) return at.key === 'events';
    const value = cited(at.value, FILE, at.line);
    const time = parseTime(at.value);
    const when: Cited<number> | undefined = time === undefined ? undefined : { value: time, from: value.from };
    const fields: Readonly<Record<string, Partial<Mutable<PodView>>>> = {
      name: { name: value },
      namespace: { namespace: value },
      node: { node: at.value === '<none>' ? undefined : { value: at.value.split('/')[0] ?? '', from: value.from } },
      status: phaseOf(value),
      phase: phaseOf(value),
      reason: { reason: value },
      message: { message: value },
      starttime: { createdAt: when },
    };
    if (!Object.hasOwn(fields, at.key)) return false;
    Object.assign(this.#pod, fields[at.key]);
    return true;
  }
}

// `Reason: OOMKilled`, `Exit Code: 137` pasted without the `Last State` above them. The pod has a reason of its own.
function isLooseState(at: KeyLine): boolean {
  if (at.path.includes('conditions')) return false;
  if (['exitcode', 'started', 'finished', 'finishedat'].includes(at.key)) return true;
  return at.key === 'reason' && /^(?:OOMKilled|Error|Completed|ContainerCannotRun|StartError)$/.test(at.value);
}

// `Status: Terminating (lasts 5m)` stands for a deletion time, which describe does not print.
function phaseOf(value: Cited<string>): Partial<PodView> {
  const word = value.value.split(' ')[0] ?? '';
  return { phase: { value: word, from: value.from } };
}

// YAML has a container twice, in the spec and in the status.
function mergeByName(views: readonly ContainerView[]): readonly ContainerView[] {
  const merged: ContainerView[] = [];
  for (const view of views) {
    const at = merged.findIndex((other) => other.name !== undefined && other.name.value === view.name?.value);
    const before = merged[at];
    if (before === undefined) merged.push(view);
    else merged[at] = { ...before, ...filled(view) };
  }
  return merged;
}

function filled(view: ContainerView): Partial<ContainerView> {
  const isFilled = (value: unknown): boolean =>
    value !== undefined && !(Array.isArray(value) && value.length === 0) && !(value instanceof Map && value.size === 0);
  return Object.fromEntries(Object.entries(view).filter(([, value]) => isFilled(value)));
}
