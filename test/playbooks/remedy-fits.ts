import fc from 'fast-check';
import { type EngineEvidence, reckonEvidence } from '../../src/app/budget/budget.ts';
import { profileOfFinding } from '../../src/app/budget/profile-of-finding.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import type { Edit, OfferedProfile, Verdict } from '../../src/model/verdict.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge } from './shipped.ts';

/** The files of an engine that printed its figures, and what then failed. */
export type Figured = { readonly name: string; readonly files: Readonly<Record<string, string>> };

const FAILURES = {
  oom: (want: number, free: number, total: number) =>
    `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${mib(want)}. GPU 0 has a total capacity of ${gib(total)} of which ${mib(free)} is free. Including non-PyTorch memory, this process has ${gib(total - free)} memory in use. Of the allocated memory ${gib(total - free - 1.4)} is allocated by PyTorch, and 212.00 MiB is reserved by PyTorch but unallocated.`,
} as const;

const gib = (size: number) => `${size.toFixed(2)} GiB`;
const mib = (size: number) => (size < 1 ? `${(size * 1024).toFixed(2)} MiB` : gib(size));

// A model whose sequences take so many GiB at 65,536 tokens, and a card that the fraction fills with it.
const aCard = fc.record({
  total: fc.constantFrom(15.77, 22.06, 23.64, 31.36, 39.5, 79.1, 139.8),
  fraction: fc.constantFrom(0.8, 0.85, 0.9, 0.92, 0.95),
  perSequence: fc.double({ min: 0.5, max: 16, noNaN: true }),
  length: fc.constantFrom(4096, 16_384, 65_536, 131_072),
  // Sequences of that length that the pool holds: 1 is the edge at which engines start.
  holds: fc.constantFrom(0.3, 0.8, 1, 1.001, 1.05, 1.5, 3, 20),
  sequences: fc.constantFrom(undefined, 1, 8, 256, 1024),
  pass: fc.constantFrom(undefined, 2048, 4096, 8192, 16_384, 65_536),
  missing: fc.constantFrom(0.02, 0.1, 0.6, 1.5, 4),
  version: fc.constantFrom('0.6.6', '0.8.5', '0.9.2', '0.11.0', '0.21.0', '0.25.1'),
  whole: fc.boolean(),
  when: fc.constantFrom('serving', 'graphs', 'refusal'),
});
type Card = typeof aCard extends fc.Arbitrary<infer T> ? T : never;

/** vLLM with its figures: it started and died while serving, while capturing graphs, or was refused for want of KV room. */
const ofVllm: fc.Arbitrary<Figured> = aCard.map((card) => {
  const { fraction, length, sequences, version, whole } = card;
  // It has come as far as it did: a pass holds a token of every sequence, and a whole prompt where none is chunked.
  const pass = card.pass && Math.max(card.pass, sequences ?? 0, whole ? length : 0);
  const words = [
    `vllm serve acme/falcon-9b --max-model-len ${length} --gpu-memory-utilization ${fraction}`,
    ...(sequences === undefined ? [] : [`--max-num-seqs ${sequences}`]),
    ...(pass === undefined ? [] : [`--max-num-batched-tokens ${pass}`]),
    ...(whole ? ['--no-enable-chunked-prefill'] : []),
  ];
  const log = `${logOf(card).join('\n')}\n`;
  return {
    name: `vllm ${version} ${words.join(' ')}\n${log}`,
    files: {
      'args.txt': `${words.join(' ')}\n`,
      'previous.log': log,
      'incident.json': JSON.stringify({ engine: 'vllm', engine_version: version }),
    },
  };
});

