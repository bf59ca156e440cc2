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
    const text = `${entry.id} is ${raw.known ? 'known' : 'not known'}`;
    return { kind: 'fact', entry, test: { kind: 'known', wanted: raw.known }, text };
  }
  const operand = new OperandReader(entry, [...keys, comparison], context);
  const read = compileTest(raw, comparison, operand);
  if (read === undefined) return undefined;
  const compared: Condition = { kind: 'fact', entry, test: read.test, text: `${entry.id} ${comparison} ${read.text}` };
  return raw['or-unknown'] === true ? { kind: 'any', of: [compared, isUnknown(entry)] } : compared;
}

function isUnknown(entry: FactEntry): Condition {
  return { kind: 'fact', entry, test: { kind: 'known', wanted: false }, text: `${entry.id} is not known` };
}

type ReadTest = { readonly test: FactTest; readonly text: string };

function compileTest(raw: ConditionFile, comparison: Comparison, operand: OperandReader): ReadTest | undefined {
  if (comparison === 'known' || comparison === 'is' || comparison === 'in') {
    const list = comparison === 'in' ? (raw.in ?? []) : [raw.is];
    const read = list.map((value, index) => operand.read(value, comparison === 'in' ? [index] : []));
    const sound = read.filter((part) => part !== undefined);
    if (sound.length < read.length) return undefined;
    const text = sound.map((part) => part.text).join(', ');
    return {
      test: { kind: 'one-of', values: sound.map((part) => part.value) },
      text: comparison === 'in' ? `[${text}]` : text,
    };
  }
  const mark = operand.readMark(raw[comparison], comparison);
  if (mark === undefined) return undefined;
  return { test: { kind: 'order', order: comparison, mark: mark.value }, text: mark.text };
}

type ReadOperand<T> = { readonly value: T; readonly text: string };

/** Reads what stands right of a comparison with one fact. */
class OperandReader {
  readonly #entry: FactEntry;
  readonly #keys: Keys;
  readonly #context: CompileContext;

  constructor(entry: FactEntry, keys: Keys, context: CompileContext) {
    this.#entry = entry;
    this.#keys = keys;
    this.#context = context;
  }

  read(raw: unknown, below: Keys): ReadOperand<FactValue> | undefined {
    const { unit, id } = this.#entry;
    const keys = [...this.#keys, ...below];
    if (unit === 'time') return this.#fail(`${id} is a time; all that can be asked is whether it is \`known\``, keys);
    const name = typeof raw === 'string' && raw.startsWith('$') ? raw.slice(1) : undefined;
    const literal = name === undefined ? raw : this.#threshold(name, keys);
    if (literal === undefined) return undefined;
    const value = readValue(this.#entry, literal);
    if (value.kind === 'bad') {
      return this.#fail(name === undefined ? value.message : `$${name} does not fit here: ${value.message}`, keys);
    }
    const text = formatValue(unit, value.value);
    return { value: value.value, text: name === undefined ? text : `${text} ($${name})` };
  }

  readMark(raw: unknown, order: Order): ReadOperand<number> | undefined {
    const { unit, id } = this.#entry;
    if (unit !== 'time' && !ORDERED.has(unit)) {
      return this.#fail(
        `${id} is ${unit} and has no order; \`${order}\` needs a number, use \`is\` or \`in\``,
        this.#keys,
        true,
      );
    }
    if (typeof raw !== 'string' || !raw.startsWith('$')) {
      const literal = raw === 0 ? undefined : readValue(this.#entry, raw);
      if (literal?.kind === 'bad') return this.#fail(literal.message, this.#keys);
      if (literal !== undefined) {
        const advice = 'give it a name, a reason and a source under `thresholds` and write `$name` here';
        return this.#fail(`${show(raw)} is a threshold without a name; ${advice}`, this.#keys);
      }
    }
    const read = this.read(raw, []);
    return typeof read?.value === 'number' ? { value: read.value, text: read.text } : undefined;
  }

  #threshold(name: string, keys: Keys): number | string | undefined {
    const value = this.#context.thresholds.get(name);
    this.#context.usedThresholds.add(name);
    if (value === undefined) this.#context.fault(keys, unknownName('threshold', name, this.#context.thresholds.keys()));
    return value;
  }

  #fail(message: string, keys: Keys, onKey = false): undefined {
    this.#context.fault(keys, message, onKey);
    return undefined;
  }
}
