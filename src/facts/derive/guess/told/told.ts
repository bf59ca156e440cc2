import type { Cause } from '../../../../model/taxonomy.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Read } from '../family.ts';
import { FAILS, HINTS } from '../family.ts';
import { type Account, lineThatSays, type Told } from './account.ts';
import { readCards } from './cards.ts';
import { type Ending, readEnding } from './ending.ts';
import { type Level, type Memory, readLevels } from './level.ts';
import { BOUND, HOLDS_CARD, OF_RAM, OF_REQUESTS, OF_STEPS, STAGES, type Subject } from './subjects.ts';

type Scene = {
  readonly account: Account;
  readonly life: Life | undefined;
  readonly ending: Ending | undefined;
  readonly levels: readonly Level[];
};

/** What the notes tell as a whole: how the process ended, which memory was full, and what it was at. A guess, always. */
export function readTold(account: Account, life: Life | undefined): Read | undefined {
  const scene = { account, life, ending: readEnding(account), levels: readLevels(account) };
  return ofHeldCard(scene) ?? ofRam(scene) ?? ofCard(scene);
}

function level({ levels }: Scene, memory: Memory, full: boolean): Level | undefined {
  return levels.find((one) => one.memory === memory && one.full === full);
}

function all({ account: { prose, rows } }: Scene): readonly Told[] {
  return [...prose, ...rows];
}

function told(plane: 'gpu' | 'host', cause: Cause, from: Told, score = FAILS): Read {
  return { family: { plane, starting: cause, serving: cause }, score, from: from.from };
}

// A start that fails beside a card that is held.
function ofHeldCard(scene: Scene): Read | undefined {
  if (scene.ending?.kind === 'killed' || scene.life === 'serving') return undefined;
  const shown = readCards(scene.account);
  if (shown !== undefined) return told('gpu', shown.cause, shown.from);
  const held = lineThatSays(all(scene), HOLDS_CARD);
  return held && scene.ending && told('gpu', 'gpu.startup.shared-gpu', held);
}

function ofRam(scene: Scene): Read | undefined {
  const { ending, life } = scene;
  const full = level(scene, 'host', true);
  const isKilled = ending?.kind === 'killed' || ending?.kind === 'froze';
  const hasRoom = level(scene, 'host', false) !== undefined && full === undefined;
  if (ending === undefined || hasRoom || !(isKilled || full)) return undefined;
  const from = full?.from ?? ending.from;
  const subject = subjectOf(scene, OF_RAM);
  if (subject !== undefined) return told('host', subject.cause, from);
  return life === 'starting' ? told('host', ofStart(scene), from) : undefined;
}

function ofStart(scene: Scene): Cause {
  if (scene.ending?.kind === 'froze' && level(scene, 'host', true) === undefined && !says(scene, STAGES))
    return 'host.node-pressure';
  return says(scene, BOUND) && !says(scene, STAGES) ? 'host.startup.limit' : 'host.startup.weight-staging';
}

function says(scene: Scene, pattern: RegExp): boolean {
  return lineThatSays(all(scene), pattern) !== undefined || pattern.test(scene.account.args);
}

function subjectOf(scene: Scene, subjects: readonly Subject[]): Subject | undefined {
  return subjects.find(
    ({ pattern, life }) =>
      (life === undefined || scene.life === undefined || life === scene.life) && says(scene, pattern),
  );
}

// A card that was full, or requests of a kind that end a server every time: the engine keeps its memory at the edge.
function ofCard(scene: Scene): Read | undefined {
  const { ending, life } = scene;
  const full = level(scene, 'gpu', true);
  const hasRoom = level(scene, 'gpu', false) !== undefined && full === undefined;
  if (ending === undefined || ending.kind === 'killed' || hasRoom) return undefined;
  const from = full?.from ?? ending.from;
  const request = life === 'starting' ? undefined : subjectOf(scene, OF_REQUESTS);
  if (request !== undefined) return told('gpu', request.cause, from, full ? FAILS : HINTS);
  return full && told('gpu', causeOfFull(scene), from);
}

function causeOfFull(scene: Scene): Cause {
  if (scene.life === 'serving') return 'gpu.burst.headroom';
  const step = subjectOf(scene, OF_STEPS)?.cause;
  return step ?? (scene.life === 'starting' ? 'gpu.startup.weights' : 'gpu.burst.headroom');
}
