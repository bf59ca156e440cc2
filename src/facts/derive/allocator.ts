import { ALLOCATOR_VARIABLES, refusesSegments } from '../../model/allocator-variable.ts';
import type { Citation } from '../../model/citation.ts';
import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { parseSwitch } from '../arguments.ts';
import { fact, factOf, type Group } from './draft.ts';
import { readIdentity } from './engine-identity.ts';
import type { Evidence } from './evidence.ts';
import { citeHit } from './weigh.ts';

const HINT = 'torch.oom.fragmentation-hint';

/** PyTorch's allocator: the variable that this build reads, and whether expandable segments can still be turned on. */
export function deriveAllocator(evidence: Evidence): Group {
  const held = heldBy(evidence);
  return { 'allocator.variable': held?.name ?? printed(evidence), 'allocator.segments': segments(evidence, held) };
}

type Held = { readonly name: Fact | undefined; readonly value: string; readonly from: Citation };

// What the container sets is read already; a variable set twice counts as the last.
function heldBy({ spec, args }: Evidence): Held | undefined {
  const names: readonly string[] = ALLOCATOR_VARIABLES;
  const ofPod = spec.env.findLast(({ name, value }) => names.includes(name) && value !== undefined);
  const held: Cited<string> | undefined = ofPod?.value;
  if (ofPod !== undefined && held !== undefined) {
    return { name: factOf({ value: ofPod.name, from: held.from }), value: held.value, from: held.from };
  }
  const typed = args.findLast(({ flag }) => names.includes(flag));
  return typed && { name: fact(typed.flag, [typed.from]), value: typed.value ?? '', from: typed.from };
}

// The advice is printed with every failure and proves nothing, but it names the variable as this build calls it.
function printed({ weighing }: Evidence): Fact | undefined {
  const hint = weighing.all.findLast(({ phrase, hit }) => phrase.id === HINT && hit.captures.var !== undefined);
  return hint && fact(hint.hit.captures.var, [citeHit(hint)]);
}

function segments(evidence: Evidence, held: Held | undefined): Fact | undefined {
  const { args, spec, program } = evidence;
  if (held !== undefined && /expandable_segments:true/i.test(held.value)) return fact('on', [held.from]);
  const version = readIdentity(evidence).version?.value;
  const against = args.find((argument) => turnsDown(argument, version));
  if (against !== undefined) return fact('refused', [against.from]);
  const seen = spec.words[0] ?? program.words[0];
  return seen && fact('off', [seen.from]);
}

function turnsDown({ flag, value }: EngineArgument, version: string | undefined): boolean {
  return refusesSegments(flag, version) !== undefined && parseSwitch(value) !== false;
}
