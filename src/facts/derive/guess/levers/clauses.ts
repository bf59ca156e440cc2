import { anyOf } from '../../../text/patterns.ts';
import { type Outcome, outcomesIn } from './outcomes.ts';

/** A piece of a note that says one thing, and how that went. */
export type Clause = {
  readonly text: string;
  readonly outcomes: readonly Outcome[];
  /** Which sentence of the note it stands in. */
  readonly sentence: number;
  /** Joined to the one before, so that its words speak of that as well: `works, but only with A`. */
  readonly hangsOn: boolean;
};

const INSTEAD = /^(?:instead of|rather than)\b/i;
const SENTENCES = /[。！？]|[.!?](?=\s|$)/g;
const BETWEEN = anyOf(
  'gi',
  /[;；]|[,，、](?!\d)|\s[-–—]{1,2}\s|[:：](?=\s)|\b(?:but|while|whereas|although|though)\b/,
  /\band\b(?= (?:with|at|on|using|once|after|without|the second|in|now|then|only)\b)/,
  /(?=\b(?:instead of|rather than)\b)|(?=换成|改成|改为|改用|加到|加内存|调回)/,
);
const HANGS_ON = /^\s*(?:only|with|after|once|if|when|unless|until|by|using|as soon as|as long as|provided|只有|除非)/i;
const OPPOSITE = { well: 'badly', badly: 'well' } as const;
// `maxModelLen` in a chart is `max_model_len` in a command.
const CAMEL = /\b[a-z]{2,12}(?:[A-Z][a-z]{1,12}){1,5}\b/g;
// What somebody proposes, or wants, was not tried; what did not help tells nothing.
const NOT_TRIED =
  /\b(?:suggest\w*|recommend\w*|advis\w*|proposes?|wants?|should|could try|tries|try|plans?|wonders?|asked for|thought|told to|docs? says?|documentation|support (?:said|says))\b|建议|想/i;
const NO_DIFFERENCE = anyOf(
  'i',
  /\b(?:(?:did|does|do)(?: not|n['’]t) (?:help|matter|change)\w*|no (?:difference|effect|help|odds)|makes? no odds|even with|also with|same with|with and without|with or without|regardless|either|neither|nor|always (?:out of|oom|fails?))\b/,
  /\b(?:the )?same (?:error|line|failure|result|thing)\b/,
  /\b(?:still|yet it|again it) (?:dies|fails|crashes|OOMs?|restarts|exits)\b/,
  /\b(?:crash|fail|di)(?:ed|es|s) again\b/,
  /\b(?:no change|not? change it|did not\s*$|it did not\b|dies every time|at first)\b|也(?:不行|一样|没用)|没用/,
  /仍然|还是/,
);

/** The clauses of a note in their order. What was there instead of something went the other way. */
export function clausesOf(note: string): readonly Clause[] {
  const snake = note.replace(CAMEL, (own) => own.replace(/([a-z])([A-Z])/g, '$1_$2'));
  const clauses = snake.split(SENTENCES).flatMap((sentence, number) => {
    const texts = sentence.split(BETWEEN).filter((text) => text.trim() !== '');
    return texts.map((text, index) => clauseOf(text, texts[index - 1], number));
  });
  return clauses.slice(0, MOST_CLAUSES);
}

// Longer than that is no note.
const MOST_CLAUSES = 40;

function clauseOf(text: string, before: string | undefined, sentence: number): Clause {
  const other = INSTEAD.test(text) && before !== undefined ? outcomesIn(before).at(-1) : undefined;
  return {
    text,
    outcomes: other === undefined ? outcomesIn(text) : [{ went: OPPOSITE[other.went], at: 0 }],
    sentence,
    hangsOn: before !== undefined && HANGS_ON.test(text),
  };
}

/** Whether a clause tells of something that was tried at all. */
export function isTried({ text }: Clause): boolean {
  return !NOT_TRIED.test(text);
}

/** Whether a clause says that it made no difference. */
export function makesNoDifference({ text }: Clause): boolean {
  return NO_DIFFERENCE.test(text);
}
