import type { Citation } from '../../model/citation.ts';
import type { KnownFact } from '../../model/fact.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { parseLogName } from '../../model/snapshot.ts';
import type { ContainerView } from '../../read/cluster/container-states.ts';
import { containersOf } from '../../read/cluster/gather.ts';
import { goesOn, showsLife, tellsOfDeath } from '../../read/log/signs-of-work.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../log/tail-lines.ts';

/** That the engine died after it had become ready and its container still is, with the time of its death; undefined where that is not so. */
export function readDeadEngine(evidence: Evidence): KnownFact | undefined {
  const { main } = evidence.log;
  const ready = readyNow(evidence)?.ready;
  if (main === undefined || ready === undefined || parseLogName(main.file)?.instance !== 'current') return undefined;
  const died = deathIn(main, evidence);
  if (died === undefined) return undefined;
  const line = (hit: Hit): Citation => ({ kind: 'line', file: main.file, line: hit.line, text: hit.text });
  const at = died.at === undefined ? {} : { at: died.at };
  return { kind: 'known', value: 'engine-dead', from: [line(died), ready.from, ...answersBelow(main, died)], ...at };
}

// A pod of one container has no other that could run the engine.
function readyNow({ pod, death }: Evidence): ContainerView | undefined {
  const all = containersOf(pod);
  const name = death.engine;
  const view = all.length === 1 ? all[0] : all.find((one) => one.name?.value === name);
  const runs = view?.state === undefined || view.state.kind === 'running';
  return runs && view?.ready?.value === true ? view : undefined;
}

// What shuts down in order, or was told to, ends by itself and is started again.
function deathIn(log: LogReading, { engine }: Evidence): Hit | undefined {
  const { hits } = log;
  const died = hits.find(({ signature }) => tellsOfDeath(signature) && !hasRole(signature, 'terminated'));
  if (died === undefined) return undefined;
  const wasReady =
    hits.some((hit) => hit.line < died.line && goesOn(hit.signature)) ||
    engine.milestones.some(
      ({ milestone, from }) =>
        (milestone === 'ready' || milestone === 'served') && from.kind === 'line' && from.line < died.line,
    );
  const below = hits.filter(({ line }) => line > died.line);
  const isOver = below.some(
    (hit) => showsLife(hit) || hasRole(hit.signature, 'stops') || hasRole(hit.signature, 'terminated'),
  );
  const isStopping = tailLines(log).some(({ line, text }) => line > died.line && STOPPING.test(text));
  return wasReady && !isOver && !isStopping ? died : undefined;
}

const ANSWERS = [/"(?:GET|HEAD) \/(?:health|healthz|ready)\S* HTTP\/[\d.]+" 200\b/, /"POST \S+ HTTP\/[\d.]+" 50\d\b/];

// encode/uvicorn uvicorn/server.py.
const STOPPING = /\bShutting down$/;

// Of the probe that still succeeds, and of a request that failed, the last line each.
function answersBelow(log: LogReading, died: Hit): Citation[] {
  const below = tailLines(log).filter(({ line }) => line > died.line);
  return ANSWERS.flatMap((pattern) => below.findLast(({ text }) => pattern.test(text)) ?? []);
}
