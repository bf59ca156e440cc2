import { PROFILE_NAMES, type ProfileName } from '../../../budget/profiles.ts';
import type { ActionId } from '../../../model/action.ts';
import { ActionId as Action } from '../../../model/action.ts';
import { MEMORY_LIMIT } from '../../../model/flag-values.ts';
import { typedWords } from '../../command.ts';

/** A request for a plan: `plan <incident> [action] [--flag=value …] [--replicas N] [--to-zero]`. */
export type PlanRequest = {
  readonly incidentId: string;
  /** Undefined: what the finding offers first. */
  readonly action: ActionId | undefined;
  /** Values that replace those of the finding, or add to them. */
  readonly values: readonly { readonly flag: string; readonly to: string | null }[];
  readonly replicas: number | undefined;
  readonly toZero: boolean;
  /** Undefined: the finding chooses it. */
  readonly profile?: ProfileName | undefined;
  /** The values are complete, from an edited plan: a profile only bounds them. */
  readonly isEdit?: boolean;
};

type ParsedPlanRequest =
  | { readonly kind: 'request'; readonly request: PlanRequest }
  | { readonly kind: 'wrong'; readonly says: string };

const USAGE =
  'plan <incident> [action] [--max-model-len=8192 …] [--memory=96Gi] [--profile=emergency] [--replicas=2] [--to-zero]';

/** Reads what is typed behind `plan`. */
export function parsePlanRequest(text: string): ParsedPlanRequest {
  const words = typedWords(text);
  const plain = words.filter((word) => !word.startsWith('-') && !/^[A-Z][A-Z0-9_]*=/.test(word));
  const options = words.filter((word) => word.startsWith('-') || /^[A-Z][A-Z0-9_]*=/.test(word));
  const [incidentId, named, ...rest] = plain;
  const spaced = findSpaceBeforeValue(words);
  if (spaced !== undefined) return wrong(spaced);
  if (incidentId === undefined) return wrong('');
  const action = Action.safeParse(named);
  if (named !== undefined && !action.success)
    return wrong(`\`${named.slice(0, 60)}\` is not an action. Actions: ${PLANNED.join(', ')}. `);
  if (rest.length > 0) return wrong(`Unexpected \`${rest[0]?.slice(0, 60)}\` after the action. `);
  return readOptions(options, { incidentId, action: action.data });
}

// Advice is text of a finding.
const PLANNED = Action.options.filter((action) => action !== 'advise');

// `--max-model-len 8192`, as engines take it, is ambiguous here: the value could be an action.
function findSpaceBeforeValue(words: readonly string[]): string | undefined {
  const at = words.findIndex(
    (word, i) => /^--?[A-Za-z][^=]*$/.test(word) && word !== '--to-zero' && isValue(words[i + 1]),
  );
  const [flag = '', to = ''] = at === -1 ? [] : words.slice(at).map((word) => word.slice(0, 60));
  return at === -1 ? undefined : `\`${flag}\` and its value need a \`=\`: \`${flag}=${to}\`. `;
}

function isValue(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('--') && !Action.safeParse(word).success;
}

const WITH_VALUES: ReadonlySet<ActionId> = new Set(['set-args', 'stop-bleed', 'set-allocator', 'raise-ram']);
// All others may go through zero, and come back to a count.
const WITHOUT_COUNT: ReadonlySet<ActionId> = new Set(['scale-to-zero', 'roll-back', 'replace-pod']);

// A word that an action would pass over makes another plan than was asked for.
function misfit({ action, values, replicas, toZero, profile }: PlanRequest): string | undefined {
  const [value] = values;
  const twice = values.find(({ flag }, i) => values.findIndex((one) => keyOf(one.flag) === keyOf(flag)) !== i);
  if (twice !== undefined) return `\`${twice.flag.slice(0, 60)}\` is set twice. `;
  if (replicas === 0) return '`--replicas` must be at least 1. To stop all replicas, use `scale-to-zero`. ';
  const memory = misfitOfMemory({ action, values });
  if (memory !== undefined) return memory;
  if (action === undefined) return undefined;
  if (value !== undefined && !WITH_VALUES.has(action))
    return `${action} sets no values, so \`${value.flag.slice(0, 60)}\` does not apply. `;
  if (profile !== undefined && action !== 'set-args' && action !== 'stop-bleed')
    return `${action} sets no arguments, so \`--profile\` does not apply. `;
  if (replicas !== undefined && WITHOUT_COUNT.has(action)) return `\`--replicas\` does not apply to ${action}. `;
  return toZero && (action === 'scale-up' || action === 'replace-pod')
    ? `\`--to-zero\` does not apply to ${action}. `
    : undefined;
}

