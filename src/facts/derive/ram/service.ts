import type { Cited } from '../../../model/engine-reader.ts';
import { parseSize } from '../../../model/quantity.ts';
import { factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

const KILLED: ReadonlySet<string> = new Set(['systemd.unit-oom', 'systemd.oomd-victim', 'systemd.oomd']);
// systemd/systemd src/core/unit.c; names as in systemd.unit(5).
const NAME = /(?:^|[\s/])([\w.@:-]{1,120}\.service)\b/;
// What runs the containers of a machine: a kill among those is none of a service.
const RUNS_CONTAINERS = /^(?:containerd|cri-|crio|docker|kubelet|k3s|rke2|podman|libpod)/;
// `ollama.service: Consumed 32.964s CPU time, 123.9G memory peak.` (src/core/unit.c, unit_log_resources; powers of 1024).
const PEAK = /([\w.@:-]{1,120}\.service): Consumed [^\n]{0,120}?\b([\d.]{1,12})([KMGT]) memory peak/;

/** The service of systemd that was killed for want of RAM, and the most that it held; known only where there is no container. */
export function deriveService(evidence: Evidence): Group {
  const service = serviceOf(evidence);
  return { 'ram.service': factOf(service), 'ram.service-peak': factOf(service && peakOf(evidence, service.value)) };
}

function serviceOf({ weighing }: Evidence): Cited<string> | undefined {
  for (const weighed of weighing.all.filter(({ phrase }) => KILLED.has(phrase.id))) {
    const name = NAME.exec(weighed.hit.text)?.[1];
    if (name !== undefined && !RUNS_CONTAINERS.test(name)) return { value: name, from: citeHit(weighed) };
  }
  return undefined;
}

function peakOf({ log }: Evidence, service: string): Cited<number> | undefined {
  for (const line of log.main === undefined ? [] : tailLines(log.main)) {
    const [, name, digits, unit] = PEAK.exec(line.text) ?? [];
    const value = name === service ? parseSize(`${digits} ${unit}iB`) : undefined;
    if (value !== undefined) return { value, from: line };
  }
  return undefined;
}
