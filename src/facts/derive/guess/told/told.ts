import type { Cause } from '../../../../model/taxonomy.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Read } from '../family.ts';
import { FAILS, HINTS } from '../family.ts';
import { type Account, lineThatSays, type Told } from './account.ts';
import { readCards } from './cards.ts';
import { type Ending, readEnding } from './ending.ts';
import { type Level, type Memory, readLevels } from './level.ts';
import { readAtLimit, readFree, readSum, readTop } from './room.ts';
import {
  BOUND,
  HOLDS_CARD,
  LEFT_BEHIND,
  OF_RAM,
  OF_REQUESTS,
  OF_STEPS,
  OUTLIVED,
  SMALL_BOUND,
  STAGES,
  type Subject,
} from './subjects.ts';

type Scene = {
  readonly account: Account;
  readonly life: Life | undefined;
  readonly ending: Ending | undefined;
  readonly levels: readonly Level[];
};

/** What the notes tell as a whole: how the process ended, which memory was full, and what it was at. A guess, always. */
export function readTold(account: Account, life: Life | undefined): Read | undefined {
  const scene = { account, life, ending: readEnding(account), levels: levelsOf(account) };
  return ofHeldCard(scene) ?? ofRam(scene) ?? ofCard(scene);
}

function levelsOf(account: Account): readonly Level[] {
  const counted = [readSum(account), readTop(account), readFree(account), readAtLimit(account)];
  return [...readLevels(account), ...counted.filter((one) => one !== undefined)];
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
  if (scene.life === 'serving') return undefined;
  const shown = readCards(scene.account);
  if (shown !== undefined) return told('gpu', shown.cause, shown.from);
  const outlived = lineThatSays(all(scene), OUTLIVED);
  if (outlived !== undefined) return told('gpu', 'gpu.startup.shared-gpu', outlived);
  if (scene.ending?.kind === 'killed') return undefined;
  const left = lineThatSays(all(scene), LEFT_BEHIND);
  if (left !== undefined) return told('gpu', 'gpu.startup.shared-gpu', left);
  const held = lineThatSays(all(scene), HOLDS_CARD);
  return held && scene.ending && told('gpu', 'gpu.startup.shared-gpu', held);
}

function ofRam(scene: Scene): Read | undefined {
  const { ending, life } = scene;
  const full = level(scene, 'host', true);
  const hasRoom = level(scene, 'host', false) !== undefined && full === undefined;
  const from = full?.from ?? ending?.from;
  if (from === undefined || hasRoom) return undefined;
  const subject = subjectOf(scene, OF_RAM);
  const isOfRam =
    ending?.kind === 'killed' || ending?.kind === 'froze' || full !== undefined || isEnoughAlone(scene, subject);
  const cause = subject?.cause ?? causeOfFigures(scene);
  if (!isOfRam || (ending === undefined && cause === undefined)) return undefined;
  if (cause !== undefined) return told('host', cause, from);
  if (life === 'starting') return told('host', ofStart(scene), from);
  return life === undefined && ending?.kind === 'killed' && says(scene, SMALL_BOUND)
    ? told('host', 'host.startup.limit', from)
    : undefined;
}

function causeOfFigures({ levels }: Scene): Cause | undefined {
  return levels.find(({ memory, cause }) => memory === 'host' && cause !== undefined)?.cause;
}

// Of what takes RAM only, a size says that it was taken.
const SIZED = /\b\d{2,4} ?(?:G|GB|GiB|Gi)\b|\b(?:gb|size|space|ratio|RAM)[ =]\d/i;

function isEnoughAlone(scene: Scene, subject: Subject | undefined): boolean {
  const { args } = scene.account;
  return subject?.alone === true && (all(scene).some(({ text }) => SIZED.test(text)) || SIZED.test(args));
}

function ofStart(scene: Scene): Cause {
  if (scene.ending?.kind === 'froze') return 'host.node-pressure';
  return says(scene, BOUND) && !says(scene, STAGES) ? 'host.startup.limit' : 'host.startup.weight-staging';
}

// Set to nothing, or to what an engine takes by itself.
const SET_OFF = /--?[\w-]+[ =](?:0(?:\.0)?|false|off|none)(?!\w)|--swap[-_]space[ =][0-4](?!\d)/gi;

function says(scene: Scene, pattern: RegExp): boolean {
  return isTold(scene, pattern) || isSet(scene, pattern);
}

function isTold(scene: Scene, pattern: RegExp): boolean {
  return lineThatSays(all(scene), pattern) !== undefined;
}

function isSet({ account }: Scene, pattern: RegExp): boolean {
  return pattern.test(account.args.replaceAll(SET_OFF, ' '));
}

// What people tell of comes before what is set at every start.
function subjectOf(scene: Scene, subjects: readonly Subject[]): Subject | undefined {
  const ofTime = subjects.filter(({ life }) => life === undefined || scene.life === undefined || life === scene.life);
  const told = ofTime.find(({ pattern }) => isTold(scene, pattern));
  return told ?? ofTime.find(({ pattern }) => isSet(scene, pattern));
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
