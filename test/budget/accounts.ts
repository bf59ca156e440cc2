import { parseWanted, settingsOf } from '../../src/app/budget/budget.ts';
import { type AccountInput, accountFor } from '../../src/budget/account.ts';
import { knobsOf } from '../../src/budget/engine-knobs.ts';
import type { Figures } from '../../src/budget/figures.ts';
import type { Budget } from '../../src/model/budget.ts';
import { GIB } from '../../src/model/quantity.ts';
import { BOOK } from './fits.ts';

type Part = {
  readonly engine?: string;
  readonly version?: string | undefined;
  readonly figures?: Figures;
  readonly told?: Readonly<Record<string, string | null>>;
  readonly usedShare?: number | undefined;
  readonly running?: number | undefined;
  readonly wanted?: readonly string[];
  readonly direction?: AccountInput['direction'];
  readonly profile?: AccountInput['profile'];
};

/** Llama-3.1-8B under vLLM 0.11 on an A100 40 GB, with the figures of a public report. */
export function anAccount(part: Part = {}): Budget {
  const { engine = 'vllm', figures, told = {}, wanted = [] } = part;
  const knobs = knobsOf(engine);
  if (knobs === undefined) throw new Error(engine);
  const input: AccountInput = {
    id: 'an-incident',
    usedShare: 'usedShare' in part ? part.usedShare : 0.5,
    running: 'running' in part ? part.running : 10,
    wanted: wanted.map(parseWanted),
    direction: part.direction ?? 'none',
    profile: part.profile,
    state: {
      engine,
      knobs,
      book: BOOK,
      version: 'version' in part ? part.version : '0.11.0',
      product: 'NVIDIA-A100-SXM4-40GB',
      utilization: undefined,
      settings: settingsOf(
        Object.entries({ '--max-model-len': '40960', ...told }).map(([flag, value]) => ({
          flag,
          value,
          from: { kind: 'line', file: 'args.txt', line: 1, text: flag },
        })),
      ),
      figures: {
        totalBytes: 39.5 * GIB,
        weightsBytes: 14.99 * GIB,
        kvAvailableBytes: 19.92 * GIB,
        kvTokens: 163_168,
        activationBytes: 0.6 * GIB,
        nonTorchBytes: 0.04 * GIB,
        graphBytes: 0.5 * GIB,
        model: 'meta-llama/Llama-3.1-8B-Instruct',
        ...figures,
      },
    },
  };
  return accountFor(input);
}
