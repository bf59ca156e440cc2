import type { Block, Message } from '../../src/model/message.ts';
import type { Signature } from '../../src/model/signature.ts';
import { exampleCitations, exampleIncident } from './examples.ts';

// The same incident as in examples.ts, as it is shown; and the signature that its line was found by.
const { pod: POD, openedAt: AT } = exampleIncident;
const OOM_LINE = exampleCitations[0]?.kind === 'line' ? exampleCitations[0].text : '';

export const exampleBlocks: readonly Block[] = [
  {
    kind: 'headline',
    mark: 'bad',
    spans: [
      { kind: 'bold', text: 'GPU memory ran out' },
      { kind: 'plain', text: ' of ' },
      { kind: 'code', text: POD },
    ],
  },
  {
    kind: 'paragraph',
    spans: [
      { kind: 'user', id: 'U_ONCALL' },
      { kind: 'group', id: 'S_APPROVERS' },
      { kind: 'plain', text: ' asked at ' },
      { kind: 'time', at: AT },
      { kind: 'link', text: 'thread', url: 'https://example.com/thread' },
    ],
  },
  { kind: 'list', title: 'Next', items: [[{ kind: 'plain', text: 'Look at the kernel log of the node.' }]] },
  { kind: 'quote', title: 'vllm.previous.log, line 2', lines: [OOM_LINE] },
  {
    kind: 'progress',
    title: 'Triage',
    steps: [{ id: 'read-logs', title: 'Read the logs', status: 'done', detail: '4 kB' }],
  },
  { kind: 'chart', title: 'RAM', unit: 'bytes', series: [{ name: 'working set', points: [[AT, 21_000_000_000]] }] },
  {
    kind: 'row',
    spans: [{ kind: 'plain', text: POD }],
    menu: [{ asks: 'ack', label: "I'm on it", value: exampleIncident.id }],
  },
  { kind: 'buttons' },
  { kind: 'note', spans: [{ kind: 'plain', text: exampleIncident.id }] },
];

export const exampleMessage: Message = {
  summary: 'GPU memory of vllm-server-7d8f6f9c6b-4mnl2 ran out at start.',
  blocks: [...exampleBlocks],
  choices: [{ asks: 'explain', label: 'Explain', value: exampleIncident.id }],
};

export const exampleSignature: Signature = {
  id: 'torch.cuda-oom',
  engine: 'pytorch',
  versions: '2.0 - HEAD',
  where: 'log',
  plane: 'gpu',
  phase: 'any',
  causes: ['gpu.startup.graph-capture'],
  weight: 'strong',
  literals: ['CUDA out of memory'],
  text: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate *',
  must: [OOM_LINE],
  mustNot: ['CUDA out of memory is no reason to panic'],
  source: 'pytorch c10/cuda/CUDACachingAllocator.cpp',
};
