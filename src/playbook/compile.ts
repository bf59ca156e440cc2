import { createHash } from 'node:crypto';
import { compileCondition } from './compile-condition.ts';
import { type CompileContext, createContext, type Keys } from './compile-context.ts';
import { compileFinding, compileOffer } from './compile-finding.ts';
import { compileMyths } from './compile-myths.ts';
import type { Branch, Catalogues, Finding, Marks, Playbook, Question, Target } from './compiled.ts';
import { warnOfDeadBranches } from './dead-branches.ts';
import { FORMAT, PlaybookFile, type QuestionFile } from './format.ts';
import { type Locate, type Problem, unknownName } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readDuration, readSize } from './value.ts';
import { readYaml, type TextFile } from './yaml-source.ts';

/** A playbook that can be walked, with its warnings; or all that keeps the file from being one. */
export type Compiled =
  | { readonly kind: 'sound'; readonly playbook: Playbook; readonly warnings: readonly Problem[] }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

/** Reads and checks the text of a playbook file; never throws. */
export function compilePlaybook(file: TextFile, catalogues: Catalogues): Compiled {
  const source = readYaml(file);
  if (source.kind === 'refused') return { kind: 'bad', problems: source.problems };
  const otherFormat = checkFormat(source.value);
  if (otherFormat !== undefined) {
    const at = source.locate(['playbook', 'schema']);
    return { kind: 'bad', problems: [{ file: file.path, ...at, message: otherFormat, severity: 'error' }] };
  }
  const shaped = shape(PlaybookFile, source.value, { path: file.path, locate: source.locate });
  if (shaped.kind === 'refused') return { kind: 'bad', problems: shaped.problems };
  return link(shaped.value, { file, locate: source.locate, catalogues });
}

/** A file of another format is told so at once: every other message about it would mislead. */
function checkFormat(value: unknown): string | undefined {
  const head = (value as { playbook?: { schema?: unknown } } | null)?.playbook;
  const schema = head?.schema;
  if (typeof schema !== 'number' || schema === FORMAT) return undefined;
  if (schema > FORMAT) {
    return `this playbook is written in format ${schema}, this oombot reads format ${FORMAT}: upgrade oombot, or use the playbook that came with it`;
  }
  return `this playbook is written in format ${schema}, which this oombot no longer reads: bring it to format ${FORMAT} (playbooks/README.md)`;
}

type LinkInput = { readonly file: TextFile; readonly locate: Locate; readonly catalogues: Catalogues };

function link(raw: PlaybookFile, { file, locate, catalogues }: LinkInput): Compiled {
  const thresholds = new Map(Object.entries(raw.thresholds ?? {}).map(([id, { value }]) => [id, value]));
  const context = createContext({ path: file.path, locate, ...catalogues, thresholds });
  checkThresholds(context);
  const findings = new Map(Object.entries(raw.findings).map(([id, part]) => [id, compileFinding(id, part, context)]));
  const offers = (raw.offers ?? []).flatMap(({ for: causes, ...offer }, index) => {
    const compiled = compileOffer(offer, ['offers', index], context);
    return compiled === undefined ? [] : [{ ...compiled, causes }];
  });
  const impossible = (raw.impossible ?? []).flatMap(({ causes, if: asked }, index) => {
    const condition = compileCondition(asked, ['impossible', index, 'if'], context);
    return condition === undefined ? [] : [{ causes, condition }];
  });
  const myths = compileMyths(raw, context);
  const linker = new Linker(raw, findings, context);
  const start = linker.question(raw.playbook.start, ['playbook', 'start'], []);
  for (const id of Object.keys(raw.questions)) linker.question(id, ['questions', id], []);
  warnOfUnused(context, start, raw);
  const problems = inFileOrder(context.problems);
  if (start === undefined || problems.some(({ severity }) => severity === 'error')) return { kind: 'bad', problems };
  const { name, version } = raw.playbook;
  const hash = createHash('sha256').update(file.text).digest('hex').slice(0, 16);
  const parts = { questions: linker.built(), findings: [...findings.values()], offers, impossible, myths };
  const playbook = { name, version, hash, start, ...parts };
  return { kind: 'sound', playbook, warnings: problems };
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ line, column, message }) => {
      const key = `${line}:${column}:${message}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    })
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function checkThresholds(context: CompileContext): void {
  for (const [id, value] of context.thresholds) {
    if (typeof value === 'number' || readDuration(value) !== undefined || readSize(value) !== undefined) continue;
    const message = `${value} is no threshold; write a number, a share such as 0.95, a duration such as 10m or a size such as 16GiB`;
    context.fault(['thresholds', id, 'value'], message);
  }
}

/** Builds questions from the leaves up, so that each holds what it leads to. */
class Linker {
  readonly #raw: PlaybookFile;
  readonly #findings: ReadonlyMap<string, Finding>;
  readonly #context: CompileContext;
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

  /** `way` holds the questions that lead here, to tell a circle. */
  question(id: string, from: Keys, way: readonly string[]): Question | undefined {
    if (way.includes(id)) {
      const circle = [...way.slice(way.indexOf(id)), id].join(' -> ');
      this.#context.fault(from, `questions that ask each other in a circle never end: ${circle}`);
      return undefined;
    }
    if (this.#done.has(id)) return this.#done.get(id);
    const raw = Object.hasOwn(this.#raw.questions, id) ? this.#raw.questions[id] : undefined;
    if (raw === undefined) {
      this.#context.fault(from, unknownName('question', id, Object.keys(this.#raw.questions)));
      return undefined;
    }
    const question = this.#build(id, raw, [...way, id]);
    this.#done.set(id, question);
    if (question !== undefined) warnOfDeadBranches(question, this.#context);
    return question;
  }

  #build(id: string, raw: QuestionFile, way: readonly string[]): Question | undefined {
    const keys: Keys = ['questions', id];
    const ids = new Set<string>();
    const branches = raw.branches.map((branch, index): Branch | undefined => {
      const at = [...keys, 'branches', index];
      if (branch.id === 'otherwise') this.#context.fault([...at, 'id'], '`otherwise` is the name of the last way out');
      if (ids.has(branch.id)) this.#context.fault([...at, 'id'], `a second branch called ${branch.id}`);
      ids.add(branch.id);
      const condition = compileCondition(branch.if, [...at, 'if'], this.#context);
      const then = this.#target(branch, at, way);
      if (condition === undefined || then === undefined) return undefined;
      const marks = marksOf(branch);
      return { id: branch.id, condition, then, marks, doesNotDoubt: branch['does-not-doubt'], settles: branch.settles };
    });
    const otherwise = this.#target(raw.otherwise, [...keys, 'otherwise'], way);
    const sound = branches.filter((branch) => branch !== undefined);
    if (otherwise === undefined || sound.length < branches.length) return undefined;
    const otherwiseMarks = marksOf(raw.otherwise);
    return { kind: 'question', id, ask: raw.ask, branches: sound, otherwise, otherwiseMarks };
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
