import { describe, expect, it } from 'vitest';
import { parseJsonFile, RevisionsFile } from '../../../src/model/json-file.ts';
import { readLastRollout } from '../../../src/read/cluster/last-rollout.ts';
import { type Room, readRevisionRoom } from '../../../src/read/cluster/revision-room.ts';
import { readRevisionChange } from '../../../src/read/cluster/revisions.ts';

type Container = { image?: string; args?: string[]; resources?: object };

function revisions(...all: readonly object[]) {
  const file = parseJsonFile(RevisionsFile, JSON.stringify(all));
  if (file.kind !== 'value') throw new Error('no value');
  return file.value;
}

const revision = (name: string, container: Container, more: object = {}) => ({
  name,
  template: { spec: { containers: [{ name: 'vllm', ...container }] } },
  ...more,
});
const args = (...words: string[]): Container => ({ args: words });
const fraction = (value: string) => args('--gpu-memory-utilization', value);
const length = (value: string) => args('--max-model-len', value);
const limit = (memory: string | undefined): Container => ({
  resources: { limits: memory === undefined ? {} : { memory } },
});

function less(now: Container, before: Container): readonly Room[] {
  const room = readRevisionRoom(revisions(revision('v-2', now), revision('v-1', before)));
  return (['gpu', 'pool', 'ram'] as const).filter((one) => room[one].kind === 'known' && room[one].value !== 'nothing');
}

describe('whether a roll-out left less room', () => {
  const sglang = (value: string) => args('--mem-fraction-static', value);
  const ranks = (value: string) => args('--tensor-parallel-size', value);

  it.each<[string, Container, Container, readonly Room[]]>([
    ['a larger fraction is taken by the pool', fraction('0.97'), fraction('0.9'), ['gpu']],
    ['a smaller fraction is missing in it', fraction('0.8'), args('--gpu-memory-utilization=0.9'), ['pool']],
    ['SGLang has another name for it', sglang('0.9'), sglang('0.8'), ['gpu']],
    ['a longer context', length('32k'), length('8192'), ['gpu', 'pool']],
    ['a shorter one gives room', length('4096'), length('8192'), []],
    ['fewer ranks, with less to stage', ranks('1'), ranks('2'), ['gpu', 'pool']],
    ['more ranks, each of which loads', ranks('4'), ranks('2'), ['ram']],
    ['a lower limit', limit('64Gi'), limit('96Gi'), ['ram']],
    ['a first limit', limit('64Gi'), limit(undefined), ['ram']],
    ['a higher limit', limit('128Gi'), limit('96Gi'), []],
    ['a cache in RAM', args('--cpu-offload-gb', '16'), args(), ['ram']],
    ['another image may need more of all', { image: 'e:2' }, { image: 'e:1' }, ['gpu', 'pool', 'ram']],
    ['another model as well', args('--model', 'a/b-70b'), args('--model', 'a/b-7b'), ['gpu', 'pool', 'ram']],
    ['what has nothing to do with memory', args('--port', '81'), args('--port', '80'), []],
    ['a value that cannot be read may be less', length('auto'), length('1'), ['gpu', 'pool']],
    [
      'another image that gives back as much is not blamed',
      { image: 'e:2', ...length('4096') },
      { image: 'e:1', ...length('8192') },
      ['ram'],
    ],
    ['nothing', args('--x'), args('--x'), []],
  ])('%s', (_name, now, before, rooms) => {
    expect(less(now, before)).toEqual(rooms);
  });

  it('is not known with one revision', () => {
    expect(readRevisionRoom(revisions(revision('v-1', {}))).gpu).toMatchObject({ kind: 'unknown', reason: 'empty' });
  });
});

