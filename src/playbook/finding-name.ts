import type { FindingName } from '../model/feedback.ts';
import { type Phase, phaseOf } from '../model/taxonomy.ts';
import type { Finding } from './compiled.ts';

/** A finding as people name it: the fixed words of its headline. */
export function nameOfFinding(finding: Finding): FindingName {
  const { id, plane, headline, cause } = finding;
  const words = headline.filter((part) => typeof part === 'string').join('');
  const causes = cause.kind === 'fixed' ? [cause.cause] : [...cause.among, cause.otherwise];
  return { id, plane, phases: phasesOf(finding, causes), causes, name: words.trim() };
}

function phasesOf({ phase }: Finding, causes: FindingName['causes']): readonly Phase[] {
  if (phase.kind === 'fixed') return [phase.phase];
  if (phase.kind === 'life') return ['startup', 'burst', ...(phase.chronic.length > 0 ? (['chronic'] as const) : [])];
  return [...new Set(causes.map((cause) => phaseOf(cause) ?? phase.otherwise))];
}
