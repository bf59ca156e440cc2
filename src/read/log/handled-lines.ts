import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { readOutlived } from './errors-outlived.ts';

// `grep -n` over several files: the file and the number of the line.
const QUOTED = /^\S{1,200}\.(?:log|txt|out|err)(?:\.\d{1,3})?:\d{1,9}:/;

/**
 * The reading without the failures that a program provoked or handled and went on, and without those of other files that
 * somebody searched below its end. `ended`: the process is known to have ended with a failure.
 */
export function withoutHandled(reading: LogReading, ended = false): LogReading {
  const searched = withoutTrials(reading);
  const { passed, proofs } = readOutlived(searched, ended);
  const isOwn = searched.hits.some(({ text }) => !QUOTED.test(text));
  const outlived = proofs.filter(({ text }) => !QUOTED.test(text));
  return without(
    outlived.length === 0 ? searched : { ...searched, outlived },
    (hit) => tellsOfFailure(hit) && (passed.has(hit.line) || (isOwn && QUOTED.test(hit.text))),
  );
}

// Between two steps of a search a program tries what may fail, and goes on: KAITO searches for the longest context this
// way (0.4.0 to 0.7.2), others for the largest batch. A failure between two steps, or in the line of one, is handled. A
// failure below the last step counts, since nothing shows that the program went on.
function withoutTrials(reading: LogReading): LogReading {
  const steps = reading.hits.filter(({ signature }) => hasRole(signature, 'trial')).map(({ line }) => line);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined || first === last) return reading;
  return without(reading, (hit) => hit.line >= first && hit.line < last && tellsOfFailure(hit));
}

function without(reading: LogReading, isHandled: (hit: Hit) => boolean): LogReading {
  const handled = new Set(reading.hits.filter(isHandled).map(({ text }) => text));
  if (handled.size === 0) return reading;
  // Blank, and as long as it was: the other lines keep their numbers, and the tail its length.
  const tail = reading.tail
    .split('\n')
    .map((line) => (handled.has(line.trimEnd()) ? ' '.repeat(Buffer.byteLength(line)) : line));
  return { ...reading, hits: reading.hits.filter((hit) => !isHandled(hit)), tail: tail.join('\n') };
}

// The figures of PyTorch's sentence and the time of life that a line names are context, and belong to the failure all the
// same.
function tellsOfFailure({ signature }: Hit): boolean {
  return signature.weight !== 'context' || hasRole(signature, 'pytorch-oom') || hasRole(signature, 'of-failure');
}
