import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPodInText, formatPodQuery, parsePodQuery } from '../../src/app/pod-query.ts';

const POD = 'vllm-server-7d8f6f9c6b-4mnl2';

describe('a pod as people type or paste it', () => {
  it.each([
    ['a bare name', POD, POD],
    ['in backticks', `\`${POD}\``, POD],
    ['with namespace', `llm/${POD}`, `llm/${POD}`],
    ['with cluster and namespace', `prod/llm/${POD}`, `prod/llm/${POD}`],
    ['with a container', `llm/${POD} vllm`, `llm/${POD} vllm`],
    ['as pod/x', `pod/${POD}`, POD],
    ['as ns/pod/x', `llm/pod/${POD}`, `llm/${POD}`],
    ['with -n', `-n llm ${POD}`, `llm/${POD}`],
    ['with -n behind and -c', `${POD} -n llm -c vllm`, `llm/${POD} vllm`],
    ['with a smart dash', `${POD} —namespace llm`, `llm/${POD}`],
    ['with a smart dash and =', `${POD} –namespace=llm`, `llm/${POD}`],
    ['a row of kubectl get pods', `${POD}   0/1   CrashLoopBackOff   5 (2m ago)   1h`, POD],
    ['a row of kubectl get pods -A', `llm   ${POD}   0/1   OOMKilled   3   1h`, `llm/${POD}`],
    ['a whole kubectl line', `kubectl logs -n llm ${POD} -c vllm --previous`, `llm/${POD} vllm`],
    ['kubectl describe', `kubectl --context prod -n llm describe pod ${POD}`, `prod/llm/${POD}`],
    ['a kubectl line with values of other flags', `kubectl logs ${POD} -n llm --tail 100 --since 1h`, `llm/${POD}`],
    ['kubectl get -o', `kubectl get pod ${POD} -o yaml`, POD],
    ['in curly quotes', `“${POD}”`, POD],
    ['in capitals from a phone', `Vllm-server-0`, 'vllm-server-0'],
    ['with a full stop behind', `${POD}.`, POD],
    ['turned into a link by Slack', `<http://vllm.server|vllm.server>`, 'vllm.server'],
  ])('%s', (_name, text, expected) => {
    const parsed = parsePodQuery(text);

    expect(parsed.kind === 'query' ? formatPodQuery(parsed.query) : parsed).toBe(expected);
  });

  it('is the same when it is written down and read again, whatever was left out', () => {
    const part = fc.option(fc.constantFrom('prod', 'llm-7', 'x1'), { nil: undefined });
    fc.assert(
      fc.property(part, part, part, (cluster, namespace, container) => {
        const query = { cluster, namespace, pod: POD, container };
        expect(parsePodQuery(formatPodQuery(query))).toEqual({ kind: 'query', query });
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  it.each([
    ['nothing', '', 'empty'],
    ['blanks', '   ', 'empty'],
    ['only a flag', '-n llm', 'empty'],
    ['a mention', '<!channel>', 'unclear'],
    ['a path', '../../etc/passwd', 'unclear'],
    ['a path of more parts than a pod has', 'playbooks/oom/incidents/healthy', 'unclear'],
    ['a query string', 'x?watch=true', 'unclear'],
  ])('refuses %s', (_name, text, kind) => {
    expect(parsePodQuery(text).kind).toBe(kind);
  });

  it.each([
    [`llm/${POD} vllm is down`, 'is down'],
    [`${POD} other -c vllm`, 'other'],
  ])('names what is left over of %s', (text, words) => {
    expect(parsePodQuery(text)).toMatchObject({ kind: 'extra', words, query: { pod: POD, container: 'vllm' } });
  });

  it.each(['playbooks/oom/incidents/healthy', './nope', '~/incident'])('tells the whole of the path %s', (path) => {
    expect(parsePodQuery(path)).toEqual({ kind: 'unclear', word: path });
  });

  it('never gives a name that could leave its place in a path', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parsePodQuery(text);
        if (parsed.kind === 'query') {
          expect(parsed.query.pod).toMatch(/^[a-z0-9][-a-z0-9.]*$/);
          expect(parsed.query.namespace ?? 'x').toMatch(/^[a-z0-9][-a-z0-9.]*$/);
        }
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('a pod named in a message for people', () => {
  it.each([
    ['an alert', `KubePodCrashLooping: pod llm/${POD} (vllm) is waiting`, POD],
    ['labels of an alert', `namespace="llm" pod="${POD}" container="vllm"`, `llm/${POD}`],
    ['a pasted table', `NAME READY STATUS\n${POD} 0/1 OOMKilled 3 1h`, POD],
    ['a stateful pod', 'llama-70b-0 died again', 'llama-70b-0'],
  ])('%s', (_name, text, expected) => {
    const found = findPodInText(text);

    expect(found.kind === 'query' ? formatPodQuery(found.query) : found).toBe(expected);
  });

  it('says so where there is none', () => {
    expect(findPodInText('CUDA out of memory, help').kind).toBe('empty');
  });
});
