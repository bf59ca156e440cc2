import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { citeHit as citePlaced } from '../../read/engine/figures.ts';
import { readEngine, readerOf } from '../../read/engine/index.ts';
import { serverNamed } from '../../read/engine/program-names.ts';
import type { Program } from '../../read/engine/program-words.ts';
import type { Label } from '../../read/engine/wrappers.ts';
import { defineFacts } from '../evidence/define.ts';
import { declaredEngine, labelsOf, NO_CLUES, readIdentity, readName } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { inferEngine } from '../evidence/infer-engine.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact, factOf } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { readHandsOver } from '../when/hands-over.ts';

const NAME = 'the name of the engine';

/** Which engine runs, and how it works in principle. */
export const ENGINE_IDENTITY = defineFacts(
  {
    'engine.name': { unit: 'text', says: 'inference engine', needs: LOG },
    'engine.version': { unit: 'text', says: 'version of the engine', needs: LOG },
    'engine.generation': { unit: 'choice', values: ['V0', 'V1'], says: 'engine generation of vLLM', needs: LOG },
    'engine.trial-run': { unit: 'yes-no', says: 'the engine runs a trial batch before it serves', needs: NAME },
    'engine.hands-over': {
      unit: 'yes-no',
      says: 'requests go straight to the model: no profile run, and no KV pool before the first request',
      needs: NAME,
    },
  },
  (evidence) => {
    const identity = readIdentity(evidence);
    const name = engineName(evidence);
    const isKnown = readerOf(evidence.engine.engine) !== undefined || (name && readName(name.value) !== 'unknown');
    const handsOver = readHandsOver(evidence, name, isKnown === true);
    return {
      'engine.name': factOf(name),
      'engine.version': factOf(identity.version),
      'engine.generation': factOf(identity.generation),
      'engine.trial-run': trialRun(evidence.engine.trialRun, name) ?? (handsOver && turned(handsOver)),
      'engine.hands-over': handsOver,
    };
  },
);

// incident.json may name what is around an engine (`xinference`, `triton`): then the engine that the log shows counts.
function engineName(evidence: Evidence): Cited<string> | undefined {
  const declared = declaredEngine(evidence.incident?.engine);
  if (declared !== undefined && isEngine(declared.value)) return declared;
  return shownEngine(evidence) ?? unreadServer(evidence) ?? byOwnError(evidence) ?? declared;
}

function shownEngine(evidence: Evidence): Cited<string> | undefined {
  const { engine, program, log } = evidence;
  if (readerOf(engine.engine) === undefined) return undefined;
  const first = log.main?.hits[0];
  const from =
    engine.version?.from ??
    namesEngine(engine.engine, program) ??
    (log.main !== undefined && first !== undefined
      ? citePlaced({ hit: first, file: log.main.file })
      : (labelled(engine.engine, labelsOf(evidence)) ?? inferEngine(evidence)?.from));
  return from && { value: engine.engine, from };
}

function trialRun(seen: boolean | undefined, name: Cited<string> | undefined): Fact | undefined {
  if (name === undefined) return undefined;
  const runs = seen ?? readEngine({ ...NO_CLUES, declared: name.value }).trialRun;
  return runs === undefined ? undefined : fact(runs, [name.from]);
}

// What hands over from the start has nothing to try.
function turned(handsOver: Fact): Fact | undefined {
  return handsOver.kind === 'known' && handsOver.value === true ? { ...handsOver, value: false } : undefined;
}

function namesEngine(engine: string, { naming, image }: Program): Citation | undefined {
  const word = naming.find(({ value }) => readEngine({ ...NO_CLUES, command: [value] }).engine === engine);
  if (word !== undefined) return word.from;
  return image !== undefined && readEngine({ ...NO_CLUES, image: image.value }).engine === engine
    ? image.from
    : undefined;
}

function labelled(engine: string, labels: readonly Label[]): Citation | undefined {
  return labels.find(({ key, value }) => readEngine({ ...NO_CLUES, labels: { [key]: value } }).engine === engine)?.from;
}

// A server that no reader knows, where the engine was told to be that.
function unreadServer({ engine, program, log }: Evidence): Cited<string> | undefined {
  const named = ({ value }: Cited<string>) => serverNamed(value) === engine.engine;
  const clue = [...program.naming, ...(program.image === undefined ? [] : [program.image])].find(named);
  const line = log.main?.hits.find(({ clean }) => serverNamed(clean) === engine.engine);
  const from = clue?.from ?? (log.main && line && citePlaced({ hit: line, file: log.main.file }));
  return from && { value: engine.engine, from };
}

// Engines that no reader knows, and whose errors are known as theirs.
const UNREAD = /^(?:mlc-llm|mistral\.rs|lightllm|exllamav2|vllm\.rs|ctranslate2)$/;

function byOwnError({ weighing: { decisive } }: Evidence): Cited<string> | undefined {
  const isOwn = decisive !== undefined && UNREAD.test(decisive.signature.engine);
  return isOwn ? { value: decisive.signature.engine, from: citeHit(decisive) } : undefined;
}

function isEngine(declared: string): boolean {
  const reader = readerOf(readName(declared));
  return reader !== undefined && reader.isHost !== true;
}
