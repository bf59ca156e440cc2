import type { Cited } from '../../model/engine-reader.ts';
import { parseJson } from '../../model/json-file.ts';
import { splitShell } from '../engine/shell-words.ts';
import { cited } from '../text/lines.ts';
import { parseTime } from '../text/when.ts';
import {
  type ContainerView,
  type EnvView,
  NO_CONTAINER,
  type ProbeView,
  type StateView,
  type Termination,
} from './container-states.ts';
import { type KeyLine, unquote } from './describe-lines.ts';

const FILE = 'describe.txt';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type StateDraft = Mutable<Omit<Termination, 'kind'>> & { word: string | undefined };

/** A container as its lines are read, one after the other. */
export class ContainerDraft {
  readonly seen = new Set<string>();
  readonly #view: Mutable<ContainerView> = { ...NO_CONTAINER };
  readonly #command: Cited<string>[] = [];
  readonly #args: Cited<string>[] = [];
  readonly #env: EnvView[] = [];
  readonly #limits = new Map<string, Cited<string>>();
  readonly #requests = new Map<string, Cited<string>>();
  readonly #mounts: { volume: string; path: string }[] = [];
  readonly #states: { state?: StateDraft; last?: StateDraft } = {};

  constructor(name: Cited<string> | undefined, kind: ContainerView['kind']) {
    this.#view.name = name;
    this.#view.kind = kind;
  }

  get name(): string | undefined {
    return this.#view.name?.value;
  }

