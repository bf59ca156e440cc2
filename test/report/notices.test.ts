import { describe, expect, it } from 'vitest';
import { OomError } from '../../src/model/errors.ts';
import type { Incident } from '../../src/model/incident.ts';
import { Message } from '../../src/model/message.ts';
import type { Run } from '../../src/model/plan.ts';
import { planRefused } from '../../src/report/acting-words.ts';
import { helpMessage } from '../../src/report/help.ts';
import {
  alreadyReading,
  cannotPost,
  interrupted,
  movedTo,
  notStored,
  refusal,
  seenAgain,
  unknownVerb,
  unresolved,
} from '../../src/report/notices.ts';
import { noStore, statusMessage } from '../../src/report/status.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { exampleIncident } from '../model/examples.ts';
import { exampleRun } from '../model/plan-examples.ts';
import { AS_TEXT } from './inputs.ts';

const QUIET = {
  incidents: [],
  open: 0,
  page: 1,
  pages: 1,
  runs: [],
  plans: [],
  refused: [],
  links: new Map<string, string>(),
  paused: undefined,
};
const text = (message: Message): string => drawTerminal(message, AS_TEXT).replace(/\s+/g, ' ');
const candidate = (pod: string) => ({ namespace: 'llm', pod, state: 'CrashLoopBackOff, 5 restarts' });
const error = new OomError('cluster-unreachable', 'The API server did not answer.', { next: 'Check the network.' });

const atStep = (over: Partial<Run['steps'][number]>, command: Run['command'] = 'none'): Run => {
  const one = { phase: 'done', attempts: 1, startedAt: 1, endedAt: 2, message: '' } as const;
  const steps = [
    { ...one, n: 1 },
    { ...one, n: 2, phase: 'running' as const, endedAt: null, ...over },
  ];
  return { ...exampleRun, state: 'running', command, steps };
};

