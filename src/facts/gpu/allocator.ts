import {
  ALLOC_CONF,
  ALLOCATOR_VARIABLES,
  CUDA_ALLOC_CONF,
  HIP_ALLOC_CONF,
  NO_VARIABLE,
  refusesSegments,
  variablesOf,
} from '../../model/allocator-variable.ts';
import type { Citation } from '../../model/citation.ts';
import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { stateOfFeature } from '../../model/feature-table.ts';
import { parseSwitch } from '../../read/engine/arguments.ts';
import { defineFacts } from '../evidence/define.ts';
import { readIdentity } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { ARGS, OOM_LINE } from '../log/needs.ts';
import { namesPytorch, readDevice } from './torch-device.ts';

/** PyTorch's allocator: the variable that this build reads, and whether expandable segments can still be turned on. */
export const ALLOCATOR = defineFacts(
  {
    'allocator.variable': {
      unit: 'text',
      says: "variable that this build of PyTorch's allocator reads; none where no name is known for its device",
      needs: `the version of PyTorch, the variables of the container, its device if not CUDA, or ${OOM_LINE} with PyTorch's advice`,
    },
    'allocator.segments': {
      unit: 'choice',
      values: ['on', 'off', 'refused', 'unsupported'],
      says: "expandable segments of PyTorch's allocator: refused where the engine does not start with them, unsupported by ROCm builds before 2.12 or of unknown release",
      needs: ARGS,
    },
  },
  (evidence) => {
    const version = readPytorch(evidence);
    const device = readDevice(evidence);
    const held = heldBy(evidence, device && variablesOf(device.value));
    const build = { version, device, held };
    return { 'allocator.variable': variable(evidence, build), 'allocator.segments': segments(evidence, build) };
  },
);

// `pytorch/pytorch:2.9.1-cuda12.8`, `…:torch2.9.1-…`, `…_pytorch_2.9`; a monthly release (`nvidia/pytorch:25.09`) is no version.
const IN_IMAGE = /(?:py)?torch[-_:]?v?([12]\.\d+(?:\.\d+)?)(?![\d.])/i;

function readPytorch({ weighing, program }: Evidence): Cited<string> | undefined {
  const told = weighing.all.filter(namesPytorch);
  const last = told.at(-1);
  const versions = new Set(told.map(({ hit }) => hit.captures.version));
  if (last?.hit.captures.version !== undefined) {
    return versions.size === 1 ? { value: last.hit.captures.version, from: citeHit(last) } : undefined;
  }
  const named = IN_IMAGE.exec(program.image?.value ?? '')?.[1];
  return named === undefined || program.image === undefined ? undefined : { value: named, from: program.image.from };
}

type Build = {
  readonly version: Cited<string> | undefined;
  readonly device: Cited<string> | undefined;
  readonly held: Held | undefined;
};

// The name that the container uses already, then the one that the build prints; but a build that ignores the setting under
// the new name gets the old one of its device. Where neither version nor device tells, the old one of CUDA is right for all
// of CUDA and ROCm: no fact says another.
function variable(evidence: Evidence, build: Build): Fact | undefined {
  const { version, device, held } = build;
  const given = held && fact(held.variable, [held.from]);
  const names = device && variablesOf(device.value);
  if (device !== undefined && names?.includes(ALLOC_CONF) === false) {
    return given ?? fact(names[0] ?? NO_VARIABLE, [device.from]);
  }
  if (version !== undefined && readsNewName(version)) return given ?? fact(ALLOC_CONF, [version.from]);
  const told = given ?? printed(evidence);
  const isNew = told?.kind === 'known' && told.value === ALLOC_CONF;
  const isRead = !isNew || (version === undefined && held !== undefined);
  return isRead && told !== undefined ? told : oldName(build);
}

function oldName({ version, device }: Build): Fact | undefined {
  if (device?.value === 'HIP') return fact(HIP_ALLOC_CONF, [device.from]);
  return version && fact(CUDA_ALLOC_CONF, [version.from]);
}

function readsNewName({ value }: Cited<string>): boolean {
  return stateOfFeature('pytorch.alloc-conf', value) === 'always';
}

type Held = { readonly variable: string; readonly value: string; readonly from: Citation };

// What the container sets is read already, if such a build reads it; a variable set twice counts as the last.
function heldBy({ spec, args }: Evidence, names: readonly string[] = ALLOCATOR_VARIABLES): Held | undefined {
  const ofPod = spec.env.findLast(({ name, value }) => names.includes(name) && value !== undefined);
  const held: Cited<string> | undefined = ofPod?.value;
  if (ofPod !== undefined && held !== undefined) {
    return { variable: ofPod.name, value: held.value, from: held.from };
  }
  const typed = args.findLast(({ flag }) => names.includes(flag));
  return typed && { variable: typed.flag, value: typed.value ?? '', from: typed.from };
}

// The advice is printed with every failure and proves nothing, but it names the variable as this build calls it.
function printed({ weighing }: Evidence): Fact | undefined {
  const hint = weighing.all.findLast(({ hit }) => hit.captures.var !== undefined);
  return hint && fact(hint.hit.captures.var, [citeHit(hint)]);
}

function segments(evidence: Evidence, build: Build): Fact | undefined {
  const { args, spec, program } = evidence;
  const { version: pytorch, held } = build;
  const rocm = rocmOf(evidence, build);
  if (rocm !== undefined && !hasSegments(pytorch))
    return fact('unsupported', [rocm, ...(pytorch ? [pytorch.from] : [])]);
  const isAsked = held !== undefined && /expandable_segments:true/i.test(held.value);
  const isRead = pytorch === undefined || readsNewName(pytorch) || held?.variable !== ALLOC_CONF;
  if (isAsked && isRead) return fact('on', [held.from]);
  const version = readIdentity(evidence).version?.value;
  const against = args.find((argument) => turnsDown(argument, version));
  if (against !== undefined) return fact('refused', [against.from]);
  const seen = spec.words[0] ?? program.words[0];
  return seen && fact('off', [seen.from]);
}

// A build that prints the name for ROCm is one for ROCm, whatever else is seen.
function rocmOf(evidence: Evidence, { device }: Build): Citation | undefined {
  const named = printed(evidence);
  if (device?.value === 'HIP') return device.from;
  return named?.kind === 'known' && named.value === HIP_ALLOC_CONF ? named.from[0] : undefined;
}

function hasSegments(pytorch: Cited<string> | undefined): boolean {
  return pytorch !== undefined && stateOfFeature('pytorch.rocm-segments', pytorch.value) === 'always';
}

function turnsDown({ flag, value }: EngineArgument, version: string | undefined): boolean {
  return refusesSegments(flag, version) !== undefined && parseSwitch(value) !== false;
}
