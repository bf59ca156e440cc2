import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { withoutDenials } from '../../../src/facts/guess/denials.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const verdictOf = async (files: Readonly<Record<string, string>>) =>
  (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;

describe('what remarks deny', () => {
  it.each([
    'container restarted three times, dmesg shows no OOM',
    'grep -i oom /var/log/messages: nothing',
    'OOMKilled: no',
    'OOM kills on the node: 0',
    'we thought it was an OOM but it was not',
    'no sign of any kernel OOM-killer, no Xid',
    'ruled out: out of memory',
    'not killed by the kernel',
    '没有 OOM，进程退出',
    'kein OOM im Journal',
    'OOM нет',
    'the staging cluster had an OOM last month',
    'with ten clients the throughput is killed',
    'the new version kills performance',
  ])('names no memory: %s', async (remark) => {
    expect((await verdictOf({ 'previous.log': `# ${remark}\n` })).plane).not.toMatch(/gpu|host|both/);
  });

  it.each([
    ['OOMKilled at 14:02, three times', 'host'],
    ['not enough memory: CUDA out of memory on both cards', 'gpu'],
    ['no log; killed by the OOM killer while loading', 'host'],
    ['building: Device memory is insufficient to use tactic, and the process gets killed', 'host'],
    ['building fails: device memory is insufficient', 'gpu'],
    ['does not survive long prompts, CUDA OOM', 'gpu'],
  ])('leaves what is told in earnest: %s', async (remark, plane) => {
    expect((await verdictOf({ 'previous.log': `# ${remark}\n` })).plane).toBe(plane);
  });

  it('leaves all else where it stood', () => {
    const text = 'RSS 9 GB, no OOM in dmesg, then 61 GB';

    expect(withoutDenials(text)).toHaveLength(text.length);
    expect(withoutDenials(text)).toMatch(/^RSS 9 GB, +in dmesg, then 61 GB$/);
  });

  it('makes nothing certain and nothing more certain', async () => {
    const log = 'huggingface_hub.errors.GatedRepoError: 401 Client Error. Cannot access gated repo for url https://x\n';

    expect((await verdictOf({ 'previous.log': `${log}# it happens while loading\n` })).certain).toBe(
      (await verdictOf({ 'previous.log': log })).certain,
    );
  });
});
