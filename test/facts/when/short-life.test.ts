import { describe, expect, it } from 'vitest';
import { type Files, valueIn, verdictOfFiles } from '../incident.ts';

const phaseOf = async (files: Files) => (await verdictOfFiles(files)).phase;
const lifeOf = async (files: Files) => (await valueIn(files, 'failure.life')) ?? 'not told';

const ended = (from: string, to: string, rest = '') =>
  `    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Wed, 05 Nov 2025 11:${from} +0000
      Finished:     Wed, 05 Nov 2025 11:${to} +0000
${rest}`;

describe('a life that tells that nothing had come up', () => {
  it('is shorter than any start', async () => {
    expect(await lifeOf({ 'describe.txt': ended('00:03', '00:51') })).toBe('starting');
  });

  it('is short again and again, without having been ready', async () => {
    const rest = '    Ready:          False\n    Restart Count:  8\n';

    expect(await lifeOf({ 'describe.txt': ended('00:12', '01:58', rest) })).toBe('starting');
  });

  it('is that of the rows of kubectl get pods', async () => {
    const row = (restarts: string, age: string) =>
      `NAME    READY   STATUS      RESTARTS      AGE\ntgi-0   0/1     Error       ${restarts}   ${age}\n`;

    expect(await lifeOf({ 'describe.txt': row('3 (28s ago)', '95s') })).toBe('starting');
    expect(await lifeOf({ 'describe.txt': row('3 (28s ago)', '3h') })).toBe('not told');
    expect(await lifeOf({ 'describe.txt': row('0', '50s') })).toBe('not told');
  });

  it('is not one of two minutes, nor of a server that loads when it is asked', async () => {
    expect(await lifeOf({ 'describe.txt': ended('00:12', '01:58') })).toBe('not told');
    expect(
      await lifeOf({ 'describe.txt': ended('00:12', '01:58', '    Ready:          True\n    Restart Count:  8\n') }),
    ).toBe('not told');
    expect(await lifeOf({ 'describe.txt': ended('00:03', '00:51'), 'args.txt': 'ollama serve\n' })).toBe('not told');
  });

  it('dates no kill that the status proves', async () => {
    const proved = ended('00:03', '00:51')
      .replace('Error', 'OOMKilled')
      .replace(/: {4}1$/m, ':    137');

    expect(proved).toMatch(/OOMKilled[\s\S]*137/);
    expect(await phaseOf({ 'describe.txt': proved })).toBe('n/a');
  });

  it('is counted where the indent of the first line is gone', async () => {
    const cut = `State:          Waiting\n      Reason:       CrashLoopBackOff\n${ended('00:12', '01:58', '    Ready:          False\n    Restart Count:  8\n')}`;

    expect(await lifeOf({ 'describe.txt': cut })).toBe('starting');
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
