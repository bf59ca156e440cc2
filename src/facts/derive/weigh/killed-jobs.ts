import { isBelow, type Weighed } from './weighed.ts';

const STOPPED = 'compiler.ninja-stopped';
const KILLED = /^host\.killed-word/;
// A shell writes the command behind its word.
const OTHER_COMMAND = /killed\s{2,80}(?!.{0,300}(?:nvcc|cicc|ptxas|hipcc|clang|cc\b|[gc]\+\+|cc1|\bld\b|ninja))\S/i;
// What other jobs write until they are done.
const LINES = 200;

/**
 * The hits, where the word of a shell that something was killed is of a compiler if ninja stops below it for a command that
 * failed: it prints what its jobs wrote, and had it been killed itself it would say nothing (ninja-build/ninja src/build.cc).
 */
export function withKilledJobs(all: readonly Weighed[]): Weighed[] {
  const stops = all.filter(({ phrase }) => phrase.id === STOPPED);
  return all.map((told) => {
    const isOfJob =
      KILLED.test(told.phrase.id) &&
      !OTHER_COMMAND.test(told.hit.clean) &&
      stops.some((stop) => isJustBelow(stop, told));
    return isOfJob ? { ...told, phrase: { ...told.phrase, causes: ['host.startup.workers'], weight: 'strong' } } : told;
  });
}

function isJustBelow(stop: Weighed, told: Weighed): boolean {
  return isBelow(stop, told) && stop.hit.line - told.hit.line <= LINES;
}
