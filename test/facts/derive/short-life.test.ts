import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function phaseOf(files: Record<string, string>) {
  const source = aSnapshot(files);
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict.phase;
}

const killed = (from: string, to: string, rest = '') =>
  `    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Wed, 05 Nov 2025 11:${from} +0000
      Finished:     Wed, 05 Nov 2025 11:${to} +0000
${rest}`;

describe('a life that tells that nothing had come up', () => {
  it('is shorter than any start', async () => {
    expect(await phaseOf({ 'describe.txt': killed('00:03', '00:51') })).toBe('startup');
  });

  it('is short again and again, without having been ready', async () => {
    const rest = '    Ready:          False\n    Restart Count:  8\n';

    expect(await phaseOf({ 'describe.txt': killed('00:12', '01:58', rest) })).toBe('startup');
  });

  it('is that of the rows of kubectl get pods', async () => {
    const row = (restarts: string, age: string) =>
      `NAME    READY   STATUS      RESTARTS      AGE\ntgi-0   0/1     OOMKilled   ${restarts}   ${age}\n`;

    expect(await phaseOf({ 'describe.txt': row('3 (28s ago)', '95s') })).toBe('startup');
    expect(await phaseOf({ 'describe.txt': row('3 (28s ago)', '3h') })).toBe('n/a');
    expect(await phaseOf({ 'describe.txt': row('0', '50s') })).toBe('n/a');
  });

  it('is not one of two minutes, nor of a server that loads when it is asked', async () => {
    expect(await phaseOf({ 'describe.txt': killed('00:12', '01:58') })).toBe('n/a');
    expect(
      await phaseOf({ 'describe.txt': killed('00:12', '01:58', '    Ready:          True\n    Restart Count:  8\n') }),
    ).toBe('n/a');
    expect(await phaseOf({ 'describe.txt': killed('00:03', '00:51'), 'args.txt': 'ollama serve\n' })).toBe('n/a');
  });

  it('is counted where the indent of the first line is gone', async () => {
    const cut = `State:          Waiting\n      Reason:       CrashLoopBackOff\n${killed('00:12', '01:58', '    Ready:          False\n    Restart Count:  8\n')}`;

    expect(await phaseOf({ 'describe.txt': cut })).toBe('startup');
  });
});

describe('requests at work in the metrics of the engine', () => {
  it.each([
    ['vllm:num_requests_running{model_name="m"} 41', 'burst'],
    ['vllm:num_requests_running{model_name="m"} 0', 'n/a'],
  ])('date a guess: %s', async (sample, phase) => {
    expect(await phaseOf({ 'previous.log': '# killed\n', 'metrics.txt': `${sample}\n` })).toBe(phase);
  });

  it('may be of the next life, and date no kill that the status proves', async () => {
    const status = '      Reason:       OOMKilled\n      Exit Code:    137\n';
    const sample = 'vllm:num_requests_running{model_name="m"} 41\n';

    expect(await phaseOf({ 'describe.txt': status, 'metrics.txt': sample })).toBe('n/a');
  });
});
