import type { ActionEntry } from '../model/action-entry.ts';
import type { FactEntry } from '../model/fact.ts';
import type { Template } from './compiled.ts';
import { type LocateIn, type Problem, unknownName } from './problem.ts';

export type Keys = readonly PropertyKey[];

/** What the parts of one compilation share. `fault` and `warn` note a problem at a place of the file and answer undefined; `onKey` points at the key. */
export type CompileContext = {
  readonly facts: ReadonlyMap<string, FactEntry>;
  readonly actions: ReadonlyMap<string, ActionEntry>;
  readonly thresholds: ReadonlyMap<string, number | string>;
  readonly usedThresholds: Set<string>;
  readonly problems: Problem[];
  fault(keys: Keys, message: string, onKey?: boolean): undefined;
  warn(keys: Keys, message: string, onKey?: boolean): undefined;
};

type ContextInput = {
  readonly locate: LocateIn;
  readonly facts: readonly FactEntry[];
  readonly actions: readonly ActionEntry[];
  readonly thresholds: ReadonlyMap<string, number | string>;
};

export function createContext({ locate, facts, actions, thresholds }: ContextInput): CompileContext {
  const problems: Problem[] = [];
  const note = (severity: Problem['severity']) => (keys: Keys, message: string, onKey?: boolean) => {
    problems.push({ ...locate(keys, onKey), message, severity });
    return undefined;
  };
  return {
    facts: new Map(facts.map((entry) => [entry.id, entry])),
    actions: new Map(actions.map((entry) => [entry.id, entry])),
    thresholds,
    usedThresholds: new Set(),
    problems,
    fault: note('error'),
    warn: note('warning'),
  };
}

/** The catalogue's entry of a fact; notes a problem where there is none. */
export function findFact(
  id: string,
  keys: Keys,
  { facts, fault }: Pick<CompileContext, 'facts' | 'fault'>,
  onKey = false,
): FactEntry | undefined {
  return facts.get(id) ?? fault(keys, unknownName('fact', id, facts.keys()), onKey);
}

/** Text with `{{fact}}` in it; notes braces that are no placeholder and placeholders that are no fact. */
export function compileTemplate(text: string, keys: Keys, context: CompileContext): Template {
  const parts = text.split(/\{\{\s*([^{}]*?)\s*\}\}/);
  return parts.flatMap((part, index): Template => {
    if (index % 2 === 1) {
      const entry = findFact(part, keys, context);
      return entry === undefined ? [] : [entry];
    }
    if (part.includes('{{') || part.includes('}}')) {
      context.fault(keys, 'double braces without a fact; write a fact as {{gpu.want}}');
    }
    return part === '' ? [] : [part];
  });
}
