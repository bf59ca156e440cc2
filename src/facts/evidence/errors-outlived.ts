import type { LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { isLoaded, isModelRefused } from '../../read/log/errors-outlived.ts';
import { endsNothing, isEndBySignal, isEndOfProcess, showsLife, tellsOfDeath } from '../../read/log/signs-of-work.ts';
import { tailLines } from '../log/tail-lines.ts';
import type { Weighed } from './weigh.ts';
import { asContext, isBelow, isDecidingPlane, isSameReport } from './weigh.ts';

/** What ended apart from the weighed lines: the container, and the runs above in the same log. */
export type Ended = { readonly exitCode: number | undefined; readonly above: readonly Weighed[] };

/**
 * The hits, where a line of something else than memory counts for nothing once the engine is seen at work below it: an
 * error that it was not, a warning of its start, or one request. A request that was refused stays what there is to tell
 * as long as nothing ended, and so does a device that is missing.
 */
export function withoutPassed(all: readonly Weighed[], ended: Ended): Weighed[] {
  const hits = all.map(({ hit }) => hit);
  return all.map((told) => {
    if (!isOfElse(told)) return told;
    const below = all.filter((one) => isBelow(one, told));
    const ofModel = isModelRefused(told.hit, hits);
    return isPassed({ told, below, ofModel }, ended) ? asContext(told) : told;
  });
}

/** A line, what is below it, and whether it is about one model of a server that goes on. */
type Place = { readonly told: Weighed; readonly below: readonly Weighed[]; readonly ofModel: boolean };

function isPassed({ told, below, ofModel }: Place, { exitCode, above }: Ended): boolean {
  const died = below.find(isEnd);
  const worked = below.some((one) => showsLife(one.hit) && one.hit.line < (died?.hit.line ?? Number.POSITIVE_INFINITY));
  const failed = died !== undefined || (exitCode !== undefined && exitCode !== 0);
  // ggml runs on the processor where it finds no device: what is wrong with it is still that.
  if (hasRole(told.signature, 'no-device')) return worked && failed;
  if (!ofModel && !endsNothing(told.signature)) return worked;
  if (below.some(({ signature }) => isEndBySignal(signature))) return true;
  if (!ofModel && told.signature.causes[0] !== 'none.request-rejected') return false;
  return bySignal(exitCode) || (worked && failed) || above.some((one) => isEnd(one) || isProof(one));
}

// No request or model that is refused ends a process by a signal: 128 and its number (POSIX, exit status of a command).
const SIGNAL = 128;

function bySignal(exitCode: number | undefined): boolean {
  return exitCode !== undefined && exitCode > SIGNAL;
}

function isEnd({ signature }: Weighed): boolean {
  return isEndOfProcess(signature);
}

function isProof({ signature }: Weighed): boolean {
  return signature.weight === 'proof' && (signature.plane === 'gpu' || signature.plane === 'host');
}

function isOfElse({ signature }: Weighed): boolean {
  return signature.plane === 'none' && (signature.weight === 'strong' || signature.weight === 'rules-out');
}

// What a shell, a batch system or a wrapper writes below the last line of a program that failed.
const EXITED =
  /\b(?:exit(?:ed|s)?|return(?:ed|s)?)\b[^\n]{0,24}?\b(?:code|status|with)\b[^\n\d-]{0,12}-?[1-9]\d{0,2}\b/i;

/**
 * The hits, where a refusal counts for nothing that was not the end: the engine says that it asks again for less, and
 * either writes on without another refusal, or tells that the model was loaded. What ends nothing stays what there is to
 * tell.
 */
export function withoutTriedAgain(all: readonly Weighed[], main: LogReading | undefined): Weighed[] {
  // Who asks an engine that died is answered no more, however often it tries.
  const died = all.some(({ signature }) => tellsOfDeath(signature)) || hasExited(main);
  const agains = all.filter(
    ({ signature }) => hasRole(signature, 'tries-again') && !(died && hasRole(signature, 'by-script')),
  );
  const againOf = (weighed: Weighed) =>
    agains.find((again) => !isBelow(weighed, again) && isSameReport(again, weighed) && again !== weighed);
  const refusals = all.filter((one) => one.signature.weight === 'proof' && isDecidingPlane(one.signature));
  return all.map((weighed) => {
    const again = againOf(weighed);
    if (again === undefined || main === undefined || main.lines <= again.hit.line) return weighed;
    const started = all.find((one) => isLoaded(one.signature) && isBelow(one, again));
    // Each attempt may be refused in its turn, until one is not.
    const isRefusedAgain = refusals.some(
      (one) => isBelow(one, again) && (started === undefined || (isBelow(started, one) && againOf(one) === undefined)),
    );
    return isRefusedAgain || !tellsOfFailure(weighed) ? weighed : asContext(weighed);
  });
}

function tellsOfFailure({ signature }: Weighed): boolean {
  return signature.weight !== 'context' && !endsNothing(signature);
}

function hasExited(main: LogReading | undefined): boolean {
  return (
    main !== undefined &&
    tailLines(main)
      .slice(-LAST_LINES)
      .some(({ text }) => EXITED.test(text))
  );
}

const LAST_LINES = 5;
