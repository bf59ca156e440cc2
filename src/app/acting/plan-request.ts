import type { ActionId } from '../../model/action.ts';
import { ActionId as Action } from '../../model/action.ts';

/** What somebody asks to be planned: `plan <incident> [action] [--flag=value …] [--replicas N] [--to-zero]`. */
export type PlanRequest = {
  readonly incidentId: string;
  /** Undefined: what the finding offers first. */
  readonly action: ActionId | undefined;
  /** Values that replace those of the finding, or stand beside them. */
  readonly values: readonly { readonly flag: string; readonly to: string | null }[];
  readonly replicas: number | undefined;
  readonly toZero: boolean;
};

export type ParsedPlanRequest =
  | { readonly kind: 'request'; readonly request: PlanRequest }
  | { readonly kind: 'wrong'; readonly says: string };

const USAGE = 'plan <incident> [action] [--max-model-len=8192 …] [--replicas=2] [--to-zero]';

/** Reads what is typed behind `plan`. */
export function parsePlanRequest(text: string): ParsedPlanRequest {
  const words = undoTypography(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const plain = words.filter((word) => !word.startsWith('-') && !/^[A-Z][A-Z0-9_]*=/.test(word));
  const options = words.filter((word) => word.startsWith('-') || /^[A-Z][A-Z0-9_]*=/.test(word));
  const [incidentId, named, ...rest] = plain;
  if (incidentId === undefined || rest.length > 0) return wrong('');
  const action = Action.safeParse(named);
  if (named !== undefined && !action.success) return wrong(`\`${named.slice(0, 60)}\` is no action. `);
  return readOptions(options, { incidentId, action: action.data });
}

/** What was typed, as it was meant: keyboards and chats put in long dashes, round quotes and backticks. */
export function undoTypography(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll(/(^|\s)[–—](?=\w)/g, '$1--')
    .replaceAll(/[“”„]/g, '"')
    .trim();
}

type Options = { values: { flag: string; to: string | null }[]; replicas: number | undefined; toZero: boolean };

function readOptions(options: readonly string[], base: Pick<PlanRequest, 'incidentId' | 'action'>): ParsedPlanRequest {
  const read: Options = { values: [], replicas: undefined, toZero: false };
  for (const option of options) {
    const fault = readOption(option, read);
    if (fault !== undefined) return wrong(fault);
  }
  return { kind: 'request', request: { ...base, ...read } };
}

function readOption(option: string, read: Options): string | undefined {
  const [flag, to] = split(option);
  if (flag === '--to-zero') {
    read.toZero = true;
    return undefined;
  }
  if (flag === '--replicas') {
    read.replicas = /^\d{1,4}$/.test(to ?? '') ? Number(to) : undefined;
    return read.replicas === undefined ? '`--replicas` needs a number. ' : undefined;
  }
  if (to === undefined) return `\`${option.slice(0, 60)}\` needs a value behind \`=\`. `;
  read.values.push({ flag, to: to === '' ? null : to });
  return undefined;
}

function split(option: string): [string, string | undefined] {
  const at = option.indexOf('=');
  return at === -1 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)];
}

function wrong(says: string): ParsedPlanRequest {
  return { kind: 'wrong', says: `${says}It goes: ${USAGE}` };
}
