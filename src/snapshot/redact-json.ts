import { parseJson } from '../model/json-file.ts';
import { isHarmless } from './assignments.ts';
import { withoutCutStart } from './cut-message.ts';
import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

const MARK = '[redacted:secret-value]';
// Deeper than any object that a cluster serves; what lies deeper is left out rather than passed unseen.
const DEEPEST = 60;
const LONGEST_KNOWN = 100;
const LEFT_OUT = '[redacted:too deep]';

/** A JSON value without secrets: what a secret's name stands for, arguments behind such a flag, and what text alone gives away. */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  return redactAt(value, onceForEach(redactor), 0);
}

// The names of fields and many of their values come again in each object of a list.
function onceForEach({ redact }: Redactor): Redactor {
  const known = new Map<string, string>();
  return {
    redact(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const clean = redact(text);
      if (text.length <= LONGEST_KNOWN) known.set(text, clean);
      return clean;
    },
  };
}

function redactAt(value: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof value === 'string') return redactString(value, redactor, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return LEFT_OUT;
  if (Array.isArray(value)) return redactList(value, redactor, depth);
  const entry = isSecretEntry(value);
  const isSecret = 'kind' in value && value.kind === 'Secret';
  const fields = Object.entries(isSecret ? withoutData(value) : withoutCutMessage(value)).map(([key, field]) => {
    const secret = isSecretName(key) || (entry && key === 'value');
    const name = entry ? 'secret' : key;
    return [
      redactor.redact(key),
      secret ? redactSecret(name, field, redactor, depth) : redactAt(field, redactor, depth + 1),
    ];
  });
  return Object.fromEntries(fields);
}

// `{ "name": "HF_TOKEN", "value": "..." }`: a variable of a container, or a header of a probe.
function isSecretEntry(value: object): boolean {
  const name = 'name' in value ? value.name : undefined;
  return (
    typeof name === 'string' && 'value' in value && (isSecretName(name) || /^(?:proxy-)?authorization$/i.test(name))
  );
}

// Of a Secret, its keys stay.
function withoutData(value: object): object {
  const bare = Object.entries(value).map(([key, field]) => {
    if ((key !== 'data' && key !== 'stringData') || typeof field !== 'object' || field === null) return [key, field];
    return [key, Object.fromEntries(Object.keys(field).map((name) => [name, MARK]))];
  });
  return Object.fromEntries(bare);
}

// The state of a container that has ended.
function withoutCutMessage(value: object): object {
  const { message, exitCode } = value as { readonly message?: unknown; readonly exitCode?: unknown };
  if (exitCode === undefined || typeof message !== 'string') return value;
  return { ...value, message: withoutCutStart(message) };
}

function redactSecret(name: string, field: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof field === 'string') return isHarmless(name, field) ? field : MARK;
  if (Array.isArray(field)) return field.map((item) => redactSecret(name, item, redactor, depth + 1));
  return redactAt(field, redactor, depth + 1);
}

function redactList(list: readonly unknown[], redactor: Redactor, depth: number): unknown[] {
  let flag: string | undefined;
  return list.map((item) => {
    if (typeof item !== 'string') {
      flag = undefined;
      return redactAt(item, redactor, depth + 1);
    }
    // A flag may take several values: all up to the next one are its own.
    if (item.startsWith('-')) flag = isSecretName(item) ? item : undefined;
    else if (flag !== undefined) return redactSecret(flag, item, redactor, depth);
    return redactString(item, redactor, depth);
  });
}

// `kubectl apply` keeps the whole object as JSON in an annotation.
function redactString(text: string, redactor: Redactor, depth: number): string {
  if (/^\s{0,8}[[{]/.test(text) && depth < DEEPEST) {
    const inner = parseJson(text);
    if (typeof inner === 'object' && inner !== null) return reprint(text, inner, redactor, depth);
  }
  return redactor.redact(text);
}

function reprint(text: string, inner: object, redactor: Redactor, depth: number): string {
  const before = JSON.stringify(inner);
  // As text too: what follows the names of a request is the words of a user in text, and a field of an object else.
  const after = redactor.redact(JSON.stringify(redactAt(inner, redactor, depth + 1)));
  return before === after ? text : after;
}
