import { describe, expect, it } from 'vitest';
import { type Files, verdictOfFiles } from '../incident.ts';

const SERVES = [
  'INFO 07-08 10:00:06 [api_server.py:1839] vLLM API server version 0.11.0',
  'INFO:     Application startup complete.',
  'INFO:     10.0.0.3:41000 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
];
const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/srv/app.py", line 186, in __call__',
  '    raise exc',
];
const ERROR = "KeyError: 'tools'";
const CHAIN = [...TRACEBACK, ERROR, '', 'During handling of the above exception, another exception occurred:', ''];
const TOOLS = 'ERROR 07-08 11:59:55 [hermes_tool_parser.py:126] ';

const CAUGHT: readonly (readonly [string, readonly string[]])[] = [
  ['by an ASGI server', ['ERROR:    Exception in ASGI application', ...TRACEBACK, ERROR]],
  ['by an ASGI server, of two', ['ERROR:    Exception in ASGI application', ...CHAIN, ...TRACEBACK, ERROR]],
  [
    'by a parser of tools',
    [`${TOOLS}Error in extracting tool call from response.`, ...[...TRACEBACK, ERROR].map((text) => TOOLS + text)],
  ],
  [
    'by the server of vLLM',
    ['ERROR 07-08 11:59:55 [serving_completion.py:9] Error in completion stream generator.', ...TRACEBACK, ERROR],
  ],
  ['by the server of SGLang', ['[2026-07-08 11:59:55] Error in request: x', ...TRACEBACK, ERROR]],
  ['by nobody who could raise it', ['Exception ignored in: <function Pool.__del__ at 0x7f>', ...TRACEBACK, ERROR]],
  ['by a loop', ['ERROR asyncio: Task exception was never retrieved', ...TRACEBACK, ERROR]],
];

const KILL = [
  '[Wed Jul  8 11:59:58 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/k/a,task_memcg=/k/a,task=python3,pid=4242,uid=0',
  '[Wed Jul  8 11:59:58 2026] Memory cgroup out of memory: Killed process 4242 (python3) total-vm:100000000kB, anon-rss:67000000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1000kB oom_score_adj:900',
].join('\n');

const verdictOf = (lines: readonly string[], files: Files = {}) =>
  verdictOfFiles({ 'previous.log': `${[...SERVES, ...lines].join('\n')}\n`, ...files });

describe('an error that was caught', () => {
  it.each(CAUGHT)('%s is not what the process ended on', async (_, lines) => {
    expect(await verdictOf(lines)).toMatchObject({ certain: false });
  });

  it.each(CAUGHT)('%s leaves a kill what it is', async (_, lines) => {
    expect(await verdictOf(lines, { 'kernel.txt': KILL })).toMatchObject({ plane: 'host', certain: true });
  });

  it('is one that tells of a refused request', async () => {
    const refused =
      'ValueError: Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens). Use a shorter input or enable --allow-auto-truncate.';
    expect(await verdictOf([...TRACEBACK, refused], { 'kernel.txt': KILL })).toMatchObject({
      plane: 'host',
      certain: true,
    });
  });

  it.each(CAUGHT)('%s hides no error below', async (_, lines) => {
    expect(await verdictOf([...lines, ...TRACEBACK, 'IndexError: list index out of range'])).toMatchObject({
      plane: 'none',
      certain: true,
    });
  });
});
