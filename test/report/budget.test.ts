import { describe, expect, it } from 'vitest';
import { Message } from '../../src/model/message.ts';
import { budgetMessage, noBudgetMessage } from '../../src/report/budget.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { redactJson } from '../../src/snapshot/redact-json.ts';
import { anAccount } from '../budget/accounts.ts';
import { AS_TEXT } from './inputs.ts';

const draw = (message: Message) => drawTerminal(message, AS_TEXT);
const cellsOf = (text: string, row: string) => new RegExp(`${row} +(.*)`).exec(text)?.[1]?.split(/ +/) ?? [];

describe('the budget in words', () => {
  it('begins with what the cache holds', () => {
    const message = budgetMessage(anAccount());

    expect(Message.parse(message)).toEqual(message);
    expect(message.summary).toBe('The KV cache holds 163,168 tokens: 3.98 sequences of 40,960.');
  });

  it('shows static use, cache, requests and lengths', () => {
    const text = draw(budgetMessage(anAccount({ usedShare: 0.25, running: 5 })));

    expect(text).toMatch(/weights\s+14\.99 GiB/);
    expect(text).toMatch(/reserve outside\s+3\.45 GiB/);
    expect(text).toMatch(/· 509\.9\s+per\s+request\s+· space for 15\s+more · max \S+\s+MiB\s+unused\./);
    expect(cellsOf(text, 'tokens per sequence')[2]).toBe('8,192');
    expect(cellsOf(text, 'sequences that fit')[2]).toBe('19');
    expect(cellsOf(text, 'GiB per sequence')[2]).toBe('1.00');
  });

  it('writes large numbers alike, and one token as one', () => {
    const told = { '--context-length': '40960', '--max-running-requests': '64' };
    const text = draw(budgetMessage(anAccount({ engine: 'sglang', version: '0.5.3', told, usedShare: 1, running: 1 })));

    expect(text).toMatch(/163,168\s+blocks\s+of\s+1\s+token\.\n/);
    expect(text).toMatch(/163,168\s+per\s+request/);
  });

  it('says what the batch allows where that is less than the cache holds', () => {
    const text = draw(budgetMessage(anAccount({ usedShare: 0.25, running: 5, told: { '--max-num-seqs': '8' } })));

    expect(text).toMatch(/space\s+for\s+15\s+more,\s+batch\s+limit\s+allows\s+3/);
    expect(cellsOf(text, 'sequences that fit')[0]).toBe('79');
    expect(cellsOf(text, '┃ batch limit')[0]).toBe('8');
  });

  it('says which log line would show each missing figure', () => {
    const figures = {
      graphBytes: undefined,
      kvAvailableBytes: undefined,
      kvTokens: undefined,
      weightsBytes: undefined,
    };
    const message = budgetMessage(anAccount({ figures: { ...figures, model: 'acme/own' } }));
    const text = draw(message).replaceAll(/\s+/g, ' ');

    expect(message.blocks[0]).toMatchObject({ mark: 'unknown' });
    expect(text).toContain('CUDA graphs: the line "Graph capturing finished in … secs, took … GiB"');
    expect(text).toContain('KV cache: the line "Available KV cache memory: … GiB"');
    expect(text).not.toMatch(/NaN|undefined| 0\.00 GiB/);
  });

  it('shows a change next to the current values, and why the engine would refuse it', () => {
    const wanted = ['--max-model-len=8192', '--gpu-memory-utilization=0.94'];
    const text = draw(budgetMessage(anAccount({ wanted })));
    const refused = draw(budgetMessage(anAccount({ wanted: ['--max-model-len=200000'] })));

    expect(text).toMatch(/sequences at once\s+3\s+21/);
    expect(text).toMatch(/starts\s+yes\s+yes/);
    expect(refused).toMatch(/starts\s+yes\s+no/);
    expect(refused.replaceAll(/\s+/g, ' ')).toContain(
      'The engine would not start: one sequence of 200,000 tokens takes',
    );
  });

  it('keeps its words when secrets are taken out', () => {
    const redactor = createRedactor({ patterns: [] });
    for (const figures of [{}, { kvAvailableBytes: undefined, kvTokens: undefined, model: undefined }]) {
      const message = budgetMessage(anAccount({ figures, wanted: ['--max-model-len=8192'] }));

      expect(redactJson(message, redactor)).toEqual(message);
    }
  });

  it('says that there is none', () => {
    expect(noBudgetMessage('an-incident', undefined).summary).toContain('no inference engine recognized');
    expect(noBudgetMessage('an-incident', 'acme').summary).toContain('no memory model for acme');
  });
});

describe('the profiles in words', () => {
  const tight = {
    kvAvailableBytes: 0.5 * 2 ** 30,
    kvTokens: undefined,
    kvNeededBytes: 5 * 2 ** 30,
    maxModelLen: 40_960,
  };

  it('say what each would set and whether the engine starts with it', () => {
    const text = draw(budgetMessage(anAccount({ direction: 'lower' })));

    expect(text).toMatch(/conservative: --max-model-len 4096, .*--gpu-memory-utilization 0\.88\s+\(starts\)/s);
    expect(text).toMatch(/emergency: --max-num-seqs 16, --gpu-memory-utilization 0\.\d+\s+\(starts\)/);
  });

  it('say that nothing is left to lower', () => {
    const told = { '--max-model-len': '2048', '--max-num-seqs': '8', '--max-num-batched-tokens': '2048' };

    expect(draw(budgetMessage(anAccount({ told })))).toMatch(/conservative: no change \(current values are safer/);
  });

  it('with one that is asked for give its reasons, what stays, and what it does', () => {
    const text = draw(budgetMessage(anAccount({ direction: 'lower', profile: 'conservative' })));

    expect(text).toContain('Profile conservative: short sequences, few at a time');
    expect(text).toMatch(/--max-num-seqs 32: sampler, graph and LoRA buffers/);
    expect(text).toMatch(/Unchanged\s+• --max-num-batched-tokens: current value 2048: already safer/);
    expect(text).toMatch(/maximum length\s+40,960\s+4,096/);
    expect(text).not.toContain('emergency');
  });

  it('with one that would not start give the sum', () => {
    const figures = { ...tight, kvAvailableBytes: -2 * 2 ** 30 };
    const text = draw(budgetMessage(anAccount({ figures, direction: 'none', profile: 'conservative' })));

    expect(text).toMatch(/Not applied:\s+it\s+would\s+not\s+start with a length of 1,024 tokens/);
    expect(text).toMatch(/the\s+KV\s+cache\s+has -2\.00 GiB/);
  });

  it('is said where there is none', () => {
    const budget = { ...anAccount(), profiles: [], profile: 'emergency' };

    expect(draw(budgetMessage(budget))).toContain('There is no emergency profile for this engine.');
  });
});
