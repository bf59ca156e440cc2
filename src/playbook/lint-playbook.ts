import type { Fact, Facts } from '../model/fact.ts';
import { flagOfKnob, knobMeant } from '../model/knob-table.ts';
import type { Condition, Finding, Offer, Template } from './compiled.ts';
import { isOffered } from './diagnose.ts';
import type { PlaybookFile } from './format.ts';
import type { LocateIn, Problem } from './problem.ts';

/** What the rules look at: the compiled parts, and where they are written. */
export type Linted = {
  readonly raw: PlaybookFile;
  readonly locate: LocateIn;
  readonly findings: readonly Finding[];
  readonly remedies: ReadonlyMap<string, Offer>;
};

/** What is wrong in a playbook that can be used all the same. */
export function lintPlaybook(linted: Linted): readonly Problem[] {
  return [
    ...linted.findings.flatMap((one) => lintFinding(one, linted)),
    ...lintRemedies(linted),
    ...lintTopics(linted),
  ];
}

const KINDS = ['stop-bleed', 'lasting'] as const;

function lintFinding(finding: Finding, { locate, remedies }: Linted): Problem[] {
  const { id, plane, next, offers } = finding;
  const warn = (message: string, ...keys: readonly string[]) => warningAt(locate, ['findings', id, ...keys], message);
  if (plane === 'none') return [];
  if (plane === 'unknown') {
    return [
      ...(offers.length > 0 ? [warn('plane unknown must not offer remedies', 'remedies')] : []),
      ...(next.length === 1 ? [] : [warn('plane unknown needs exactly one `next`: the item that would decide it')]),
    ];
  }
  const silent = enginesOf(remedies).flatMap((engine) => {
    const said = new Set([...offers.filter((one) => isOffered(one, factsOf(engine))), ...finding.without].map(kindOf));
    const lacking = KINDS.filter((kind) => !said.has(kind)).map((kind) => `\`${kind}\``);
    if (lacking.length === 0) return [];
    return [`no ${lacking.join(' and no ')} remedy is offered${engine === undefined ? '' : ` for ${engine}`}`];
  });
  return [
    ...(silent[0] === undefined ? [] : [warn(`${silent[0]}: add one, or say why under \`without\``)]),
    ...enginesOf(remedies)
      .filter((engine) => plane === 'gpu' && engine !== undefined && flagOfKnob(engine, 'fraction') === undefined)
      .flatMap((engine) =>
        offers.some((one) => asksForFraction(one, engine))
          ? [warn(`${engine} has no memory fraction to raise or lower`, 'remedies')]
          : [],
      ),
    ...(isKvRoom(finding) && offers.some(lowersFraction)
      ? [warn('a lower memory fraction makes the KV cache even smaller', 'remedies')]
      : []),
  ];
}

const kindOf = ({ kind }: { readonly kind: Offer['kind'] }) => kind;

function asksForFraction(offer: Offer, engine: string | undefined): boolean {
  return (
    isOffered(offer, factsOf(engine)) &&
    /\b(?:lower|raise) the (?:memory )?fraction(?! of the other)/i.test(wordsOf(offer.says))
  );
}

function wordsOf(template: Template): string {
  return template.filter((part) => typeof part === 'string').join('');
}

function isKvRoom({ cause }: Finding): boolean {
  return cause.kind === 'fixed' && cause.cause === 'gpu.startup.kv-room';
}

function lowersFraction({ direction, parameters }: Offer): boolean {
  const { set = [] } = parameters as { readonly set?: readonly { readonly flag: string }[] };
  return direction === 'lower' && set.some(({ flag }) => knobMeant(flag) === 'fraction');
}

/** Not known, and every engine that a remedy names and whose flags are known. */
function enginesOf(remedies: Linted['remedies']): readonly (string | undefined)[] {
  const named = [...remedies.values()].flatMap(({ condition, unless }) => [condition, unless].flatMap(enginesIn));
  return [undefined, ...new Set(named.filter((engine) => flagOfKnob(engine, 'length') !== undefined))];
}

function enginesIn(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if (condition.kind !== 'fact') return condition.of.flatMap(enginesIn);
  const { entry, test } = condition;
  return entry.id === 'engine.name' && test.kind === 'one-of' ? test.values.map(String) : [];
}

function factsOf(engine: string | undefined): Facts {
  if (engine === undefined) return new Map();
  const known = (value: string): Fact => ({ kind: 'known', value, from: [] });
  return new Map([['engine.name', known(engine)]]);
}

// What asks for hours, or for something that is not there yet.
const SLOW =
  /\b(?:quiet hour|for a day|over a day|in the long run|overnight|next week|measure the (?:peak|use|RAM)|convert the checkpoint|quanti[sz]e the|(?:re)?build the engine|larger (?:card|GPU)|buy|one more GPU)\b/i;
// A command may have flags of its own.
const COMMAND = /`[^`]* [^`]*`/g;
const FLAG = /(?:^|[\s(`])--[a-z][\w-]*/;
const FITS = 'ram.limit-raised-fits';

function lintRemedies({ raw, locate, remedies }: Linted): Problem[] {
  return [...remedies].flatMap(([name, offer]) => {
    const slow = offer.kind === 'stop-bleed' ? SLOW.exec(raw.remedies[name]?.says ?? '')?.[0] : undefined;
    const flag = FLAG.exec(wordsOf(offer.says).replaceAll(COMMAND, ''))?.[0].trim();
    const isBlind = offer.action.id === 'raise-ram' && !asksFor(offer.unless, FITS);
    const warn = (isWrong: boolean, message: string, ...keys: readonly string[]) =>
      isWrong ? [warningAt(locate, ['remedies', name, ...keys], message)] : [];
    return [
      ...warn(slow !== undefined, `"${slow}" is not a quick mitigation: make it \`kind: lasting\``, 'says'),
      ...warn(flag !== undefined, `${flag} is a flag of one engine: write it in words`, 'says'),
      ...warn(isBlind, `raise-ram needs \`unless: { fact: ${FITS}, is: false }\``),
    ];
  });
}

function asksFor(condition: Condition | undefined, fact: string): boolean {
  if (condition === undefined) return false;
  return condition.kind === 'fact' ? condition.entry.id === fact : condition.of.some((part) => asksFor(part, fact));
}

function warningAt(locate: LocateIn, keys: readonly string[], message: string): Problem {
  return { ...locate(keys), message, severity: 'warning' };
}

const MOST_SENTENCES = 6;
const MOST_WORDS = 20;

// A topic is read in Slack during an incident.
function lintTopics({ raw, locate }: Linted): Problem[] {
  return Object.entries(raw.topics).flatMap(([id, { says, helps, instead }]) => {
    const sentences = [says, helps, instead].flatMap((text) => text.split(/(?<=\.)\s+(?=[A-Z`"])/));
    const long = sentences.find((sentence) => sentence.split(/\s+/).length > MOST_WORDS);
    const warn = (message: string) => [warningAt(locate, ['topics', id], message)];
    return [
      ...(sentences.length > MOST_SENTENCES ? warn(`a topic has at most ${MOST_SENTENCES} sentences`) : []),
      ...(long === undefined ? [] : warn(`more than ${MOST_WORDS} words in one sentence: "${long.slice(0, 40)} …"`)),
    ];
  });
}
