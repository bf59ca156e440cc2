import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSignatures } from '../../../src/read/log/compile.ts';
import { createLogScanner } from '../../../src/read/log/scanner.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../../growth.ts';
import { SIGNATURES } from '../../playbooks/built-in.ts';
import { aSignature, compiled, hitsOf, OOM_LINE, scan } from './scan-text.ts';

const ids = (log: string | Uint8Array) => scan(log).hits.map((hit) => hit.id);

it.each(
  SIGNATURES.filter((p) => p.where === 'log' || p.where === 'kernel').flatMap((p) => p.must.map((m) => [p.id, m])),
)('the shipped signatures: %s is found in its own line', (id, line) => {
  expect(scan(`a line before\n${line}\na line behind\n`).counts.get(id)).toBe(1);
});

describe('where a line came from', () => {
  const MESSAGE = 'RuntimeError: CUDA error: out of memory';
  const CORE = `(EngineCore pid=4177) ${MESSAGE}`;
  const NOW = '2026-07-10T10:00:00';
  const DOCKER = `{"log":"\\u001b[31m(Worker_TP0 pid=8) ${MESSAGE}\\n","stream":"stderr","time":"${NOW}.5Z"}`;
  it.each([
    ['plain', MESSAGE, undefined, undefined],
    ['kubelet', `2026-07-10T10:00:00.123456789Z ${MESSAGE}`, undefined, '2026-07-10T10:00:00.123Z'],
    ['containerd', `2026-07-10T10:00:00.5+02:00 stderr F ${MESSAGE}`, undefined, '2026-07-10T08:00:00.500Z'],
    ['compose', `vllm-1  | ${MESSAGE}`, undefined, undefined],
    ['a viewer of docker logs', `2026-07-10 10:00:00.123 | ${MESSAGE}`, undefined, '2026-07-10T10:00:00.123Z'],
    ['kubectl --prefix', `[pod/vllm-0/engine] ${MESSAGE}`, undefined, undefined],
    ['journalctl', `Jul  9 10:00:00 node-3 vllm[4120]: (EngineCore pid=4177) ${MESSAGE}`, 'EngineCore', undefined],
    ['journalctl -o short-iso', `${NOW}+0000 node-3 vllm[4120]: ${CORE}`, 'EngineCore', `${NOW}.000Z`],
    ['stern', `chat-7f5c9d8b6-x2x9q engine ${MESSAGE}`, undefined, undefined],
    [
      'stern over namespaces, with times',
      `llm chat-7f5c9d8b6-x2x9q engine ${NOW}.1Z ${CORE}`,
      'EngineCore',
      `${NOW}.100Z`,
    ],
    ['a quotation', `> > ${MESSAGE}`, undefined, undefined],
    ['Google Cloud', `INFO ${NOW}.5Z [resource.labels.containerName: vllm] ${CORE}`, 'EngineCore', `${NOW}.500Z`],
    ['Grafana', `2026-07-10 10:00:00.123\t${MESSAGE}`, undefined, '2026-07-10T10:00:00.123Z'],
    ['a file of Docker', DOCKER, 'Worker_TP0', `${NOW}.500Z`],
    ['engine core', `(EngineCore_DP0 pid=151) ${MESSAGE}`, 'EngineCore_DP0', undefined],
    ['worker with rank', `(VllmWorker rank=7 pid=240) ${MESSAGE}`, 'VllmWorker rank=7', undefined],
    ['Ray around vLLM', `(RayWorkerWrapper pid=9, ip=10.0.0.1) (Worker_TP1 pid=4) ${MESSAGE}`, 'Worker_TP1', undefined],
    ['LocalAI', `api-1  | 4:10PM DBG GRPC(m.gguf-127.0.0.1:39715): stderr ${MESSAGE}`, undefined, undefined],
    ['torchrun', `[rank0]: ${MESSAGE}`, 'rank0', undefined],
    ['colours', `\u001b[0;36m(EngineCore pid=1)\u001b[0;0m \u001b[31m${MESSAGE}\u001b[0m`, 'EngineCore', undefined],
    ['colours that lost their escape', `[1;36m(EngineCore_DP0 pid=1)[0;0m ${MESSAGE}`, 'EngineCore_DP0', undefined],
    ['all at once', `2026-07-10T10:00:00Z (Worker_TP0 pid=8) ${MESSAGE}\r`, 'Worker_TP0', '2026-07-10T10:00:00.000Z'],
  ])('%s', (_, line, process, at) => {
    const [hit] = hitsOf(scan(`${line}\n`), 'cuda.error.oom');

    expect(hit?.clean).toBe(MESSAGE);
    expect(hit?.process).toBe(process);
    expect(hit?.at).toBe(at === undefined ? undefined : Date.parse(at));
  });

  it('takes the year of a head without one from the timestamps of the container, also over New Year', () => {
    const line = 'ERROR 12-31 23:59:58 [core.py:1] CUDA error: out of memory\n';
    const atOf = (log: string) => hitsOf(scan(log), 'cuda.error.oom')[0]?.at;

    expect(atOf(`2026-01-01T00:00:05Z started\n${line}`)).toBe(Date.parse('2025-12-31T23:59:58Z'));
    expect(atOf(line)).toBeUndefined();
  });

  it('tells the times of the first and the last line that bear one', () => {
    const reading = scan('no time\n2026-07-10T10:00:00Z a\n2026-07-10T11:00:00Z b\nno time\n');

    const ends = ['2026-07-10T10:00:00Z', '2026-07-10T11:00:00Z'].map(Date.parse);
    expect([reading.firstAt, reading.lastAt]).toEqual(ends);
  });
});

