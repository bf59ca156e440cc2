import type { Fact } from '../../model/fact.ts';
import { SET_BY, type SetBy } from '../../model/knob-table.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import { argumentsAt, kaitoRelease } from '../../read/engine/wrappers.ts';
import { defineFacts } from '../evidence/define.ts';
import { type EngineIdentity, readIdentity } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { ARGS, LOG, STATUS } from '../log/needs.ts';

/** Where the arguments of the engine are kept. */
export const ENGINE_ARGUMENTS = defineFacts(
  {
    'engine.set-by': {
      unit: 'choice',
      values: [...SET_BY],
      says: 'source of the limits of TensorRT-LLM: arguments of trtllm-serve, a file, the built engine, the model repository of Triton',
      needs: `${ARGS}, or the start of the log`,
    },
    'wrapper.version': { unit: 'text', says: 'release of the platform around the engine', needs: LOG },
    'wrapper.arguments-at': {
      unit: 'text',
      says: 'where the platform around the engine keeps its arguments',
      needs: `${STATUS}, for what runs the engine`,
    },
  },
  (evidence) => {
    const identity = readIdentity(evidence);
    const ways = identity.wrappers.map(({ value }) => argumentsAt(value)).filter((way) => way !== '');
    return {
      'engine.set-by': readSetBy(evidence),
      'wrapper.version': wrapperVersion(evidence, identity),
      'wrapper.arguments-at': fact(
        ways.length > 0 ? ways.join(' ') : undefined,
        identity.wrappers.map(({ from }) => from),
      ),
    };
  },
);

// NIM says it in its banner; which KAITO it is shows in the vLLM that it brings.
function wrapperVersion({ weighing }: Evidence, { wrappers, version }: EngineIdentity) {
  const banner = weighing.all.find(
    ({ signature, hit }) => signature.engine === 'nim' && hit.captures.version !== undefined,
  );
  const named = banner?.hit.captures.version;
  if (banner !== undefined && named !== undefined) return fact(`NIM ${named}`, [citeHit(banner)]);
  const kaito = wrappers.find(({ value }) => value === 'kaito');
  const release = kaito && kaitoRelease(version?.value);
  return release === undefined || version === undefined ? undefined : fact(`KAITO ${release}`, [version.from]);
}

const REPOSITORY = /(?:^|\/)(?:tritonserver|launch_triton_server\.py)$/;
const SERVE = /(?:^|\/)trtllm-serve$/;
// Both names are of one option, and its file overrides the command line (tensorrt_llm/commands/serve.py).
const FILES = ['--config', '--extra-llm-api-options'];

// Nothing for any other engine.
function readSetBy({ engine, program, args, weighing }: Evidence): Fact | undefined {
  if (engine.engine !== 'tensorrt-llm') return undefined;
  const of = (value: SetBy, from: Parameters<typeof fact>[1][number]) => fact(value, [from]);
  const built = weighing.all.find(({ signature }) => hasRole(signature, 'built-engine'));
  if (built !== undefined) return of('build', citeHit(built));
  const backend = effectiveArgument(args, '--backend');
  if (backend?.value === 'tensorrt' || backend?.value === 'trt') return of('build', backend.from);
  const repository = program.words.find(({ value }) => REPOSITORY.test(value));
  if (repository !== undefined) return of('repository', repository.from);
  const serve = program.words.find(({ value }) => SERVE.test(value));
  if (serve === undefined) return undefined;
  const file = FILES.map((flag) => effectiveArgument(args, flag)).find((one) => one !== undefined);
  return file === undefined ? of('command-line', serve.from) : of('file', file.from);
}
