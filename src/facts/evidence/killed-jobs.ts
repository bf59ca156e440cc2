import { isBelow, type Weighed } from './weighed.ts';

const STOPPED = 'compiler.ninja-stopped';
const KILLED = /^host\.killed-word/;
// A shell writes the command behind its word.
const OTHER_COMMAND = /killed\s{2,80}(?!.{0,300}(?:nvcc|cicc|ptxas|hipcc|clang|cc\b|[gc]\+\+|cc1|\bld\b|ninja))\S/i;
// What other jobs write until they are done.
const LINES = 200;

const COMPILER = /^compiler\.(?:killed|job-killed|memory)$/;
// Who loads or serves below it had its kernels built: a build was tried again, and it is not what ended.
const WENT_ON = /^phase\.\S*(?:load|shards|ready|served|serving)/;

/**
 * The hits, where the word of a shell that something was killed is of a compiler if ninja stops below it for a command that
 * failed: it prints what its jobs wrote, and had it been killed itself it would say nothing (ninja-build/ninja src/build.cc).
 * A compiler that was killed before a load tells nothing of the end.
 */
export function withKilledJobs(all: readonly Weighed[]): Weighed[] {
  const stops = all.filter(({ phrase }) => phrase.id === STOPPED);
  return all.map((told) => {
    const isOfJob =
      KILLED.test(told.phrase.id) &&
      !OTHER_COMMAND.test(told.hit.clean) &&
      stops.some((stop) => isJustBelow(stop, told));
    if (!isOfJob && !COMPILER.test(told.phrase.id)) return told;
    if (all.some((later) => WENT_ON.test(later.phrase.id) && isBelow(later, told)))
      return { ...told, phrase: { ...told.phrase, weight: 'context' } };
    return isOfJob ? { ...told, phrase: { ...told.phrase, causes: ['host.startup.workers'], weight: 'strong' } } : told;
  });
}

function isJustBelow(stop: Weighed, told: Weighed): boolean {
  return isBelow(stop, told) && stop.hit.line - told.hit.line <= LINES;
}