describe('what is no evidence', () => {
  it.each([
    [
      'a prompt',
      `INFO 07-10 10:00:00 [logger.py:43] Received request c-1: prompt: 'why do I get ${OOM_LINE}', params: x`,
    ],
    ['a prompt in double quotes', `INFO Received request c-1: prompt: "it's ${OOM_LINE}", params: x`],
    ['a message of a chat', `{'role': 'user', 'content': 'CUDA error: out of memory'}`],
    ['an answer', `Generated response c-1 (streaming complete): output: 'You see ${OOM_LINE}', output_token_ids: None`],
    ['an answer in columns', `Output:    ' Joel and I get ${OOM_LINE}'`],
    ['an answer of an example', `Generated text: 'The error ${OOM_LINE}'`],
    ['the body of an answer', `INFO response_body={streaming_complete: content='You see ${OOM_LINE}', chunks=5}`],
    ['a message object', `ChatCompletionMessage(role='assistant', content='${OOM_LINE}')`],
    ['thoughts', `{"role":"assistant","content":null,"reasoning_content":"You see ${OOM_LINE}"}`],
    ['a part of a message', `body={"content":[{"type":"text","text":"why ${OOM_LINE}"}]}`],
    ['an escaped message', `body="{\\"role\\":\\"user\\",\\"content\\":\\"why ${OOM_LINE}\\"}"`],
    ['a refused message', `ERROR jinja2.exceptions.TemplateError: roles must alternate: got 'why ${OOM_LINE}'`],
    ['a test of a text', `>       assert classify("${OOM_LINE}") == "gpu"`],
    ['an SGLang request', `Receive: obj=GenerateReqInput(text='${OOM_LINE}')`],
    ['an argument', `INFO non-default args: {'chat_template': 'torch.OutOfMemoryError', 'model': 'm'}`],
  ])('%s', (_, line) => {
    expect(scan(`${line}\n`).hits.filter((hit) => hit.signature.weight !== 'context')).toEqual([]);
  });

  it('still hears what stands before the prompt', () => {
    expect(ids(`CUDA error: out of memory while serving prompt: 'hello'\n`)).toContain('cuda.error.oom');
  });

  it.each([
    ['as text first in a record', `{"text": "ERROR RuntimeError: CUDA error: out of memory", "record": {}}`],
    ['behind a complaint', `Error: the worker failed. Output: 'RuntimeError: CUDA error: out of memory'`],
    ['in a test that failed', 'E       RuntimeError: CUDA error: out of memory'],
  ])('still hears what is said %s', (_, line) => {
    expect(ids(`${line}\n`)).toContain('cuda.error.oom');
  });

  it('does not let a prompt of megabytes speak in its later parts', () => {
    const reading = scan(
      `INFO Received request c-1: prompt: '${'a'.repeat(600_000)} ${OOM_LINE} ${'b'.repeat(600_000)}'\n`,
    );

    expect(reading.hits).toEqual([]);
  });

  it('counts lines that are evidence', () => {
    const reading = scan('\n\n   \t\nsomething\nelse without an end');

    expect([reading.lines, reading.evidenceLines]).toEqual([5, 2]);
  });

  it('counts a line of several pieces once', () => {
    expect(scan(`${'x'.repeat(600_000)}\n`).evidenceLines).toBe(1);
  });

  it('answers an empty log with nothing', () => {
    expect(scan('')).toMatchObject({ hits: [], bytes: 0, lines: 0, evidenceLines: 0, tail: '', firstAt: undefined });
  });
});

