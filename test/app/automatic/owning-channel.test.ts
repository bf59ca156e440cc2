import { describe, expect, it } from 'vitest';
import { owningChannel } from '../../../src/app/automatic/owning-channel.ts';

const all = ['*'];
const CHANNELS = {
  C_ALL: { clusters: all, namespaces: ['*'] },
  C_LLM: { clusters: all, namespaces: ['llm-*', 'chat'] },
  C_PROD: { clusters: all, namespaces: ['llm-prod*'] },
  C_ONE: { clusters: ['eu'], namespaces: ['llm-prod-a'] },
};

describe('the channel that owns a namespace', () => {
  it.each([
    ['us', 'chat', 'C_LLM'],
    ['us', 'llm-dev', 'C_LLM'],
    ['us', 'llm-prod-a', 'C_PROD'],
    ['eu', 'llm-prod-a', 'C_ONE'],
    ['eu', 'batch', 'C_ALL'],
  ])('of %s/%s is %s', (cluster, namespace, channel) => {
    expect(owningChannel(CHANNELS, { cluster, namespace }, 'C_REST')).toBe(channel);
  });

  it('is the one for the rest where none is named, if there is one', () => {
    const { C_LLM } = CHANNELS;
    const target = { cluster: 'eu', namespace: 'batch' };

    expect(owningChannel({ C_LLM }, target, 'C_REST')).toBe('C_REST');
    expect(owningChannel({ C_LLM }, target, undefined)).toBeUndefined();
  });
});
