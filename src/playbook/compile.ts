import { createHash } from 'node:crypto';
import { topicKey } from '../model/topic.ts';
import { type Assembled, assemble } from './assemble.ts';
import { compileCondition } from './compile-condition.ts';
import { type CompileContext, createContext, type Keys } from './compile-context.ts';
import { compileFinding } from './compile-finding.ts';
import { compileRemedies } from './compile-remedies.ts';
import type { Branch, Catalogues, Finding, KnownTopic, Marks, Playbook, Question, Target } from './compiled.ts';
import { warnOfDeadBranches } from './dead-branches.ts';
import type { BranchFile, PlaybookFile, QuestionFile } from './format.ts';
import type { Linted } from './lint-playbook.ts';
import { type Problem, unknownName } from './problem.ts';
import { checkThresholds, thresholdsOf } from './thresholds.ts';
import type { TextFile } from './yaml-source.ts';

/** A playbook that can be walked, with its warnings; or all that keeps the file from being one. */
export type Compiled =
  | {
      readonly kind: 'sound';
      readonly playbook: Playbook;
      readonly warnings: readonly Problem[];
      /** For the rules of `oom playbook lint`. */
      readonly linted: Linted;
    }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

/** Reads and checks the files of a playbook. Throws OomError `bad-config` for a threshold of the configuration that it does not have. */
export function compilePlaybook(files: readonly TextFile[], catalogues: Catalogues): Compiled {
  const assembled = assemble(files);
  if (assembled.kind === 'bad') return assembled;
  const texts = [...files.map(({ text }) => text), JSON.stringify(catalogues.thresholds ?? {})];
  const hash = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  return link(assembled, catalogues, hash);
}

type Sound = Extract<Assembled, { kind: 'sound' }>;

function link({ raw, locate }: Sound, catalogues: Catalogues, hash: string): Compiled {
  const thresholds = thresholdsOf(raw.thresholds, catalogues.thresholds ?? {});
  const context = createContext({ locate, ...catalogues, thresholds });
  checkThresholds(context);
  const remedies = compileRemedies(raw, context);
  const findings = new Map(
    Object.entries(raw.findings).map(([id, part]) => [id, compileFinding(id, part, { context, remedies })]),
  );
  const impossible = raw.impossible.flatMap(({ causes, if: asked }, index) => {
    const condition = compileCondition(asked, ['impossible', index, 'if'], context);
    return condition === undefined ? [] : [{ causes, condition }];
  });
  const topics = compileTopics(raw, context);
  const linker = new Linker(raw, findings, context);
  const start = linker.question(raw.playbook.start, ['playbook', 'start'], []);
  for (const id of Object.keys(raw.questions)) linker.question(id, ['questions', id], []);
  warnOfUnused(context, start, raw);
  linker.warnOfUnusedLists();
  remedies.warnOfUnused();
  const problems = inFileOrder(context.problems);
  if (start === undefined || problems.some(({ severity }) => severity === 'error')) return { kind: 'bad', problems };
  const { name, version } = raw.playbook;
  const offers = remedies.common;
  const parts = { questions: linker.built(), findings: [...findings.values()], offers, impossible, topics };
  const playbook = { name, version, hash, start, ...parts };
  const linted = { raw, locate, findings: parts.findings, remedies: remedies.byName };
  return { kind: 'sound', playbook, warnings: problems, linted };
}