describe('strange bytes', () => {
  it('reads the parts of a progress bar one by one and cites the part', () => {
    const log = 'Loading: 10%\rLoading: 60%\rCUDA error: out of memory\rLoading: 61%\nnext\n';
    const [hit] = hitsOf(scan(log), 'cuda.error.oom');

    expect(hit).toMatchObject({ line: 1, byte: log.indexOf('CUDA'), text: 'CUDA error: out of memory' });
  });

  it('does not join the parts of a progress bar to one line', () => {
    expect(ids('CUDA error: out\rof memory\n')).toEqual([]);
  });

  it('gives back text beyond ASCII as it was', () => {
    const line = 'Fehler größer als erlaubt 火 CUDA error: out of memory 🔥';

    expect(hitsOf(scan(`${line}\n`), 'cuda.error.oom')[0]?.text).toBe(line);
  });

  it('finds literals beyond ASCII', () => {
    const text = 'Speicher erschöpft';
    const signatures = compileSignatures([aSignature({ literals: [text], text, must: [] })]);

    expect(scan(`ja, ${text}\n`, { with: signatures }).hits).toHaveLength(1);
  });

  it('survives bytes that are no UTF-8 at all', () => {
    const bytes = [
      Buffer.from([0xff, 0xfe, 0x80, 0x00]),
      Buffer.from(' CUDA error: out of memory '),
      Buffer.from([0xc3]),
    ];

    expect(hitsOf(scan(Buffer.concat(bytes)), 'cuda.error.oom')).toHaveLength(1);
  });
});

describe('pasted logs', () => {
  it.each([
    [
      'at a blank',
      'torch.OutOfMemoryError: CUDA out of memory. Tried to\nallocate 1.02 GiB. GPU 0 has a total capacity of 79.33\nGiB of which 109.81 MiB is free.',
    ],
    [
      'in the middle of a word',
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allo\ncate 1.02 GiB. GPU 0 has a total capacity of 79.33 GiB of\n which 109.81 MiB is free.',
    ],
    [
      'with an indent',
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate\n    1.02 GiB. GPU 0 has a total capacity of 79.33 GiB of which\n    109.81 MiB is free.',
    ],
  ])('are understood when hard-wrapped %s', (_, log) => {
    const reading = scan(log);

    expect(hitsOf(reading, 'torch.oom.head')[0]?.captures).toMatchObject({ want: '1.02', wantUnit: 'GiB' });
    const figures = { total: '79.33 GiB', free: '109.81 MiB' };
    expect(hitsOf(reading, 'torch.oom.sentence')[0]?.captures).toMatchObject(figures);
    for (const hit of reading.hits) expect(log.split('\n')[hit.line - 1]).toBe(hit.text);
  });

  it('are understood with doubled blanks', () => {
    expect(ids('RuntimeError:  CUDA  error:   out of\tmemory\n')).toContain('cuda.error.oom');
  });

  const RICH = (later: string) =>
    `2026-07-10T10:00:00.1Z ERROR    2026-07-10 10:00:00,100 server ERROR: CUDA error: out\n${later}         of memory\n`;

  it('are understood as rich wraps them, under the dates of a runtime', () => {
    expect(ids(RICH('2026-07-10T10:00:00.2Z '))).toContain('cuda.error.oom');
  });

  it('do not join what was written later', () => {
    expect(ids(RICH('2026-07-10T10:00:05.2Z '))).not.toContain('cuda.error.oom');
  });

  it('do not count a line twice', () => {
    expect(scan(`${OOM_LINE}\nsome more text that follows on the next line\n`).counts.get('torch.oom.head')).toBe(1);
  });

  it('do not join lines of different records', () => {
    const log =
      '(Worker_TP0 pid=1) something long enough to have been wrapped: CUDA error: out\n(Worker_TP1 pid=2) of memory\n';

    expect(ids(log)).not.toContain('cuda.error.oom');
  });
});

