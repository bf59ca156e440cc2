import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knobsOf, PLAIN_KNOBS } from '../../src/budget/engine-knobs.ts';
import type { Figures } from '../../src/budget/figures.ts';
import { adviseLayers } from '../../src/budget/gpu-layers.ts';
import type { EngineState } from '../../src/budget/outcome.ts';
import { outcomeWith } from '../../src/budget/proposal.ts';
import { GIB, MIB } from '../../src/model/quantity.ts';
import { BOOK } from './fits.ts';

type Told = Readonly<Record<string, string>>;

function aState(figures: Figures, told: Told = {}, engine = 'llama.cpp'): EngineState {
  const knobs = knobsOf(engine) ?? PLAIN_KNOBS;
  const settings = (flag: string) =>
    told[flag] === undefined ? undefined : { text: told[flag], number: Number(told[flag]) };
  return {
    engine,
    version: undefined,
    knobs,
    book: BOOK,
    product: undefined,
    figures,
    settings,
    utilization: undefined,
  };
}

// 65 layers of 18148 MiB and their cache of 5120 MiB on a card with 24120 MiB free.
const LOADED: Figures = {
  gpuLayers: 65,
  modelLayers: 65,
  devices: 1,
  loadFreeBytes: 24_120 * MIB,
  weightsBytes: 18_148 * MIB,
  kvAvailableBytes: 5120 * MIB,
  activationBytes: 1822 * MIB,
  failedBuffer: 'compute',
};

const layers = (figures: Figures, told?: Told, engine?: string) => adviseLayers(aState(figures, told, engine));

describe('the layers that fit', () => {
  it.each([
    // (24120 - 1024 - 1822) / ((18148 + 5120) / 65) = 59.4
    ['beside the compute buffer', LOADED, 59],
    ['where the cache was refused', { ...LOADED, failedBuffer: 'cache' as const, activationBytes: undefined }, 64],
    ['on a card that is smaller than what was free', { ...LOADED, totalBytes: 16 * GIB }, 37],
    ['none where all of them fit', { ...LOADED, activationBytes: 100 * MIB, loadFreeBytes: 80 * GIB }, undefined],
    ['none where not one fits', { ...LOADED, activationBytes: 30 * GIB }, undefined],
    ['none where nothing was refused', { ...LOADED, failedBuffer: undefined }, undefined],
    ['none on several devices', { ...LOADED, devices: 2 }, undefined],
    ['none where their number is not known', { ...LOADED, gpuLayers: undefined }, undefined],
  ])('%s', (_what, figures, expected) => {
    expect(layers(figures)['advice.gpu-layers']?.value).toBe(expected);
  });

  it('are fewer than there were, leave 1 GiB, and are not refused by the sums', () => {
    const size = (max: number) => fc.double({ min: 0.1, max, noNaN: true }).map((gib) => gib * GIB);
    const figures = fc.record({
      gpuLayers: fc.integer({ min: 1, max: 130 }),
      loadFreeBytes: size(140),
      weightsBytes: size(140),
      kvAvailableBytes: size(60),
      activationBytes: fc.option(size(20), { nil: undefined }),
      failedBuffer: fc.constantFrom('weights', 'cache', 'compute'),
    });
    let advised = 0;
    fc.assert(
      fc.property(figures, (one) => {
        const all: Figures = { ...one, modelLayers: one.gpuLayers, totalBytes: one.loadFreeBytes };
        const next = layers(all)['advice.gpu-layers']?.value;
        if (next === undefined) return;
        advised++;
        const share = Number(next) / one.gpuLayers;
        const taken = share * (one.weightsBytes + one.kvAvailableBytes) + (one.activationBytes ?? 0);
        expect(share).toBeLessThan(1);
        expect(taken).toBeLessThanOrEqual(one.loadFreeBytes - GIB);
        const wanted = [{ flag: '--n-gpu-layers', text: String(next), number: Number(next) }];
        expect(outcomeWith(aState(all), wanted).start.kind).toBe('starts');
      }),
      { numRuns: 300, seed: 3315 },
    );
    expect(advised).toBeGreaterThan(50);
  });
});