  /** Takes a line that stands in a section of the container (`limits`, `args`, `laststate`); false if the section is none. */
  takeInside(section: string, at: KeyLine): boolean {
    switch (section) {
      case 'limits':
        return this.#quantity(this.#limits, at);
      case 'requests':
        return this.#quantity(this.#requests, at);
      case 'command':
        return this.#word(this.#command, at);
      case 'args':
        return this.#word(this.#args, at);
      case 'environment':
        return this.#variable(at);
      case 'mounts':
        return this.#mount(at);
      case 'state':
        return takeState(this.#stateOf('state'), at);
      case 'laststate':
      case 'lastfailureinfo':
        return takeState(this.#stateOf('last'), at);
      default:
        return false;
    }
  }

  /** Takes the words of a command or of arguments that follow their key. */
  takeWords(at: KeyLine): boolean {
    const into = at.key === 'command' ? this.#command : this.#args;
    const words = splitShell(at.value.replace(/^\[(.*)\]$/, '$1').replaceAll(/(?<=["']),/g, ' '));
    for (const { value, kind } of words) if (kind === 'word') into.push(cited(value, FILE, at.line));
    return true;
  }

  /** Takes a field of the container itself; false if it is none. */
  takeField(at: KeyLine): boolean {
    const value = cited(at.value, FILE, at.line);
    switch (at.key) {
      case 'name':
        this.#view.name = value;
        return true;
      case 'image':
        this.#view.image = value;
        return true;
      case 'containerid':
        this.#view.containerID = value;
        return true;
      case 'ready':
        this.#view.ready = { value: /^true$/i.test(at.value), from: value.from };
        return true;
      case 'restartcount':
        if (/^\d+$/.test(at.value)) this.#view.restarts = { value: Number(at.value), from: value.from };
        return true;
      case 'liveness':
      case 'readiness':
      case 'startup':
        this.#view[at.key] = probeOf(at);
        return true;
      case 'state':
        this.#stateOf('state').word = at.value;
        return true;
      case 'laststate':
        this.#stateOf('last').word = at.value;
        return true;
      default:
        return false;
    }
  }

  view(): ContainerView {
    return {
      ...this.#view,
      command: this.#command,
      args: this.#args,
      env: this.#env,
      limits: this.#limits,
      requests: this.#requests,
      mounts: this.#mounts,
      state: stateView(this.#states.state),
      lastState: stateView(this.#states.last),
    };
  }

  #stateOf(which: 'state' | 'last'): StateDraft {
    const draft = this.#states[which] ?? emptyState();
    this.#states[which] = draft;
    return draft;
  }

  #quantity(into: Map<string, Cited<string>>, at: KeyLine): boolean {
    if (at.name !== undefined && at.value !== '') into.set(at.name, cited(at.value, FILE, at.line));
    return true;
  }

  #word(into: Cited<string>[], at: KeyLine): boolean {
    const text = at.line.text.trim();
    into.push(cited(at.item ? unquote(text.replace(/^- +/, '')) : (jsonWord(text) ?? text), FILE, at.line));
    return true;
  }

  #variable(at: KeyLine): boolean {
    if (at.name === undefined) return true;
    // `<set to the key 'x' in secret 'y'>` is no value; `(v1:metadata.name)` tells where a value came from.
    const text = at.value.replace(/\s+\(v1:[\w.]+\)$/, '');
    const value = text.startsWith('<set to the key') ? undefined : cited(text, FILE, at.line);
    this.#env.push({ name: at.name, value });
    return true;
  }

  #mount(at: KeyLine): boolean {
    const match = /^(\S+) from (\S+)/.exec(at.line.text.trim());
    if (match !== null) this.#mounts.push({ path: match[1] ?? '', volume: match[2] ?? '' });
    return true;
  }
}

// A word of a JSON list, on a line of its own.
function jsonWord(text: string): string | undefined {
  const value = /^".*",?$/.test(text) ? parseJson(text.replace(/,$/, '')) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function emptyState(): StateDraft {
  return {
    word: undefined,
    reason: undefined,
    exitCode: undefined,
    signal: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    message: undefined,
    containerID: undefined,
  };
}

function takeState(draft: StateDraft, at: KeyLine): boolean {
  const value = cited(at.value, FILE, at.line);
  const number = /^-?\d+$/.test(at.value) ? { value: Number(at.value), from: value.from } : undefined;
  const time = parseTime(at.value);
  const when = time === undefined ? undefined : { value: time, from: value.from };
  const fields: Readonly<Record<string, () => void>> = {
    reason: () => Object.assign(draft, { reason: value }),
    exitcode: () => Object.assign(draft, { exitCode: number }),
    signal: () => Object.assign(draft, { signal: number }),
    message: () => Object.assign(draft, { message: value }),
    started: () => Object.assign(draft, { startedAt: when }),
    startedat: () => Object.assign(draft, { startedAt: when }),
    finished: () => Object.assign(draft, { finishedAt: when }),
    finishedat: () => Object.assign(draft, { finishedAt: when }),
    containerid: () => Object.assign(draft, { containerID: value }),
    terminated: () => Object.assign(draft, { word: 'Terminated' }),
    waiting: () => Object.assign(draft, { word: 'Waiting' }),
    // `docker inspect` has a yes or no of each state, and its own word for the kill.
    running: () => Object.assign(draft, at.value === 'false' ? {} : { word: 'Running' }),
    oomkilled: () => Object.assign(draft, at.value === 'true' ? { reason: { ...value, value: 'OOMKilled' } } : {}),
  };
  if (at.name === undefined || !Object.hasOwn(fields, at.key)) return false;
  fields[at.key]?.();
  return true;
}

function stateView(draft: StateDraft | undefined): StateView | undefined {
  if (draft === undefined) return undefined;
  if (/^waiting/i.test(draft.word ?? '')) return { kind: 'waiting', reason: draft.reason, message: draft.message };
  if (/^running/i.test(draft.word ?? '')) return { kind: 'running', startedAt: draft.startedAt };
  if (draft.reason === undefined && draft.exitCode === undefined) return undefined;
  const { word: _word, ...end } = draft;
  return { kind: 'terminated', ...end };
}

/** `http-get http://:8000/health delay=60s timeout=1s period=10s #success=1 #failure=3`. */
function probeOf(at: KeyLine): ProbeView | undefined {
  const number = (name: string): number | undefined => {
    const match = new RegExp(`\\b${name}=(\\d{1,6})`).exec(at.value);
    return match === null ? undefined : Number(match[1]);
  };
  return {
    delaySec: number('delay'),
    periodSec: number('period'),
    timeoutSec: number('timeout'),
    threshold: number('failure'),
    graceSec: undefined,
    from: cited(at.value, FILE, at.line).from,
  };
}
