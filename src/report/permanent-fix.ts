import { engineName } from '../model/engine-names.ts';
import type { Facts } from '../model/fact.ts';
import { code, type Message } from '../model/message.ts';
import { quantizationOn } from '../model/quantization-table.ts';
import { tablesInForce } from '../model/reference-tables.ts';
import type { ChangedValue } from '../model/temporary-change.ts';
import type { Diagnosis } from '../model/verdict.ts';
import { amplifiersOf } from './card/amplifiers.ts';
import { nameOf } from './card/cause.ts';
import { poolWords } from './request-pools.ts';
import { knownValue, shownValue } from './words/report-input.ts';
import { clip, copiedLines, flatten, list, note, paragraph, say, type Words } from './words/sentence.ts';

/** A patch of a permanent fix; `of` says what it is merged into. */
type Patch = {
  readonly object: string;
  readonly of: 'workload' | 'pod' | 'autoscaler' | 'new';
  readonly yaml: string;
  readonly values: readonly ChangedValue[];
  readonly needs: readonly string[];
};

/** A finding with its permanent fix; `fix` is undefined where the evidence was deleted. */
export type ExplainedFix = {
  /** `llm/Deployment/vllm-server`, or the folder. */
  readonly subject: string;
  /** What `oom fix` takes for it: the incident, or the folder as it was typed. */
  readonly typed: string;
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly fix: { readonly patches: readonly Patch[]; readonly byHand: readonly string[] } | undefined;
};

/** The permanent fix: one message of text, then one for each patch. */
export function fixMessages(explained: ExplainedFix): Message[] {
  const { subject, typed, diagnosis, facts, fix } = explained;
  const patches = fix?.patches ?? [];
  const pools = poolWords(diagnosis.verdict.cause, facts);
  const title = clip(`Permanent fix: ${subject} · ${nameOf(diagnosis)}`, 280);
  return [
    say('info', title, [
      ...list(
        'Do',
        recommendations(diagnosis).map((says) => [clip(says, 700)]),
      ),
      ...list(
        'By hand',
        (fix?.byHand ?? []).map((says) => [clip(says, 700)]),
      ),
      ...list('Request pools', pools === undefined ? [] : [[pools]]),
      ...list('Contributing factors', factorItems(explained)),
      ...list('Load test', [[loadTest(diagnosis)]]),
      ...list('Quantization', quantizationItems(diagnosis, facts)),
      note(lastNote(explained)),
    ]),
    ...patches.map((one) => patchMessage(one, typed)),
  ];
}

/** The patches alone: YAML documents, each with the object to merge it into in a comment. */
export function fixYaml({ fix }: ExplainedFix): string {
  return (fix?.patches ?? [])
    .map(({ object, of, yaml, needs }) =>
      [`# ${PLACES[of](object)}`, ...needs.map((one) => `# ${one}`), yaml].join('\n'),
    )
    .join('---\n');
}

/** What fixes a finding for good, in words: its lasting remedies, or why there is none. */
export function recommendations({ verdict, without = [] }: Pick<Diagnosis, 'verdict' | 'without'>): string[] {
  const lasting = verdict.remedies.filter(({ kind }) => kind === 'lasting').map(({ says }) => says);
  return lasting.length > 0 ? lasting : without.filter(({ kind }) => kind === 'lasting').map(({ why }) => why);
}

const PLACES: Readonly<Record<Patch['of'], (object: string) => string>> = {
  workload: (object) => `Merge into the manifest of ${object}, or into the same fields of its Helm values`,
  pod: (object) => `Merge the spec into the pod template of the workload: only ${object} is in the evidence`,
  autoscaler: (object) => `Merge into ${object}`,
  new: (object) => `Add to the manifests: ${object}`,
};

function patchMessage({ object, of, yaml, values, needs }: Patch, typed: string): Message {
  const changes = values.map(({ label, from, to }): Words => [code(label), ` ${from ?? 'unset'} → ${to ?? 'unset'}`]);
  return flatten(
    say('info', clip(`Patch: ${object}`, 280), [
      ...list('Changes', changes),
      ...copiedLines(PLACES[of](object), yaml),
      ...needs.map((one) => paragraph(one)),
      note('As one file, in a terminal: ', code(`oom fix ${clip(typed, 120)} --patch`)),
    ]),
  );
}

const FACTORS: Readonly<Record<string, string>> = {
  'amplifier.tight-probe': 'Add a startup probe that lasts twice the measured start, so that no probe kills a load.',
  'amplifier.shared-gpu':
    'Give the engine a whole GPU or a MIG slice: time-slicing and MPS do not split memory by default.',
  'amplifier.limit-equals-request': 'Leave headroom for the loading peak in the memory limit.',
  'amplifier.node-mixing':
    'Taint the GPU pool, after its pods tolerate the taint: `kubectl taint nodes <node> nvidia.com/gpu=present:NoSchedule`, or the same in the node pool.',
  'amplifier.cpu-autoscaling': 'Scale on waiting requests, or on KV cache use, instead of CPU.',
  'amplifier.eviction-blocked': 'Let the PodDisruptionBudget allow one eviction (`maxUnavailable: 1`).',
};

function factorItems({ diagnosis, facts, fix }: ExplainedFix): Words[] {
  const isScaled = (fix?.patches ?? []).some(({ of }) => of === 'autoscaler');
  return amplifiersOf(facts, diagnosis.verdict).flatMap(({ fact }): Words[] => {
    const says = FACTORS[fact];
    const missing =
      fact === 'amplifier.cpu-autoscaling' && !isScaled
        ? ' No patch: this engine exports no such metric, or the autoscaler is not in the evidence.'
        : '';
    return says === undefined ? [] : [[`${says}${missing}`]];
  });
}

function loadTest({ verdict, bucket }: Diagnosis): string {
  const { loadTests } = tablesInForce().words;
  return verdict.phase === 'chronic' ? loadTests.chronic : loadTests[bucket];
}

// Weights and KV cache are what quantization makes smaller.
function quantizationItems({ verdict, bucket }: Diagnosis, facts: Facts): Words[] {
  if (verdict.plane === 'none' || (bucket !== 'static' && bucket !== 'kv-cache')) return [];
  const engine = shownValue(facts, 'engine.name', 'text');
  const product = shownValue(facts, 'gpu.product', 'text');
  if (engine === undefined || product === undefined) {
    return [
      [`No data on which formats fit: the evidence does not show the ${engine === undefined ? 'engine' : 'GPU'}.`],
    ];
  }
  const version = knownValue(facts, 'engine.version');
  const known = typeof version === 'string' ? version : undefined;
  const found = quantizationOn(product, engine, known);
  const where = `${engineName(engine)}${known === undefined ? '' : ` ${known}`} on ${product}`;
  if (found === undefined) return [[`No data for ${where}.`]];
  const { architecture, formats, later } = found;
  const none = formats.length === 0 ? 'none documented' : formats.join(', ');
  const newer = later.map(({ format, from }) => `${format} from ${from}`).join(', ');
  return [[`${where} (${architecture}): ${none}${newer === '' ? '' : `. Documented later: ${newer}`}.`]];
}

function lastNote({ diagnosis, fix }: ExplainedFix): string {
  if (fix === undefined) return 'No patch: the evidence was deleted (store.retentionDays). Triage the pod again.';
  const none =
    fix.patches.length === 0 ? 'No patch: the finding computes no value, or the manifest is not in the evidence. ' : '';
  return `${none}oombot changes nothing here. Finding: ${diagnosis.verdict.finding}.`;
}