/** The remedies that are none, each found by its id and its other words; two of one word are a problem. */
function compileTopics(raw: PlaybookFile, context: CompileContext): readonly KnownTopic[] {
  const owners = new Map<string, string>();
  return Object.entries(raw.topics).map(([id, { also = [], for: causes = [], engines, ...topic }]) => {
    const keys = [...new Set([id, ...also].map(topicKey))];
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner !== undefined) context.fault(['topics', id], `${key} is already a word for ${owner}`);
      owners.set(key, id);
    }
    return { topic: { id, ...topic }, keys, causes, engines };
  });
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ file, line, column, message }) => {
      const key = `${file}:${line}:${column}:${message}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    })
    .toSorted((a, b) => a.file.localeCompare(b.file, 'en') || a.line - b.line || a.column - b.column);
}

/** Builds questions from the leaves up, so that each holds what it leads to. */
class Linker {
  readonly #raw: PlaybookFile;
  readonly #findings: ReadonlyMap<string, Finding>;
  readonly #context: CompileContext;
  readonly #usedLists = new Set<string>();
  readonly #done = new Map<string, Question | undefined>();

  constructor(raw: PlaybookFile, findings: ReadonlyMap<string, Finding>, context: CompileContext) {
    this.#raw = raw;
    this.#findings = findings;
    this.#context = context;
  }

  /** In the order of the file. */
  built(): readonly Question[] {
    return Object.keys(this.#raw.questions).flatMap((id) => this.#done.get(id) ?? []);
  }

  /** `way` holds the questions that lead here, to detect a circle. */
  question(id: string, from: Keys, way: readonly string[]): Question | undefined {
    if (way.includes(id)) {
      const circle = [...way.slice(way.indexOf(id)), id].join(' -> ');
      return this.#context.fault(from, `questions ask each other in a circle: ${circle}`);
    }
    if (this.#done.has(id)) return this.#done.get(id);
    const raw = Object.hasOwn(this.#raw.questions, id) ? this.#raw.questions[id] : undefined;
    if (raw === undefined) {
      return this.#context.fault(from, unknownName('question', id, Object.keys(this.#raw.questions)));
    }
    const question = this.#build(id, raw, [...way, id]);
    this.#done.set(id, question);
    if (question !== undefined) warnOfDeadBranches(question, this.#context);
    return question;
  }

  #build(id: string, raw: QuestionFile, way: readonly string[]): Question | undefined {
    const keys: Keys = ['questions', id];
    const ids = new Set<string>();
    const branches = this.#listed(raw, keys).map(({ branch, at }): Branch | undefined => {
      if (branch.id === 'otherwise') this.#context.fault([...at, 'id'], '`otherwise` is reserved for the last branch');
      if (ids.has(branch.id)) this.#context.fault([...at, 'id'], `a second branch called ${branch.id}`);
      ids.add(branch.id);
      const condition = compileCondition(branch.if, [...at, 'if'], this.#context);
      const then = this.#target(branch, at, way);
      if (condition === undefined || then === undefined) return undefined;
      const marks = marksOf(branch);
      const { id, settles, 'does-not-doubt': doesNotDoubt, 'opens-cause': opensCause } = branch;
      return { id, condition, then, marks, doesNotDoubt, opensCause, settles };
    });
    const otherwise = this.#target(raw.otherwise, [...keys, 'otherwise'], way);
    const sound = branches.filter((branch) => branch !== undefined);
    if (otherwise === undefined || sound.length < branches.length) return undefined;
    const otherwiseMarks = marksOf(raw.otherwise);
    return { kind: 'question', id, ask: raw.ask, branches: sound, otherwise, otherwiseMarks };
  }

  /** The branches of a question with their places, those of named lists among them. */
  #listed(raw: QuestionFile, keys: Keys): readonly { branch: BranchFile; at: Keys }[] {
    return raw.branches.flatMap((branch, index) => {
      const at = [...keys, 'branches', index];
      if (!('branches' in branch)) return [{ branch, at }];
      const name = branch.branches;
      this.#usedLists.add(name);
      const list = Object.hasOwn(this.#raw.branches, name) ? this.#raw.branches[name] : undefined;
      if (list !== undefined) return list.map((one, i) => ({ branch: one, at: ['branches', name, i] }));
      this.#context.fault([...at, 'branches'], unknownName('list of branches', name, Object.keys(this.#raw.branches)));
      return [];
    });
  }

  warnOfUnusedLists(): void {
    for (const name of Object.keys(this.#raw.branches)) {
      if (!this.#usedLists.has(name))
        this.#context.warn(['branches', name], `no question has the branches ${name}`, true);
    }
  }

  #target(
    raw: { finding?: string | undefined; ask?: string | undefined },
    keys: Keys,
    way: readonly string[],
  ): Target | undefined {
    if (raw.ask !== undefined) return this.question(raw.ask, [...keys, 'ask'], way);
    const id = raw.finding ?? '';
    const finding = this.#findings.get(id);
    if (finding === undefined)
      this.#context.fault([...keys, 'finding'], unknownName('finding', id, this.#findings.keys()));
    return finding;
  }
}

function marksOf({ guess, open, phase }: QuestionFile['otherwise']): Marks {
  return { guess: guess === true, open, phase };
}

function warnOfUnused(context: CompileContext, start: Question | undefined, raw: PlaybookFile): void {
  for (const id of context.thresholds.keys()) {
    if (!context.usedThresholds.has(id)) context.warn(['thresholds', id], `no condition uses threshold ${id}`, true);
  }
  if (start === undefined) return;
  const reached = reachable(start);
  for (const id of Object.keys(raw.questions)) {
    if (!reached.has(`question ${id}`)) context.warn(['questions', id], `no branch leads to question ${id}`, true);
  }
  for (const id of Object.keys(raw.findings)) {
    if (!reached.has(`finding ${id}`)) context.warn(['findings', id], `no branch leads to finding ${id}`, true);
  }
}

function reachable(target: Target, seen = new Set<string>()): ReadonlySet<string> {
  const name = `${target.kind} ${target.id}`;
  if (seen.has(name)) return seen;
  seen.add(name);
  if (target.kind === 'question') {
    for (const { then } of target.branches) reachable(then, seen);
    reachable(target.otherwise, seen);
  }
  return seen;
}
