import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import { compilePhrases } from '../../src/read/log/compile.ts';
import { aSnapshot, COMPILED_PHRASES, judge, PHRASES } from './shipped.ts';

const SILENT = compilePhrases(PHRASES.map(({ means: _means, ...phrase }) => phrase));

const saysOf = async (log: string, phrases = COMPILED_PHRASES) => {
  const source = aSnapshot({ 'previous.log': `${log}\n` });
  return (await diagnoseSource(source, { phrases, judge })).diagnosis;
};

describe('what a line means that is about something else than memory', () => {
  it('stands on the card behind what the finding says', async () => {
    const { says, verdict } = await saysOf(
      'WARNING 08-16 08:09:07 [worker.py:2967] Releasing expired KV blocks for request abc which were retrieved by 0 remote worker(s) before lease expired.',
    );

    expect(verdict).toMatchObject({ plane: 'none', cause: 'none.other', certain: true });
    expect(says).toMatch(/fetch in time\. A time limit, not a lack of memory\.$/);
  });

  it('is left out where a phrase of one’s own has none', async () => {
    const { says, verdict } = await saysOf('NVRM: GPU at PCI:0000:3b:00 has fallen off the bus.', SILENT);

    expect(verdict).toMatchObject({ plane: 'none', cause: 'none.gpu-fault' });
    expect(says).toMatch(/are echoes\.$/);
  });
});