describe('every notice', () => {
  const looked = { searched: ['llm'], cluster: 'prod' };
  const REFUSED = { kind: 'refused', why: 'No.', next: 'Ask there.' } as const;
  const NOT_FOUND = { kind: 'not-found', pod: 'vllm-0', nearest: [], ...looked } as const;
  const manifest = 'kind: Role\nkind: RoleBinding';
  const FORBIDDEN = { kind: 'forbidden', rule: 'pods get in llm', manifest, ...looked } as const;

  it.each<[string, Message, RegExp[]]>([
    ['a reading under way', alreadyReading('llm/vllm-0', 'https://slack.example/p1'), [/already running/, /p1/]],
    ['not stored', notStored(), [/Could not store/, /store-failed/]],
    ['only for the asker', cannotPost(notStored(), 'Invite it: /invite @oombot'), [/Only you see this/, /\/invite/]],
    ['moved to a new card', movedTo('https://slack.example/p2'), [/another cause/, /p2/]],
    [
      'seen again',
      seenAgain({ ...exampleIncident, seen: 4 }, undefined),
      [/seen 4 times\. GPU memory ran out at startup: [^.]+\. /, /vllm-server/],
    ],
    ['cut off, done again', interrupted('llm/vllm-0', true, '/oom'), [/runs again below/]],
    ['cut off, closed', interrupted('llm/vllm-0', false, '/oom'), [/\/oom triage llm\/vllm-0/]],
    ['an unknown word', unknownVerb('trage', 'triage', '/oom'), [/“trage”/, /\/oom triage/]],
    ['no pod typed', unresolved({ kind: 'empty', from: 'command' }, '/oom'), [/Which pod/, /kubectl get pods/]],
    ['no pod named', unresolved({ kind: 'empty', from: 'message' }, '/oom'), [/No pod name/, /\/oom triage/]],
    ['a refusal by right', unresolved(REFUSED, '/oom'), [/No\./, /Ask there/, /not-allowed/]],
    ['nothing near', unresolved(NOT_FOUND, '/oom'), [/No pod vllm-0, and no similar name/, /searched llm in prod/]],
    [
      'a missing right',
      unresolved(FORBIDDEN, '/oom'),
      [/pods get in llm/, /kind: RoleBinding/, /searched llm in prod · code forbidden/],
    ],
    [
      'a fault',
      refusal(error, 'llm/vllm-0'),
      [/did not answer.*Check the network/, /cluster-unreachable/, /llm\/vllm-0/],
    ],
    ['help', helpMessage('/oom'), [/\/oom triage <pod>/, /Triage OOM/, /changes nothing/]],
    ['nothing open', statusMessage(QUIET, 0, '/oom'), [/^. oombot: no open incidents/, /\/oom triage/]],
    [
      'what is open',
      statusMessage({ ...QUIET, incidents: [exampleIncident], open: 1 }, exampleIncident.lastSeenAt + 300_000, '/oom'),
      [/GPU memory/, /5 min ago/, /inc_/],
    ],
    [
      'what is under way and held',
      statusMessage(
        { ...QUIET, runs: [exampleRun], paused: { by: 'U_ONCALL', at: exampleRun.startedAt, reason: 'a freeze' } },
        exampleRun.startedAt + 300_000,
        '/oom',
      ),
      [
        /oombot: no open incidents, 1 running/,
        /All acting is paused.*U_ONCALL.*5 min ago: a freeze/s,
        / Running /,
        /run_/,
      ],
    ],
    [
      'how far a run is',
      statusMessage({ ...QUIET, runs: [atStep({}), atStep({ endedAt: 5 }, 'abort')] }, exampleRun.startedAt, '/oom'),
      [/running, started.*step 2 of 2\s/, /aborting, started.*step 2 of 2 needs a decision: go-on or abort/],
    ],
    [
      'no store',
      noStore('data/oom.db', 'status'),
      [/no store at data\/oom\.db/, /oom status --bot if/, /acting\.port/],
    ],
  ])('%s is sound, in words, with what to do', (_name, message, words) => {
    expect(Message.safeParse(message).error).toBeUndefined();
    for (const word of words) expect(text(message)).toMatch(word);
  });

  it('offers at most five candidates to choose from, and shows eight', () => {
    const candidates = Array.from({ length: 12 }, (_, i) => candidate(`vllm-${i}`));

    const message = unresolved({ kind: 'ambiguous', candidates, cluster: 'prod' }, '/oom');

    expect(message.choices).toHaveLength(5);
    expect(message.choices?.[0]).toMatchObject({ asks: 'triage-candidate', value: 'prod/llm/vllm-0' });
    expect(text(message)).toContain('llm/vllm-7');
    expect(text(message)).not.toContain('llm/vllm-8 ');
  });

  it('puts what is to be pasted apart from the sentence', () => {
    const forbidden = new OomError('forbidden', 'Not allowed.', { next: 'Apply this:\nkind: Role\n' });

    const quote = refusal(forbidden, '').blocks.find(({ kind }) => kind === 'quote');

    expect(quote).toMatchObject({ lines: expect.arrayContaining(['kind: Role']) });
  });
});

it('a refusal that is too long for a headline goes on below it, so that what to do is not cut off', () => {
  const message = planRefused(`${'It is so. '.repeat(40)}Ask with --to-zero.`, 'By hand:', null);

  expect(Message.safeParse(message).error).toBeUndefined();
  expect(text(message)).toContain('Ask with --to-zero.');
  expect(text(message)).not.toContain('…');
});

it.each<[string, Partial<Incident>, RegExp]>([
  ['memory and cause', { certain: true, causeCertain: true }, /^(?!.*proved)/],
  ['the memory', { certain: true, causeCertain: false }, /\(high on GPU memory, likely on the cause\)/],
  ['nothing', { certain: false, causeCertain: false }, /\(likely\)/],
  [
    'that no memory failed',
    { plane: 'none', certain: true, causeCertain: false },
    / \(high that no memory failed, likely on the cause\)/,
  ],
])('the list of incidents says what is proved: %s', (_name, over, words) => {
  expect(text(statusMessage({ ...QUIET, incidents: [{ ...exampleIncident, ...over }], open: 1 }, 0, '/oom'))).toMatch(
    words,
  );
});
