import type { Citation } from '../../model/citation.ts';
import { cleanLine } from '../scan/clean-line.ts';

/** `ValueError: text`, `torch.distributed.DistBackendError: text`: the type and what it says. */
export const EXCEPTION = /^\s*(?:[\w.]{1,80}\.)?((?:[A-Za-z]\w{0,60})?(?:Error|Exception|Fault))(?::\s*(.*))?$/;

// `ERROR 07-10 10:00:00 [core.py:717] `, `[2026-07-10 10:00:00 TP0] `, `ERROR:    `, a bullet of a list.
const HEAD =
  /^(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):? {1,8}(?:\d{2}-\d{2} [\d:.,]{1,20} )?(?:\[?[\w./-]{1,80}:\d{1,6}\] ?)?|\[\d{4}-[^\]]{1,60}\] ?)/;

/** A line without the head of its logger. */
export function headless(text: string): string {
  return cleanLine(text).clean.replace(HEAD, '');
}

// What other processes say of one that died; its own words stand above or in another log.
const ECHO =
  /Engine(?:Core|Loop)?(?:Dead|Gen)|[Ee]ngine (?:core )?(?:initialization|loop|process|is dead|died)|root cause|already dead|[Ww]orker[\w ]{0,30}(?:died|dead|failed)|ServerClosed|ShardCannotStart|ChildFailed|died unexpectedly|ActorDied|RayletDied|WorkerCrashed|[Cc]ancelled|KeyboardInterrupt|StopIteration|BrokenProcessPool|ProcessExited|ProcessRaised|CalledProcess|[Ss]erver (?:crashed|died|exited)|process (?:has )?terminated|exit ?(?:code|status)|other ranks that didn't finish|Previous attempt to load model resulted in crash|due to resource limitations or an internal error|error trying to connect: (?:No such file|Connection refused|tcp connect)|Server error: transport error/;

/** Whether a line is what another process says of a death. */
export function isEcho(text: string): boolean {
  return ECHO.test(text);
}

// As long as the tracebacks of engines are, with the frames of PyTorch in them.
const TRACEBACK_LINES = 80;

/** Whether the traceback that a frame stands in ends in what its process says of another's death: then its frames show where it waited. */
export function endsInEcho(lines: readonly (Citation & { readonly kind: 'line' })[], frame: number): boolean {
  const raised = lines.find(
    ({ line, text }) => line > frame && line - frame <= TRACEBACK_LINES && EXCEPTION.test(headless(text)),
  );
  return raised !== undefined && isEcho(raised.text);
}
