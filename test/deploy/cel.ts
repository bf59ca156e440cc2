// As much of CEL (the expression language of admission policies) as the shipped policy uses: enough to run it against a
// table. What is not known throws, and a missing field is an error, as in the API server.

type Json = Readonly<Record<string, unknown>>;
type Node =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'field'; readonly of: Node; readonly name: string }
  | { readonly kind: 'index'; readonly of: Node; readonly at: Node }
  | { readonly kind: 'call'; readonly of: Node | undefined; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map' }
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'binary'; readonly op: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choose'; readonly if: Node; readonly then: Node; readonly or: Node };

const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*')|(\d+)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|>=|[()[\]{}.,?:!+<>-]))/y;
const LEVELS = [['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>', 'in'], ['+', '-']];

/** Parses an expression. */
export function parseCel(text: string): Node {
  const tokens = tokenise(text);
  let at = 0;
  const is = (word: string): boolean => tokens[at] === word;
  const take = (): string => tokens[at++] ?? fail(text, 'ends too early');
  const expect = (word: string): void => {
    if (take() !== word) fail(text, `${word} expected before ${tokens[at]}`);
  };
  const choose = (): Node => {
    const first = binary(0);
    if (!is('?')) return first;
    take();
    const then = choose();
    expect(':');
    return { kind: 'choose', if: first, then, or: choose() };
  };
  const binary = (level: number): Node => {
    const ops = LEVELS[level];
    if (ops === undefined) return unary();
    let left = binary(level + 1);
    while (ops.includes(tokens[at] ?? '')) left = { kind: 'binary', op: take(), left, right: binary(level + 1) };
    return left;
  };
  const unary = (): Node => {
    if (!is('!')) return postfix(primary());
    take();
    return { kind: 'not', of: unary() };
  };
  const list = (end: string): Node[] => {
    const items: Node[] = [];
    while (!is(end)) {
      items.push(choose());
      if (!is(end)) expect(',');
    }
    take();
    return items;
  };
  const primary = (): Node => {
    const token = take();
    if (token === '(') {
      const inner = choose();
      expect(')');
      return inner;
    }
    if (token === '[') return { kind: 'list', items: list(']') };
    if (token === '{') {
      expect('}');
      return { kind: 'map' };
    }
    if (token.startsWith("'")) return { kind: 'value', value: token.slice(1, -1).replace(/\\(.)/g, '$1') };
    if (/^\d/.test(token)) return { kind: 'value', value: Number(token) };
    if (token === 'true' || token === 'false') return { kind: 'value', value: token === 'true' };
    if (!is('(')) return { kind: 'name', name: token };
    take();
    return { kind: 'call', of: undefined, name: token, args: list(')') };
  };
  const postfix = (start: Node): Node => {
    let of = start;
    while (is('.') || is('[')) {
      if (take() === '[') {
        of = { kind: 'index', of, at: choose() };
        expect(']');
        continue;
      }
      const name = take();
      if (!is('(')) of = { kind: 'field', of, name };
      else {
        take();
        of = { kind: 'call', of, name, args: list(')') };
      }
    }
    return of;
  };
  const parsed = choose();
  return at === tokens.length ? parsed : fail(text, `stops at ${tokens[at]}`);
}

function tokenise(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = text.trimEnd();
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (match === null) return fail(text, `has a piece that is not known, after ${tokens.slice(-5).join(' ')}`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
  }
  return tokens;
}

function fail(text: string, why: string): never {
  throw new Error(`CEL ${why}: ${text.slice(0, 200)}`);
}

/** The value of an expression; throws where CEL has an error. */
export function evaluate(node: Node, scope: Json): unknown {
  switch (node.kind) {
    case 'value':
      return node.value;
    case 'map':
      return {};
    case 'list':
      return node.items.map((item) => evaluate(item, scope));
    case 'name':
      return member(scope, node.name);
    case 'field':
      return member(evaluate(node.of, scope), node.name);
    case 'index':
      return member(evaluate(node.of, scope), evaluate(node.at, scope) as string | number);
    case 'not':
      return !bool(evaluate(node.of, scope));
    case 'choose':
      return evaluate(bool(evaluate(node.if, scope)) ? node.then : node.or, scope);
    case 'binary':
      return operate(node, scope);
    case 'call':
      return node.of === undefined ? callGlobal(node, scope) : callMethod({ ...node, of: node.of }, scope);
  }
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

function operate({ op, left, right }: Extract<Node, { kind: 'binary' }>, scope: Json): unknown {
  if (op === '||') return bool(evaluate(left, scope)) || bool(evaluate(right, scope));
  if (op === '&&') return bool(evaluate(left, scope)) && bool(evaluate(right, scope));
  const [a, b] = [evaluate(left, scope), evaluate(right, scope)];
  switch (op) {
    case '==':
      return isEqual(a, b);
    case '!=':
      return !isEqual(a, b);
    case 'in':
      return Array.isArray(b) ? b.some((item) => isEqual(item, a)) : isMap(b) && Object.hasOwn(b, String(a));
    case '+':
      return Array.isArray(a) ? [...a, ...(b as unknown[])] : (a as string) + (b as string);
    case '<=':
      return (a as number) <= (b as number);
    case '>':
      return (a as number) > (b as number);
    default:
      throw new Error(`no operator ${op}`);
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  if (!isMap(a)) return a === b;
  const keys = Object.keys(a);
  return (
    isMap(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

function callGlobal({ name, args }: Extract<Node, { kind: 'call' }>, scope: Json): unknown {
  const [first] = args;
  if (name === 'has' && first?.kind === 'field') {
    const of = evaluate(first.of, scope);
    return isMap(of) && Object.hasOwn(of, first.name);
  }
  if (name === 'quantity' && first !== undefined) return amountOf(String(evaluate(first, scope)));
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

function callMethod({ of, name, args }: { of: Node; name: string; args: readonly Node[] }, scope: Json): unknown {
  const target = evaluate(of, scope);
  const [first, second] = args;
  if (name === 'size') return (target as string | unknown[]).length;
  if (first === undefined) throw new Error(`no method ${name}`);
  if (name === 'matches') return new RegExp(String(evaluate(first, scope))).test(String(target));
  if (name === 'compareTo') return Math.sign(Number(target) - Number(evaluate(first, scope)));
  if (first.kind !== 'name' || second === undefined) throw new Error(`no macro ${name}`);
  const items = Array.isArray(target) ? target : isMap(target) ? Object.keys(target) : undefined;
  if (items === undefined) throw new Error(`nothing to go through for ${name}`);
  const each = (item: unknown): unknown => evaluate(second, { ...scope, [first.name]: item });
  switch (name) {
    case 'all':
      return items.every((item) => bool(each(item)));
    case 'exists':
      return items.some((item) => bool(each(item)));
    case 'filter':
      return items.filter((item) => bool(each(item)));
    case 'map':
      return items.map(each);
    default:
      throw new Error(`no macro ${name}`);
  }
}
