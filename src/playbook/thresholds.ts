import { OomError } from '../model/errors.ts';
import type { CompileContext } from './compile-context.ts';
import type { PlaybookFile } from './format.ts';
import { unknownName } from './problem.ts';
import { readDuration, readSize } from './value.ts';

type Value = number | string;

/** The thresholds by name, those of the configuration in place of the playbook's. Throws OomError `bad-config`. */
export function thresholdsOf(
  raw: PlaybookFile['thresholds'],
  configured: Readonly<Record<string, Value>>,
): Map<string, Value> {
  const values = new Map(Object.entries(raw).map(([id, { value }]) => [id, value]));
  for (const [id, value] of Object.entries(configured)) {
    const before = values.get(id);
    if (before === undefined) throw wrong(unknownName('threshold', id, values.keys()));
    if (kindOf(value) !== kindOf(before)) throw wrong(`${id} is ${kindOf(before)} such as ${before}, not ${value}`);
    values.set(id, value);
  }
  return values;
}

function wrong(message: string): OomError {
  return new OomError('bad-config', `\`playbooks.thresholds\`: ${message}`, {
    next: 'The names are under `thresholds` in the files of the playbook.',
  });
}

type Kind = 'a number' | 'a duration' | 'a size' | 'text';

function kindOf(value: Value): Kind {
  if (typeof value === 'number') return 'a number';
  if (readDuration(value) !== undefined) return 'a duration';
  return readSize(value) === undefined ? 'text' : 'a size';
}

/** Notes each value that is no threshold. */
export function checkThresholds(context: CompileContext): void {
  for (const [id, value] of context.thresholds) {
    if (kindOf(value) !== 'text') continue;
    const message = `${value} is not a threshold; write a number, a share such as 0.95, a duration such as 10m or a size such as 16GiB`;
    context.fault(['thresholds', id, 'value'], message);
  }
}
