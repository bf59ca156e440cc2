import type { FactEntry, FactValue, Unit } from '../model/fact.ts';
import { formatValue } from '../model/format-value.ts';
import { type CompileContext, findFact, type Keys } from './compile-context.ts';
import type { Condition, FactTest, Order } from './compiled.ts';
import { COMPARISONS, type Comparison, type ConditionFile, GROUPS } from './format.ts';
import { unknownName } from './problem.ts';
import { show } from './shape-problems.ts';
import { readValue } from './value.ts';

const ORDERED: ReadonlySet<Unit> = new Set(['share', 'bytes', 'duration', 'count', 'tokens', 'ratio']);

/** A condition with facts found and marks in the unit of their fact; undefined, with the problems noted, where that fails. */
export function compileCondition(raw: ConditionFile, keys: Keys, context: CompileContext): Condition | undefined {
  const group = GROUPS.find((name) => raw[name] !== undefined);
  if (group === undefined) return compileFact(raw, keys, context);
  if (group === 'not') {
    const inner = raw.not === undefined ? undefined : compileCondition(raw.not, [...keys, 'not'], context);
    return inner === undefined ? undefined : { kind: 'not', of: [inner] };
  }
  const parts = (raw[group] ?? []).map((part, index) => compileCondition(part, [...keys, group, index], context));
  const sound = parts.filter((part) => part !== undefined);
  return sound.length === parts.length ? { kind: group, of: sound } : undefined;
}

function compileFact(raw: ConditionFile, keys: Keys, context: CompileContext): Condition | undefined {
  const comparison = COMPARISONS.find((name) => raw[name] !== undefined);
  if (raw.fact === undefined || comparison === undefined) return undefined;
  const entry = findFact(raw.fact, [...keys, 'fact'], context);
  if (entry === undefined) return undefined;
  if (raw.known !== undefined) {
    const text = `${entry.id} is ${raw.known ? 'known' : 'unknown'}`;
    return { kind: 'fact', entry, test: { kind: 'known', wanted: raw.known }, text };
  }
  const read = compileTest(raw, comparison, { entry, keys: [...keys, comparison], context });
  if (read === undefined) return undefined;
  const compared: Condition = { kind: 'fact', entry, test: read.test, text: `${entry.id} ${comparison} ${read.text}` };
  return raw['or-unknown'] === true ? { kind: 'any', of: [compared, isUnknown(entry)] } : compared;
}

function isUnknown(entry: FactEntry): Condition {
  return { kind: 'fact', entry, test: { kind: 'known', wanted: false }, text: `${entry.id} is unknown` };
}

type ReadTest = { readonly test: FactTest; readonly text: string };

function compileTest(raw: ConditionFile, comparison: Comparison, place: Place): ReadTest | undefined {
  if (comparison === 'known' || comparison === 'is' || comparison === 'in') {
    const isList = comparison === 'in';
    const operands = isList ? (raw.in ?? []) : [raw.is];
    const read = operands.map((one, i) => readOperand(one, isList ? { ...place, keys: [...place.keys, i] } : place));
    const sound = read.filter((part) => part !== undefined);
    if (sound.length < read.length) return undefined;
    const text = sound.map((part) => part.text).join(', ');
    return { test: { kind: 'one-of', values: sound.map((part) => part.value) }, text: isList ? `[${text}]` : text };
  }
  const mark = readMark(raw[comparison], comparison, place);
  if (mark === undefined) return undefined;
  return { test: { kind: 'order', order: comparison, mark: mark.value }, text: mark.text };
}

type ReadOperand<T> = { readonly value: T; readonly text: string };

/** What stands right of a comparison with one fact. */
type Place = { readonly entry: FactEntry; readonly keys: Keys; readonly context: CompileContext };

function readOperand(raw: unknown, { entry, keys, context }: Place): ReadOperand<FactValue> | undefined {
  const { unit, id } = entry;
  if (unit === 'time') {
    return context.fault(keys, `${id} is a time; the only test is \`known\``);
  }
  const name = typeof raw === 'string' && raw.startsWith('$') ? raw.slice(1) : undefined;
  const literal = name === undefined ? raw : readThreshold(name, keys, context);
  if (literal === undefined) return undefined;
  const value = readValue(entry, literal);
  if (value.kind === 'bad') {
    return context.fault(keys, name === undefined ? value.message : `$${name} does not fit here: ${value.message}`);
  }
  const text = formatValue(unit, value.value);
  return { value: value.value, text: name === undefined ? text : `${text} ($${name})` };
}

function readMark(raw: unknown, order: Order, place: Place): ReadOperand<number> | undefined {
  const { entry, keys, context } = place;
  const { unit, id } = entry;
  if (unit !== 'time' && !ORDERED.has(unit)) {
    const message = `${id} is ${unit} and has no order; \`${order}\` needs a number, use \`is\` or \`in\``;
    return context.fault(keys, message, true);
  }
  const isName = typeof raw === 'string' && raw.startsWith('$');
  if (!isName && raw !== 0) {
    const literal = readValue(entry, raw);
    const advice = 'give it a name, a reason and a source under `thresholds` and write `$name` here';
    const unnamed = `${show(raw)} is a threshold without a name; ${advice}`;
    return context.fault(keys, literal.kind === 'bad' ? literal.message : unnamed);
  }
  const read = readOperand(raw, place);
  return typeof read?.value === 'number' ? { value: read.value, text: read.text } : undefined;
}

function readThreshold(name: string, keys: Keys, context: CompileContext): number | string | undefined {
  const { thresholds, usedThresholds } = context;
  usedThresholds.add(name);
  return thresholds.get(name) ?? context.fault(keys, unknownName('threshold', name, thresholds.keys()));
}
