import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge, PHRASES } from './shipped.ts';

// Left out: what needs a second fact to be believed.
const DECIDING = PHRASES.filter(
  ({ id, weight }) =>
    (weight === 'proof' || weight === 'strong' || weight === 'rules-out') &&
    !/^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed|bad-alloc)|tgi\.shard\.signal|systemd\.oomd)$/.test(
      id,
    ),
);

/** Deciding lines, each in a snapshot of its own, that do not lead to their memory; of every `step`th signature. */
export async function ledAstray(step: number): Promise<string[]> {
  const astray: string[] = [];
  for (const phrase of DECIDING.filter((_, i) => i % step === 0)) {
    const file =
      phrase.where === 'kernel' ? 'kernel.txt' : phrase.where.startsWith('k8s') ? 'describe.txt' : 'previous.log';
    const source = aSnapshot({ [file]: `${phrase.must[0]}\n` });
    const { plane } = (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
    if (plane !== phrase.plane) astray.push(`${phrase.id}: ${plane}`);
  }
  return astray;
}