describe('what it took, in words', () => {
  const words = (now: Container, before: Container, room: Room = 'ram') => {
    const found = readRevisionRoom(revisions(revision('v-2', now), revision('v-1', before)))[room];
    return found.kind === 'known' ? found.value : found.reason;
  };

  it.each<[string, string, Container, Container, Room]>([
    ['a cut limit', 'cut the memory limit from 64Gi to 32Gi', limit('32Gi'), limit('64Gi'), 'ram'],
    ['a first limit', 'set a memory limit of 32Gi', limit('32Gi'), limit(undefined), 'ram'],
    ['a raised limit', 'nothing', limit('64Gi'), limit('32Gi'), 'ram'],
    ['a raised length', 'raised --max-model-len from 8192 to 131072', length('131072'), length('8192'), 'pool'],
    [
      'a smaller fraction, of the pool',
      'lowered --gpu-memory-utilization from 0.92 to 0.85',
      fraction('0.85'),
      fraction('0.92'),
      'pool',
    ],
    ['a new tag', 'changed the image tag from v1 to v2', { image: 'r:5000/e:v2' }, { image: 'r:5000/e:v1' }, 'gpu'],
    ['another image', 'changed the image from a/e:v1 to b/e:v1', { image: 'b/e:v1' }, { image: 'a/e:v1' }, 'gpu'],
    [
      'what surely takes before what may',
      'cut the memory limit from 64Gi to 32Gi and changed the image tag from v1 to v2',
      { image: 'e:v2', ...limit('32Gi') },
      { image: 'e:v1', ...limit('64Gi') },
      'ram',
    ],
    [
      'more than two',
      'raised --max-model-len from 1 to 2, raised --max-num-seqs from 1 to 2 and changed 1 more',
      args('--max-model-len', '2', '--max-num-seqs', '2', '--max-num-batched-tokens', '2'),
      args('--max-model-len', '1', '--max-num-seqs', '1', '--max-num-batched-tokens', '1'),
      'gpu',
    ],
  ])('%s', (_name, expected, now, before, room) => {
    expect(words(now, before, room)).toBe(expected);
  });

  it('leaves out what was changed of another container', () => {
    const both = (memory: string) => ({
      template: { spec: { containers: [{ name: 'vllm' }, { name: 'proxy', ...limit(memory) }] } },
    });
    const all = revisions({ name: 'v-2', ...both('1Gi') }, { name: 'v-1', ...both('2Gi') });

    expect(readRevisionRoom(all, { container: 'vllm' }).ram).toMatchObject({ value: 'nothing' });
    expect(readRevisionRoom(all, { container: 'proxy' }).ram).toMatchObject({ value: expect.stringMatching(/^cut/) });
    expect(readLastRollout(all, { container: 'vllm' }).limitCut).toBeUndefined();
    expect(readLastRollout(all, { container: 'proxy' }).limitCut).toMatchObject({
      value: 'The rollout cut the memory limit from 2Gi to 1Gi',
    });
  });
});

describe('who made it', () => {
  const by = (more: object) => readLastRollout(revisions(revision('v-2', {}, more), revision('v-1', {})), {}).by;

  it.each([
    ['its author', { by: 'helm', changeCause: 'fix' }, 'by helm'],
    ['the change-cause where the author is not known', { changeCause: 'kubectl set image' }, '"kubectl set image"'],
    ['a long one in short', { changeCause: 'x'.repeat(500) }, `"${'x'.repeat(59)}…"`],
  ])('is %s', (_name, more, words) => {
    expect(by(more)).toMatchObject({ kind: 'known', value: words });
  });

  it('is not known where nothing tells', () => {
    expect(by({})).toBeUndefined();
  });
});

describe('the revision of the pod that died', () => {
  const all = revisions(
    revision('v-ccc', { image: 'e:3' }, { createdAt: '2026-03-03T00:00:00Z' }),
    revision('v-bbb', { image: 'e:2' }, { createdAt: '2026-03-02T00:00:00Z' }),
    revision('v-aaa', { image: 'e:1' }),
  );

  const [SECOND, THIRD] = ['image: e:1 -> e:2', 'image: e:2 -> e:3'];

  it.each([
    ['named by its labels', { 'pod-template-hash': 'bbb' }, SECOND, '2026-03-02T00:00:00Z'],
    ['named in full, as a StatefulSet does', { 'controller-revision-hash': 'v-bbb' }, SECOND, '2026-03-02T00:00:00Z'],
    ['the newest where no label names it', {}, THIRD, '2026-03-03T00:00:00Z'],
    ['the newest where the label names none', { 'pod-template-hash': 'zzz' }, THIRD, '2026-03-03T00:00:00Z'],
  ])('is %s', (_name, labels, changed, at) => {
    expect(readRevisionChange(all, labels)).toMatchObject({ kind: 'known', value: changed });
    expect(readLastRollout(all, { labels }).at).toMatchObject({ kind: 'known', value: Date.parse(at) });
  });

  it('is that of its own workload where the file has several', () => {
    const owned = all.map((one, i) => ({ ...one, value: { ...one.value, owner: i === 1 ? 'web' : 'v' } }));

    const changed = { value: expect.stringContaining('e:1 -> e:3') };
    expect(readRevisionChange(owned, { 'pod-template-hash': 'ccc' })).toMatchObject(changed);
    expect(readRevisionChange(owned, {})).toMatchObject({ kind: 'unknown' });
  });

  it('has nothing before it where it is the oldest', () => {
    expect(readRevisionChange(all, { 'pod-template-hash': 'aaa' })).toMatchObject({ kind: 'unknown', reason: 'empty' });
  });
});