function logOf(card: Card): string[] {
  const { total, length, version, missing, when } = card;
  const each = (card.perSequence * length) / 65_536;
  const pool = each * (when === 'refusal' ? Math.min(card.holds, 0.9) : Math.max(card.holds, 1));
  const tokens = Math.floor((pool / each) * (length / 16)) * 16;
  const start = [
    `INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version ${version}`,
    'INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 4.2031 GiB and 40.120 seconds',
    `INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: ${gib(pool)}`,
  ];
  if (when === 'refusal') {
    return [
      ...start,
      `ValueError: To serve at least one request with the models's max seq len (${length}), (${gib(each)} KV cache is needed, which is larger than the available KV cache memory (${gib(pool)}). Based on the available memory, the estimated maximum model length is ${tokens}. Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when initializing the engine.`,
      FAILURES.oom(missing, 0.01, total).replace(/^.*of which/, `GPU 0 has a total capacity of ${gib(total)} of which`),
    ];
  }
  const allocated = [
    ...start,
    `INFO 09-14 10:01:41 [kv_cache_utils.py:1087] GPU KV cache size: ${String(tokens).replace(/\B(?=(\d{3})+$)/g, ',')} tokens`,
  ];
  const served = [
    ...allocated,
    'INFO:     Application startup complete.',
    'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  ];
  const capture = [...allocated, 'INFO 09-14 10:01:42 [gpu_model_runner.py:3480] Capturing CUDA graph shapes:   0%'];
  return [...(when === 'graphs' ? capture : served), FAILURES.oom(missing, 0.01, total)];
}

// SGLang starts with any pool; TGI holds its length against it.
const ofOthers: fc.Arbitrary<Figured> = fc.tuple(aCard, fc.constantFrom('sglang', 'tgi')).map(([card, engine]) => {
  const { fraction, length, total, missing } = card;
  const tokens = Math.ceil(Math.max(card.holds, 1) * length);
  const each = (((card.perSequence * length) / 65_536) * tokens) / length / 2;
  const { args, start } =
    engine === 'sglang'
      ? {
          args: `python3 -m sglang.launch_server --model-path acme/falcon-9b --mem-fraction-static ${fraction} --context-length ${length}`,
          start: `[2025-05-01 10:00:41] KV Cache is allocated. #tokens: ${tokens}, K size: ${each.toFixed(2)} GB, V size: ${each.toFixed(2)} GB\n[2025-05-01 10:01:00] The server is fired up and ready to roll!`,
        }
      : {
          args: `text-generation-launcher --model-id acme/falcon-9b --cuda-memory-fraction ${fraction} --max-total-tokens ${length} --max-batch-prefill-tokens ${length}`,
          start: `INFO text_generation_router_v3: Setting max batch total tokens to ${tokens}\nINFO text_generation_router::server: Connected`,
        };
  const log = `${start}\n${FAILURES.oom(missing, 0.01, total)}\n`;
  const incident = JSON.stringify({
    engine,
    engine_version: engine === 'tgi' ? '3.3.4' : '0.5.5',
    uptime: '20 minutes',
  });
  return {
    name: `${args}\n${log}`,
    files: { 'args.txt': `${args}\n`, 'previous.log': log, 'incident.json': incident },
  };
});

/** An engine with its figures, and what then failed. */
export const aFigured: fc.Arbitrary<Figured> = fc.oneof({ arbitrary: ofVllm, weight: 3 }, ofOthers);

/** What is proposed, and why the engine would not start with it by `oom budget`. */
export async function proposedOf({ files }: Figured): Promise<{
  readonly verdict: Verdict;
  readonly profile: OfferedProfile | undefined;
  readonly refused: readonly string[];
}> {
  const evidence = await readEngineEvidence(aSnapshot(files), COMPILED_SIGNATURES, BOOK);
  const { verdict } = judge(evidence.facts, 'x');
  const profile = profileOfFinding(verdict, evidence, BOOK);
  return {
    verdict,
    profile,
    refused: [
      ...verdict.remedies.flatMap(({ edits }) => whyNoStart(edits, evidence)),
      ...(profile?.kind === 'fitted' ? whyNoStart(profile.edits, evidence) : []),
      ...profileEdits({ ...evidence, verdict }).flatMap((edits) => whyNoStart(edits, evidence)),
    ],
  };
}

// What `oom budget` says of a profile that it does not refuse.
function profileEdits(evidence: EngineEvidence): readonly (readonly Edit[])[] {
  const outcome = reckonEvidence(evidence, { book: BOOK, id: 'x' }, {});
  return outcome.kind === 'budget' ? outcome.budget.profiles.map(({ edits }) => edits) : [];
}

function whyNoStart(edits: readonly Edit[], evidence: EngineEvidence): string[] {
  const wanted = edits.map(({ flag, to }) => ({ flag, text: to, number: Number(to) }));
  if (wanted.length === 0) return [];
  const outcome = reckonEvidence(evidence, { book: BOOK, id: 'x' }, { wanted });
  const start = outcome.kind === 'budget' ? outcome.budget.proposal?.after.start : undefined;
  return start?.kind === 'refuses' ? [`${edits.map(({ flag, to }) => `${flag} ${to}`).join(' ')}: ${start.why}`] : [];
}
