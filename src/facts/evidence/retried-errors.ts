import type { LogReading } from '../../model/log-reading.ts';
import { DIES, endsNothing } from '../../read/log/signs-of-work.ts';
import { tailLines } from './tail-lines.ts';
import { asContext, isBelow, isBeside, isDecidingPlane, type Weighed } from './weighed.ts';

const TRIES_AGAIN = /^(?:llamacpp|ollama|script)\.tries-again$/;
const SCRIPT = 'script.tries-again';
// What a shell, a batch system or a wrapper writes below the last line of a program that failed.
const ENDED =
  /\b(?:exit(?:ed|s)?|return(?:ed|s)?)\b[^\n]{0,24}?\b(?:code|status|with)\b[^\n\d-]{0,12}-?[1-9]\d{0,2}\b/i;
/** What an attempt that went well ends with. */
const STARTED = /^phase\.(?:ollama-(?:started|served)|llamacpp-(?:ready|served))$/;

/**
 * The hits, where a refusal counts for nothing that was not the end: the engine says that it asks again for less, and
 * either writes on without another refusal, or tells that the model was loaded. What ends nothing stays what there is to
 * tell.
 */
export function withoutTriedAgain(all: readonly Weighed[], main: LogReading | undefined): Weighed[] {
  // Who asks an engine that died is answered no more, however often it tries.
  const died = all.some(({ phrase }) => DIES.test(phrase.id)) || hasExited(main);
  const agains = all.filter(({ phrase }) => TRIES_AGAIN.test(phrase.id) && !(died && phrase.id === SCRIPT));
  const againOf = (weighed: Weighed) =>
    agains.find((again) => !isBelow(weighed, again) && isBeside(again, weighed) && again !== weighed);
  const refusals = all.filter((one) => one.phrase.weight === 'proof' && isDecidingPlane(one.phrase));
  return all.map((weighed) => {
    const again = againOf(weighed);
    if (again === undefined || main === undefined || main.lines <= again.hit.line) return weighed;
    const started = all.find((one) => STARTED.test(one.phrase.id) && isBelow(one, again));
    // Each attempt may be refused in its turn, until one is not.
    const isRefusedAgain = refusals.some(
      (one) => isBelow(one, again) && (started === undefined || (isBelow(started, one) && againOf(one) === undefined)),
    );
    return isRefusedAgain || !tellsOfFailure(weighed) ? weighed : asContext(weighed);
  });
}

function tellsOfFailure({ phrase }: Weighed): boolean {
  return phrase.weight !== 'context' && !endsNothing(phrase);
}

function hasExited(main: LogReading | undefined): boolean {
  return (
    main !== undefined &&
    tailLines(main)
      .slice(-LAST_LINES)
      .some(({ text }) => ENDED.test(text))
  );
}

const LAST_LINES = 5;
