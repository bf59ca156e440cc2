import fc from 'fast-check';
import { expect } from 'vitest';
import { editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import { editConfig } from '../../../src/actions/arguments/edit-config.ts';
import { REFUSALS, type RefusalReason } from '../../../src/actions/arguments/outcome.ts';
import { checkFile, type FileSpec, reasonsOfFile, switchFiles, valuedFiles } from './generated-files.ts';
import {
  changeResource,
  checkResource,
  checkWorkspace,
  modelSpecs,
  type ResourceSpec,
  reasonsOfResource,
  type WorkspaceSpec,
  workspaceSpecs,
  wrappedSpecs,
} from './generated-resources.ts';
import { type HazardSpec, hazardSpecs, listSpecs, type Spec, scriptSpecs } from './generated-specs.ts';
import { switchFlags } from './generated-switches.ts';
import { checkText, type TextSpec, textSpecs } from './generated-texts.ts';
import {
  checkReference,
  checkVariable,
  type ReferenceSpec,
  reasonsOfReference,
  reasonsOfVariable,
  referenceSpecs,
  type VariableSpec,
  variableSpecs,
} from './generated-variables.ts';
import { referredFlags, shortFlags, valuedFlags } from './generated-words.ts';
import { type Attempt, attemptOf, formOf, type RunForm, type Tally } from './spec-form.ts';
import { checkWords } from './word-oracle.ts';

type Asked = Pick<Spec, 'engine' | 'container' | 'flag' | 'to'>;

const editContainer = ({ engine, container, flag, to }: Asked): Attempt =>
  attemptOf(container, editArguments({ engine, container, at: '', edits: [{ flag, to }] }));

const ofReferences = (specs: fc.Arbitrary<Spec>): RunForm =>
  formOf<ReferenceSpec>({
    specs: referenceSpecs(specs),
    before: ({ container }) => container,
    attempt: editContainer,
    check: checkReference,
    reasons: reasonsOfReference,
  });

const AT = '/data/inference_config.yaml';

const ofFiles = (specs: fc.Arbitrary<FileSpec>): RunForm => {
  const before = ({ text }: FileSpec) => ({ data: { 'inference_config.yaml': text } });
  return formOf<FileSpec>({
    specs,
    before,
    attempt: (spec) => {
      const { text, section, flag, to } = spec;
      return attemptOf(before(spec), editConfig({ engine: 'vllm', text, at: AT, section, edits: [{ flag, to }] }));
    },
    check: (spec, after) => checkFile(spec, (after as ReturnType<typeof before>).data['inference_config.yaml']),
    reasons: reasonsOfFile,
  });
};

const ofWords = (specs: fc.Arbitrary<Spec>): RunForm =>
  formOf<Spec>({
    specs,
    before: ({ container }) => container,
    attempt: editContainer,
    reasons: ({ steps }) => REFUSALS.filter((reason) => isRight(reason, steps.length === 0)),
    check: (spec, after) => checkWords(spec.container, after as Spec['container'], spec),
  });

const wrapped = (kinds: Parameters<typeof wrappedSpecs>[0]) =>
  wrappedSpecs(
    kinds,
    fc.oneof(listSpecs(valuedFlags), scriptSpecs(valuedFlags), listSpecs(switchFlags), scriptSpecs(switchFlags)),
  );
const GROUPS = ['LeaderWorkerSet', 'LeaderWorkerSet of like pods', 'LeaderWorkerSet without a leader'] as const;

const ofResources = (specs: fc.Arbitrary<ResourceSpec>): RunForm =>
  formOf<ResourceSpec>({
    specs,
    before: ({ objects }) => objects,
    attempt: changeResource,
    check: checkResource,
    reasons: ({ steps }) => reasonsOfResource(steps.length === 0),
  });

const ofWorkspaces = formOf<WorkspaceSpec>({
  specs: workspaceSpecs(fc.oneof({ weight: 3, arbitrary: valuedFiles }, { weight: 1, arbitrary: switchFiles })),
  before: ({ objects }) => objects,
  attempt: changeResource,
  check: checkWorkspace,
  reasons: ({ reason }) => reasonsOfResource(reason === 'nothing-to-change'),
});

const ofTexts = formOf<TextSpec>({
  specs: textSpecs(fc.oneof(valuedFlags, switchFlags)),
  before: ({ container }) => container,
  attempt: editContainer,
  check: checkText,
  reasons: ({ isReferred, steps }) =>
    isReferred
      ? ['flag-in-variable', 'nothing-to-change']
      : REFUSALS.filter((reason) => isRight(reason, steps.length === 0)),
});

const ofHazards = formOf<HazardSpec>({
  specs: hazardSpecs(scriptSpecs(fc.oneof(valuedFlags, switchFlags))),
  before: ({ container }) => container,
  attempt: editContainer,
  check: () => expect.unreachable('edited what can not be read'),
  reasons: ({ reason }) => [reason],
});

// What is so already is the only thing that there is nothing to do about; the editor's own check never has to step in.
const isRight = (reason: RefusalReason, isSoAlready: boolean): boolean =>
  reason !== 'check-failed' && (reason !== 'nothing-to-change' || isSoAlready);

export type NamedForm = {
  readonly name: string;
  /** How many of a hundred specs are of it. */
  readonly share: number;
  readonly run: RunForm;
  /** False where every one of them has to be refused. */
  readonly isSure: boolean;
};

const ofVariables = formOf<VariableSpec>({
  specs: variableSpecs,
  before: ({ container }) => container,
  attempt: editContainer,
  check: checkVariable,
  reasons: reasonsOfVariable,
});

const TABLE: readonly (readonly [name: string, share: number, run: RunForm])[] = [
  ['flag in a list', 14, ofWords(listSpecs(valuedFlags))],
  ['flag in a script', 17, ofWords(scriptSpecs(valuedFlags))],
  ['switch in a list', 8, ofWords(listSpecs(switchFlags))],
  ['switch in a script', 8, ofWords(scriptSpecs(switchFlags))],
  ['short form in a list', 4, ofWords(listSpecs(shortFlags))],
  ['short form in a script', 4, ofWords(scriptSpecs(shortFlags))],
  ['variable', 6, ofVariables],
  ['text of a variable', 3, ofTexts],
  ['reference in a list', 4, ofReferences(listSpecs(referredFlags))],
  ['reference in a script', 6, ofReferences(scriptSpecs(referredFlags))],
  ['setting of a file', 6, ofFiles(valuedFiles)],
  ['switch of a file', 4, ofFiles(switchFiles)],
  ['model of an InferenceService', 2, ofResources(modelSpecs(valuedFlags))],
  ['switch of an InferenceService', 2, ofResources(modelSpecs(switchFlags))],
  ['container of an InferenceService', 2, ofResources(wrapped(['InferenceService']))],
  ['container of a LeaderWorkerSet', 3, ofResources(wrapped(GROUPS))],
  ['container of a Rollout', 3, ofResources(wrapped(['Rollout', 'Rollout of a Deployment']))],
  ['configuration of a Workspace', 2, ofWorkspaces],
  ['script that nobody can be sure of', 2, ofHazards],
];

/** Every way in which flags are written down. */
export const FORMS: readonly NamedForm[] = TABLE.map(([name, share, run]) => ({
  name,
  share,
  run,
  isSure: run !== ofHazards,
}));

/** Edits the share of `total` specs that is of one form. */
export function checkForm({ name, share, run }: NamedForm, total: number, seed: number): Tally {
  return run((total * share) / 100, seed + FORMS.findIndex((form) => form.name === name));
}

export function joinTallies(tallies: readonly Tally[]): Tally {
  const sum = (key: 'specs' | 'edited' | 'literal' | 'literalEdited'): number =>
    tallies.reduce((all, tally) => all + tally[key], 0);
  const reasons = new Map<string, number>();
  for (const [reason, count] of tallies.flatMap((tally) => [...tally.reasons]))
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  return {
    specs: sum('specs'),
    edited: sum('edited'),
    literal: sum('literal'),
    literalEdited: sum('literalEdited'),
    reasons,
  };
}

/** The share of those that hold the flag literally which are edited. */
export function shareOf({ literal, literalEdited }: Tally): number {
  return literalEdited / literal;
}

export function figuresOf(tally: Tally): string {
  const { specs, edited, literal, literalEdited, reasons } = tally;
  const counts = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ');
  const share = (shareOf(tally) * 100).toFixed(2);
  return `${specs} specs, ${edited} edited; literal ${literalEdited} of ${literal} (${share} %); ${counts}`;
}
