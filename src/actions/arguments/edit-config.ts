import { replaceAt } from '../change.ts';
import { readConfigText, readMapping, toSettingKey } from './config-text.ts';
import type { ArgChange, ArgEdit, EditOutcome, RefusalReason } from './edit-outcome.ts';
import { dialectOf, findNegated } from './engine-flags.ts';
import { type ConfigStep, planSetting, sayLine } from './plan-setting.ts';
import { refuse } from './refusal.ts';

type ConfigInput = {
  readonly engine: string;
  /** The YAML text as it stands in the ConfigMap. */
  readonly text: string;
  /** JSON pointer of the text in its object: `/data/inference_config.yaml`. */
  readonly at: string;
  /** The key of the map that holds the flags (`vllm` with KAITO); null where they stand at the top. */
  readonly section: string | null;
  readonly edits: readonly ArgEdit[];
};

type Rewritten = {
  readonly text: string;
  readonly changed: readonly ArgChange[];
  readonly expects: ConfigStep['expects'];
};

/** Changes settings in a YAML text in place, as `editArguments` does in a container: nothing else differs, remarks stay. Never throws. */
export function editConfig(input: ConfigInput): EditOutcome {
  const { text, edits, at } = input;
  const done = tryEdit(input);
  if (typeof done === 'string') {
    const dialect = dialectOf(input.engine);
    const lines = edits.flatMap((edit) => sayLine(dialect, edit));
    return refuse(done, null, lines.length === 0 ? null : { kind: 'text', text: lines.join('\n') });
  }
  if (done.text === text) return refuse('nothing-to-change', null, null);
  if (!isAsIntended(input, done)) return refuse('check-failed', null, null);
  return { kind: 'edited', ...replaceAt(at, text, done.text), changed: done.changed };
}

function tryEdit({ text, section, edits, engine }: ConfigInput): Rewritten | RefusalReason {
  const dialect = dialectOf(engine);
  const mapping = readMapping(text, section, dialect);
  if (mapping === undefined) return 'file-form';
  const keys = edits.map(({ flag }) => toSettingKey(findNegated(dialect, flag)?.name ?? flag, dialect));
  if (new Set(keys).size < keys.length) return 'conflicting-edits';
  const steps: ConfigStep[] = [];
  for (const edit of edits) {
    if (!(edit.to === null || /^[\w@%+./-]+$/.test(edit.to))) return 'unfit-value';
    const step = planSetting({ text, mapping, dialect, isHandedOn: section !== null }, edit);
    if (typeof step === 'string') return step;
    steps.push(step);
  }
  const ordered = steps.flatMap((step) => step.edits).sort((a, b) => b.start - a.start || b.end - a.end);
  return {
    text: ordered.reduce((out, edit) => out.slice(0, edit.start) + edit.text + out.slice(edit.end), text),
    changed: steps.flatMap(({ change }) => change ?? []),
    expects: steps.flatMap(({ expects }) => expects),
  };
}

// Read again: the settings asked for hold what was asked for, all others and the other lines what they held.
function isAsIntended({ text, section, engine }: ConfigInput, done: Rewritten): boolean {
  const dialect = dialectOf(engine);
  const [old, now] = [text, done.text].map((one) => readConfigText(one, section, dialect));
  if (old === undefined || now === undefined) return false;
  const expected = new Map(old);
  for (const [key, value] of done.expects) {
    if (value === null) expected.delete(key);
    else expected.set(key, value);
  }
  const isSame = expected.size === now.size && [...expected].every(([key, value]) => now.get(key) === value);
  if (section === null) return isSame;
  const [before, after] = [text, done.text].map((one) => readConfigText(one, null));
  return isSame && [...(before ?? [])].every(([key, value]) => key === section || after?.get(key) === value);
}
