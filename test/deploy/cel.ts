// As much of CEL (the expression language of admission policies) as the shipped policy uses: enough to run it against a
// table. What is not known throws, and a missing field is an error, as in the API server.

import { isDeepStrictEqual } from 'node:util';

type Json = Readonly<Record<string, unknown>>;
type Run = (scope: Json) => unknown;
/** A piece of an expression; `name` and `of` where it is a name, or a field of something. */
type Piece = { readonly run: Run; readonly name?: string; readonly of?: Run };

const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*')|(\d+)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|>=|[()[\]{}.,?:!+<>-]))/y;
const LEVELS = [['||'], ['&&'], ['==', '!=', '<=', '>', 'in'], ['+']];

/** An expression, to be run in a scope; the run throws where CEL has an error. */
export function parseCel(text: string): Run {
  const tokens = tokenise(text);
  let at = 0;
  const is = (word: string): boolean => tokens[at] === word;
  const take = (): string => tokens[at++] ?? fail(text, 'ends too early');
  const expect = (word: string): void => {
    if (take() !== word) fail(text, `${word} expected before ${tokens[at]}`);
  };
  const choose = (): Piece => {
    const first = binary(0);
    if (!is('?')) return first;
    take();
    const then = choose();
    expect(':');
    const or = choose();
    return { run: (scope) => (bool(first.run(scope)) ? then : or).run(scope) };
  };
  const binary = (level: number): Piece => {
    const ops = LEVELS[level];
    if (ops === undefined) return unary();
    let left = binary(level + 1);
    while (ops.includes(tokens[at] ?? '')) {
      const [op, a, b] = [take(), left.run, binary(level + 1).run];
      left = {
        run: (scope) =>
          operate(
            op,
            () => a(scope),
            () => b(scope),
          ),
      };
    }
    return left;
  };
  const unary = (): Piece => {
    if (!is('!')) return postfix(primary());
    take();
    const { run } = unary();
    return { run: (scope) => !bool(run(scope)) };
  };
  const list = (end: string): Piece[] => {
    const items: Piece[] = [];
    while (!is(end)) {
      items.push(choose());
      if (!is(end)) expect(',');
    }
    take();
    return items;
  };
  const primary = (): Piece => {
    const token = take();
    if (token === '(') return list(')')[0] ?? fail(text, 'has empty brackets');
    if (token === '[') {
      const items = list(']');
      return { run: (scope) => items.map(({ run }) => run(scope)) };
    }
    if (token === '{') return { run: list('}').length === 0 ? () => ({}) : fail(text, 'has a map with keys') };
    if (token.startsWith("'")) return { run: () => unquote(token.slice(1, -1)) };
    if (/^\d/.test(token)) return { run: () => Number(token) };
    if (token === 'true' || token === 'false') return { run: () => token === 'true' };
    if (!is('(')) return { run: (scope) => member(scope, token), name: token };
    take();
    return { run: globalCall(token, list(')')) };
  };
  const postfix = (start: Piece): Piece => {
    let piece = start;
    while (is('.') || is('[')) {
      const of = piece.run;
      if (take() === '[') {
        const key = choose().run;
        piece = { run: (scope) => member(of(scope), key(scope) as string | number) };
        expect(']');
        continue;
      }
      const name = take();
      if (!is('(')) piece = { run: (scope) => member(of(scope), name), of, name };
      else {
        take();
        piece = { run: methodCall(of, name, list(')')) };
      }
    }
    return piece;
  };
  const { run } = choose();
  return at === tokens.length ? run : fail(text, `stops at ${tokens[at]}`);
}

function unquote(text: string): string {
  return text.replace(/\\(.)/g, (_, one: string) => ({ n: '\n', r: '\r', t: '\t' })[one] ?? one);
}

function tokenise(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = text.trimEnd();
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (match === null) return fail(text, `has a piece that is not known, after ${tokens.slice(-5).join(' ')}`);
    tokens.push(match[0].trimStart());
  }
  return tokens;
}

function fail(text: string, why: string): never {
  throw new Error(`CEL ${why}: ${text.slice(0, 200)}`);
}

function member(of: unknown, key: string | number): unknown {
  if (Array.isArray(of) && typeof key === 'number' && key < of.length) return of[key];
  if (isMap(of) && Object.hasOwn(of, key)) return of[key];
  throw new Error(`no such key: ${key}`);
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bool(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error(`no boolean: ${JSON.stringify(value)}`);
  return value;
}

function operate(op: string, left: () => unknown, right: () => unknown): unknown {
  if (op === '||') return bool(left()) || bool(right());
  if (op === '&&') return bool(left()) && bool(right());
  const [a, b] = [left(), right()];
  if (op === '==') return isDeepStrictEqual(a, b);
  if (op === '!=') return !isDeepStrictEqual(a, b);
  if (op === 'in')
    return Array.isArray(b) ? b.some((item) => isDeepStrictEqual(item, a)) : isMap(b) && Object.hasOwn(b, String(a));
  if (op === '+') return Array.isArray(a) ? [...a, ...(b as unknown[])] : (a as string) + (b as string);
  return op === '<=' ? (a as number) <= (b as number) : (a as number) > (b as number);
}

function globalCall(name: string, [first]: readonly Piece[]): Run {
  const { run, of, name: field } = first ?? {};
  if (name === 'has' && of !== undefined && field !== undefined) {
    return (scope) => {
      const owner = of(scope);
      // A field that a test leaves undefined is not there in JSON.
      return isMap(owner) && owner[field] !== undefined && Object.hasOwn(owner, field);
    };
  }
  if (name === 'quantity' && run !== undefined) return (scope) => amountOf(String(run(scope)));
  throw new Error(`no function ${name}`);
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  M: 1e6,
  G: 1e9,
};

function amountOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === '' || factor === undefined) throw new Error(`no quantity: ${text}`);
  return Number(number) * factor;
}

function methodCall(of: Run, name: string, [first, second]: readonly Piece[]): Run {
  if (name === 'size') return (scope) => (of(scope) as string | unknown[]).length;
  if (first === undefined) throw new Error(`no method ${name}`);
  if (name === 'join') return (scope) => (of(scope) as string[]).join(String(first.run(scope)));
  if (name === 'split') return (scope) => String(of(scope)).split(String(first.run(scope)));
  if (name === 'replace' && second !== undefined) {
    return (scope) => String(of(scope)).replaceAll(String(first.run(scope)), String(second.run(scope)));
  }
  if (name === 'matches') return (scope) => new RegExp(String(first.run(scope))).test(String(of(scope)));
  if (name === 'compareTo') return (scope) => Math.sign(Number(of(scope)) - Number(first.run(scope)));
  const { name: item } = first;
  if (item === undefined || second === undefined) throw new Error(`no macro ${name}`);
  return (scope) => {
    const target = of(scope);
    const items: unknown[] | undefined = Array.isArray(target)
      ? target
      : isMap(target)
        ? Object.keys(target)
        : undefined;
    if (items === undefined) throw new Error(`nothing to go through for ${name}`);
    const each = (value: unknown): unknown => second.run({ ...scope, [item]: value });
    const isSo = (value: unknown): boolean => bool(each(value));
    if (name === 'all') return items.every(isSo);
    if (name === 'exists') return items.some(isSo);
    if (name === 'filter') return items.filter(isSo);
    if (name === 'map') return items.map(each);
    throw new Error(`no macro ${name}`);
  };
}
