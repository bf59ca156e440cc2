import {
  type CelError,
  type CelInput,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  mapType,
  parse,
  plan,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';

const BYTES = 'bytes of a quantity';
const QUANTITY = mapType(CelScalar.STRING, CelScalar.DOUBLE);

// The part of Kubernetes' own library that the policy uses.
const ENV = celEnv({
  funcs: [
    ...strings,
    celFunc('quantity', [CelScalar.STRING], QUANTITY, (text) => ({ [BYTES]: bytesOf(text) })),
    celMethod('compareTo', QUANTITY, [QUANTITY], CelScalar.INT, function (other) {
      return BigInt(Math.sign(Number(this.get(BYTES)) - Number(other.get(BYTES))));
    }),
  ],
});

const plans = new Map<string, ReturnType<typeof plan>>();

/** What an expression says of a scope, or its error. */
export function evaluate(expression: string, scope: Readonly<Record<string, CelInput>>): CelValue | CelError {
  const planned = plans.get(expression) ?? plan(ENV, parse(expression));
  plans.set(expression, planned);
  return planned(scope);
}

/** JSON as the API server hands it over: whole numbers are integers, and what is undefined is not there. */
export function toCel<T extends object>(json: T): { [K in keyof T]: CelInput } {
  return convert(json) as { [K in keyof T]: CelInput };
}

function convert(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [key, convert(one)]));
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

function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === '' || factor === undefined) throw new Error(`no quantity: ${text}`);
  return Number(number) * factor;
}