describe('where signatures are looked for', () => {
  const FILLER = `${'x'.repeat(99)}\n`.repeat(1000);
  const STATS =
    'Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 3 reqs, Waiting: 4 reqs, GPU KV cache usage: 5.0%\n';

  it('looks for a cause in the whole log, for context at both ends only', () => {
    const log = STATS + FILLER.repeat(5) + OOM_LINE.concat('\n') + STATS + FILLER.repeat(8) + STATS;
    const reading = scan(log);

    expect(hitsOf(reading, 'torch.oom.head').map((hit) => hit.line)).toEqual([5002]);
    expect(hitsOf(reading, 'vllm.run.stats-v1').map((hit) => hit.line)).toEqual([1, 13004]);
  });

  it('reads the figures of a line that another signature has hit, wherever it stands', () => {
    const reading = scan(FILLER.repeat(5) + OOM_LINE.concat('\n') + FILLER.repeat(8));

    expect(hitsOf(reading, 'torch.oom.sentence')).toHaveLength(1);
  });

  it('keeps the first and the last hits of a signature and counts all', () => {
    const scanner = createLogScanner(compiled, { file: 'current.log', keepPerSignature: 4 });
    for (let i = 1; i <= 1000; i++) scanner.push(Buffer.from(`CUDA error: out of memory ${i}\n`));
    const reading = scanner.finish();

    expect(reading.counts.get('cuda.error.oom')).toBe(1000);
    expect(hitsOf(reading, 'cuda.error.oom').map((hit) => hit.line)).toEqual([1, 2, 999, 1000]);
  });

  it('ends with what the log ends with, from a whole line on', () => {
    const reading = scan(`${FILLER}last words\n`);

    expect(reading.tail.endsWith('last words\n')).toBe(true);
    expect(reading.tail.length).toBeLessThanOrEqual(64 * 1024);
    expect(reading.tail.startsWith('x'.repeat(99))).toBe(true);
  });
});

describe('properties', () => {
  const piece = fc.oneof(
    fc.constantFrom(OOM_LINE, 'CUDA error: out of memory', 'é'.repeat(1500) + OOM_LINE + '火'.repeat(900)),
    fc.constantFrom('\n', '\r', '\r\n', '\u001b[31m', '\t\t'),
    fc.constantFrom('2026-07-10T10:00:00Z ', '(EngineCore_DP0 pid=1) ', "prompt: '"),
    fc.string({ maxLength: 30, unit: 'grapheme' }),
  );

  it('finds the same whatever the split of the bytes, and every cited text stands where it says', () => {
    const logs = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));
    const cuts = fc.array(fc.nat(20_000), { maxLength: 20 });
    fc.assert(
      fc.property(logs, cuts, (log, places) => {
        const bytes = Buffer.from(log, 'utf8');
        const whole = scan(bytes);
        expect(scan(bytes, { cuts: places.map((cut) => Math.min(cut, bytes.length)) })).toEqual(whole);
        for (const hit of whole.hits) {
          const text = Buffer.from(hit.text, 'utf8');
          expect(bytes.subarray(hit.byte, hit.byte + text.length).equals(text)).toBe(true);
          expect(bytes.subarray(0, hit.byte).filter((b) => b === 10).length + 1).toBe(hit.line);
          expect(hit.text.length).toBeLessThanOrEqual(2000);
        }
      }),
      { numRuns: 200, seed: 7 },
    );
  });

  it('finds the same whatever the split, over the borders of blocks', () => {
    const log = Buffer.from(`${'y'.repeat(120)}\n`.repeat(2166) + `${'z'.repeat(30)} ${OOM_LINE}\n`.repeat(40));
    const whole = scan(log);

    expect(whole.counts.get('torch.oom.head')).toBe(40);
    for (const size of [1000, 4096, 65_537, 262_144]) {
      const cuts = Array.from({ length: Math.floor(log.length / size) }, (_, i) => (i + 1) * size);
      expect(scan(log, { cuts })).toEqual(whole);
    }
  });
});

describe('long lines', () => {
  it('finds a cause in the middle of a line of 5 MB and cites the part around it', () => {
    const line = `${'{"a":1},'.repeat(330_000)}${OOM_LINE}${'{"a":1},'.repeat(330_000)}`;
    const reading = scan(`before\n${line}\nCUDA error: out of memory\n`);
    const [hit] = hitsOf(reading, 'torch.oom.head');

    expect(hit?.line).toBe(2);
    expect(hit?.text).toContain('Tried to allocate 1.02 GiB');
    expect(hit?.byte).toBeGreaterThan(2_600_000);
    expect(reading.counts.get('torch.oom.head')).toBe(1);
    expect(hitsOf(reading, 'cuda.error.oom')[0]?.line).toBe(3);
    expect(reading.lines).toBe(3);
  });

  it.each([
    ['open brackets', '('.repeat(3_000_000)],
    ['blanks', ' '.repeat(3_000_000)],
    ['beginnings of literals', 'out of memor'.repeat(250_000)],
    ['literals that never become a match', 'memory in use Process '.repeat(130_000)],
    ['numbers', 'out of memory. Tried to allocate 1'.repeat(90_000)],
    ['carriage returns', 'signal 8\r'.repeat(330_000)],
  ])('of %s take time in proportion to their length', (_, line) => {
    expect(growthWith(line, (text) => scan(`${text}\n`))).toBeLessThan(FAR_FROM_QUADRATIC);
  });
});