function misfitOfMemory({ action, values }: Pick<PlanRequest, 'action' | 'values'>): string | undefined {
  const [value] = values;
  const isMemory = values.some(({ flag }) => flag === MEMORY_LIMIT);
  if (isMemory && (action !== 'raise-ram' || values.length > 1))
    return '`--memory` cannot be combined with other values: `raise-ram --memory=96Gi`. ';
  if (action !== 'raise-ram' || value === undefined || isMemory) return undefined;
  return `raise-ram takes \`--memory=96Gi\`, so \`${value.flag.slice(0, 60)}\` does not apply. `;
}

function keyOf(flag: string): string {
  return flag.startsWith('--') ? flag.replaceAll('_', '-').toLowerCase() : flag;
}

/** Unknown words after an id: the first one that looks like an option, else all of them. */
export function findStray(text: string): string | undefined {
  const [, ...words] = text.trim().split(/\s+/);
  const option = words.find((word) => /^[-–—]+\w/.test(word));
  return option ?? (words.length === 0 ? undefined : words.join(' '));
}

type Options = {
  values: { flag: string; to: string | null }[];
  replicas: number | undefined;
  toZero: boolean;
  profile?: ProfileName | undefined;
};

function readOptions(options: readonly string[], base: Pick<PlanRequest, 'incidentId' | 'action'>): ParsedPlanRequest {
  const read: Options = { values: [], replicas: undefined, toZero: false };
  for (const option of options) {
    const fault = readOption(option, read);
    if (fault !== undefined) return wrong(fault);
  }
  const isMemory = read.values.length === 1 && read.values[0]?.flag === MEMORY_LIMIT;
  const request = { ...base, ...read, action: base.action ?? (isMemory ? 'raise-ram' : undefined) };
  const fault = misfit(request);
  return fault === undefined ? { kind: 'request', request } : wrong(fault);
}

function readOption(option: string, read: Options): string | undefined {
  const [flag, to] = split(option);
  if (flag === '--to-zero') {
    read.toZero = true;
    return undefined;
  }
  if (flag === '--replicas') {
    read.replicas = /^\d{1,9}$/.test(to ?? '') ? Number(to) : undefined;
    return read.replicas === undefined ? '`--replicas` must be a whole number of at least 1. ' : undefined;
  }
  if (flag === '--profile') {
    read.profile = PROFILE_NAMES.find((name) => name === to);
    return read.profile === undefined ? `\`--profile\` must be one of ${PROFILE_NAMES.join(', ')}. ` : undefined;
  }
  if (flag === '--memory') return readMemory(to, read);
  if (to === undefined) return `\`${option.slice(0, 60)}\` needs a value: \`${option.slice(0, 60)}=VALUE\`. `;
  read.values.push({ flag, to: to === '' ? null : to });
  return undefined;
}

function readMemory(to: string | undefined, read: Options): string | undefined {
  if (to === undefined || to === '') return '`--memory` needs a size, such as `--memory=96Gi`. ';
  // With the B that a playbook writes, and people say.
  read.values.push({ flag: MEMORY_LIMIT, to: to.replace(/^([\d.]+[KMGT]i)B$/, '$1') });
  return undefined;
}

function split(option: string): [string, string | undefined] {
  const at = option.indexOf('=');
  return at === -1 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)];
}

function wrong(says: string): ParsedPlanRequest {
  return { kind: 'wrong', says: `${says}Usage: ${USAGE}` };
}
