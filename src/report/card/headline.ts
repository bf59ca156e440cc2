import type { Facts } from '../../model/fact.ts';
import { capital } from '../../model/format-value.ts';
import type { Diagnosis, Verdict } from '../../model/verdict.ts';
import { isBareKill } from '../words/container-end.ts';
import { deadEngineHeadline, isEngineDead } from '../words/dead-engine.ts';
import { whoseRam } from '../words/ram-owner.ts';
import { knownNumber, knownValue, type ReportInput, shownValue } from '../words/report-input.ts';
import { clip, counted } from '../words/sentence.ts';
import { causeWords, gpuOomWord, isHealthy, PHASE_WORDS } from '../words/verdict-words.ts';

type Told = Pick<Diagnosis, 'verdict' | 'headline' | 'says'>;

/** What failed and where: `OOMKilled: llm/vllm-0 hit its 32 GiB memory limit under load · prod`. */
export function headlineWords({ diagnosis, facts, capture, incident, evidence }: ReportInput): string {
  const shown = evidence === 'full' ? facts : withoutFigures(facts);
  const where = capture === undefined ? '' : ` · ${clip(capture.cluster, 40)}`;
  const seen = incident !== undefined && incident.seen > 1 ? ` · seen ${incident.seen} times` : '';
  return `${failureWords(diagnosis, shown, podWords({ diagnosis, facts, capture }))}${where}${seen}`;
}

const PLACE = 90;

/** The pod of a finding, and its container where that is not the engine's. */
export function podWords({ diagnosis, facts, capture }: Pick<ReportInput, 'diagnosis' | 'facts' | 'capture'>): string {
  const name = capture === undefined ? diagnosis.verdict.id : `${capture.namespace}/${capture.pod}`;
  const role = knownValue(facts, 'death.container-role');
  const container = shownValue(facts, 'death.container', 'text');
  const isOther = role === 'init' || role === 'sidecar' || role === 'helper';
  return `${clip(name, PLACE)}${isOther && container !== undefined ? ` (container ${clip(container, 40)})` : ''}`;
}

/** The failure of a finding in one clause, about `place`. */
export function failureWords(told: Told, facts: Facts, place: string): string {
  const { verdict, headline } = told;
  const dead = deadEngineHeadline(facts, place);
  if (dead !== undefined) return dead;
  const named = headline ?? capital(causeWords(verdict.cause));
  if (verdict.plane === 'none') {
    return `${verdict.certain ? named : `Likely ${uncapital(named)}`}: ${place}${readyWords(facts)}`;
  }
  if (verdict.plane === 'unknown') return `Inconclusive: ${place}${exitWords(facts)}, memory not proven`;
  if (isBareKill(told, facts)) return `Killed, probably RAM: ${place}${whenOf(verdict, facts)}, memory not proven`;
  const { kind, what } = failureOf(verdict, facts);
  return verdict.certain ? `${kind}: ${place}${what}` : `Likely ${kind}: ${place}${whenOf(verdict, facts)}`;
}

/** What failed in a word or two: `OOMKilled`, `GPU OOM`, `healthy`. */
export function failureKind(diagnosis: Diagnosis, facts: Facts): string {
  const { verdict } = diagnosis;
  if (isEngineDead(facts)) return 'engine dead';
  if (isBareKill(diagnosis, facts)) return 'killed';
  if (verdict.plane === 'unknown') return 'inconclusive';
  if (verdict.plane === 'none') return isHealthy(diagnosis) ? 'healthy' : 'not memory';
  return failureOf(verdict, facts).kind;
}

function readyWords(facts: Facts): string {
  if (knownValue(facts, 'pod.restarting') !== false) return '';
  const running = knownNumber(facts, 'requests.running');
  return ` is ready, 0 restarts${running === undefined ? '' : `, serving ${counted(running, 'request')}`}`;
}

function failureOf(verdict: Verdict, facts: Facts): { readonly kind: string; readonly what: string } {
  if (verdict.plane === 'gpu')
    return { kind: gpuOomWord(verdict), what: ` ran out of GPU memory${whenOf(verdict, facts)}` };
  if (verdict.plane === 'both') return { kind: orderOf(verdict, facts), what: '' };
  if (verdict.cause === 'host.shm')
    return { kind: 'RAM OOM', what: ` ran out of shared memory${whenOf(verdict, facts)}` };
  return hostFailure(verdict, facts);
}

function hostFailure(verdict: Verdict, facts: Facts): { readonly kind: string; readonly what: string } {
  const when = whenOf(verdict, facts);
  if (whoseRam(verdict, facts) === 'node') {
    const isEvicted = knownValue(facts, 'death.evicted-for') === 'memory';
    return isEvicted
      ? { kind: 'Evicted', what: `, its node ran short of RAM${when}` }
      : { kind: 'Node OOM', what: ` was killed${when}: its node ran out of RAM` };
  }
  const kind = ramWord(facts);
  const limit = shownValue(facts, 'ram.limit', 'bytes');
  const isAtLimit = kind === 'OOMKilled' && knownValue(facts, 'kernel.oom-kill') !== 'pod' && limit !== undefined;
  return { kind, what: isAtLimit ? ` hit its ${limit} memory limit${when}` : ` ran out of RAM${when}` };
}

function orderOf(verdict: Verdict, facts: Facts): string {
  // Of the two the other run may be the one that was killed.
  const isKilled = verdict.evidence.some(({ from }) =>
    from.some((one) => one.kind === 'field' && one.text === '"OOMKilled"'),
  );
  const ram = whoseRam(verdict, facts) === 'node' ? 'node OOM' : isKilled ? 'OOMKilled' : ramWord(facts);
  const gpu = gpuOomWord(verdict);
  const order = knownValue(facts, 'sequence.order');
  if (order === 'gpu-then-host') return `${gpu}, then ${ram}`;
  return order === 'host-then-gpu' ? `${capital(ram)}, then ${gpu}` : `${gpu} and ${ram}`;
}

function ramWord(facts: Facts): string {
  return knownValue(facts, 'death.oom-killed') === true ? 'OOMKilled' : 'RAM OOM';
}

// Without a proven cause, burst and chronic are one: while serving.
function whenOf({ phase, causeCertain, certain }: Verdict, facts: Facts): string {
  const age = phase === 'chronic' ? shownValue(facts, 'death.uptime', 'duration') : undefined;
  if (age !== undefined) return ` after ${age}`;
  if (phase === 'startup' || phase === 'n/a' || (certain && causeCertain)) return PHASE_WORDS[phase];
  return ' while serving';
}

function exitWords(facts: Facts): string {
  const code = knownNumber(facts, 'death.exit-code');
  return code === undefined ? '' : ` exited with ${code}`;
}

function uncapital(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

// Another organization reads along: no sizes.
function withoutFigures(facts: Facts): Facts {
  return new Map([...facts].filter(([id]) => id !== 'ram.limit' && id !== 'death.exit-code'));
}
