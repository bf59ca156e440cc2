import { modelFamily } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { knobsOf } from './engine-knobs.ts';
import { blockTokensOf, type FigureInput, layoutOf, settingOf } from './figures.ts';
import { bytesOfKvDtype, kvBytesPerToken } from './kv-bytes.ts';
import { missing } from './printed-lines.ts';
import { lacking, type Reckoned } from './reckoned.ts';

// Engines print sizes in GiB with two digits.
const HALF_A_DIGIT = 0.005 * GIB;

/**
 * KV bytes per token on one GPU: by the engine's own message or its own pool, and only then by the shape of the model. Sizes
 * are printed rounded: where the model's own number lies within what was rounded away it is that, else about the quotient.
 */
export function perTokenOf(input: FigureInput): Reckoned {
  const printed = quotientOf(input);
  const said = input.figures.kvTokenBytes;
  const told = said !== undefined && said > 0 ? said : undefined;
  const shape = byShape(input);
  if (printed === undefined) return told === undefined ? shape : { kind: 'known', value: told };
  const own = [told, shape.kind === 'known' ? shape.value : undefined].find(
    (value) => value !== undefined && value >= printed.least && value <= printed.most,
  );
  return own === undefined ? { kind: 'known', value: printed.value, about: true } : { kind: 'known', value: own };
}

type Quotient = { readonly value: number; readonly least: number; readonly most: number };

// What a sequence of the longest length needs, else what the pool has, over its tokens. Either is of whole blocks, which may
// hold a part of one more than the tokens say.
function quotientOf(input: FigureInput): Quotient | undefined {
  const { kvNeededBytes, kvAvailableBytes, kvTokens, estimatedMaxLen, maxModelLen } = input.figures;
  return over(input, kvNeededBytes, maxModelLen) ?? over(input, kvAvailableBytes, kvTokens ?? estimatedMaxLen);
}

function over(input: FigureInput, bytes: number | undefined, tokens: number | undefined): Quotient | undefined {
  if (bytes === undefined || bytes <= 0 || tokens === undefined || tokens <= 0) return undefined;
  const rounded = HALF_A_DIGIT * (knobsOf(input.engine)?.kvSizesPrinted ?? 1);
  return {
    value: bytes / tokens,
    least: (bytes - rounded) / (tokens + blockTokensOf(input)),
    most: (bytes + rounded) / tokens,
  };
}

function byShape({ engine, figures, settings }: FigureInput): Reckoned {
  const family = figures.model === undefined ? undefined : modelFamily(figures.model);
  if (family === undefined) return lacking(missing(engine, 'kvNeededBytes'));
  const bytesPerValue = bytesOfKvDtype(settingOf(engine, settings, knobsOf(engine)?.kvDtype)?.text);
  if (bytesPerValue === undefined) return lacking('bytes of the KV data type');
  return { kind: 'known', value: kvBytesPerToken(family.shape, { ...layoutOf(engine, settings), bytesPerValue }) };
}
