import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { goesOn } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { defineFacts } from './define.ts';
import type { Evidence } from './evidence.ts';
import { firstError, isFailure, ownWords } from './hint.ts';
import { citeHit, type Weighed } from './weigh.ts';

/** Processes that the log shows to have been killed or stopped. */
export const PROCESS_KILL_FACTS = defineFacts(
  {
    'log.child-killed': { unit: 'yes-no', says: 'a child process was ended by signal 9', needs: LOG },
    'log.killed-alone': {
      unit: 'yes-no',
      says: 'its shell saw it killed, and nothing else complained or told it to stop',
      needs: LOG,
    },
    'log.terminated': {
      unit: 'yes-no',
      says: 'the process was told to stop from outside (SIGTERM)',
      needs: LOG,
    },
  },
  (evidence) => {
    const last = lastLine(evidence.log.main);
    const complaint = firstComplaint(evidence);
    const saysWhy = complaint !== undefined || terminated(evidence, complaint) !== undefined;
    return {
      'log.child-killed': killed(evidence) ?? (last && known(false, last)),
      'log.killed-alone': readKilledAlone(evidence, saysWhy),
      'log.terminated': terminated(evidence, firstError(evidence)) ?? (last && known(false, last)),
    };
  },
);

const SIGNAL_9 = /^-?9$|^SIGKILL$|^137$/i;

function killed(evidence: Evidence): Fact | undefined {
  const { weighing } = evidence;
  const told = weighing.all.filter(
    ({ hit, signature }) =>
      (hasRole(signature, 'killed') && signature.weight !== 'context') ||
      SIGNAL_9.test(hit.captures.code ?? hit.captures.sig ?? ''),
  );
  return fact(told.length > 0 ? true : undefined, told.map(citeHit));
}

// The words of servers that close in order: uvicorn, gunicorn, vLLM, SGLang, TGI, Triton, llama.cpp.
const CLOSES = anyOf(
  '',
  /\[shutdown\] \w[\w ]{0,40}: (?:trigger received signal=SIGTERM|start timeout=)|\bcleaning up before exit\b/,
  /\bSIGTERM\b|\bsignal received, starting graceful shutdown|^Signal \(15\) received/,
  /\bShutting down FastAPI|\bFinished server process\b|\bHandling signal: term\b/,
  /\bApplication shutdown complete\b|\bWaiting for (?:application shutdown\.|connections to close)/,
  /\b(?:stopped|shut down) (?:cleanly|gracefully)\b/,
);

function terminated({ weighing, log }: Evidence, error: Citation | undefined): Fact | undefined {
  const hits = weighing.all.filter(({ signature }) => hasRole(signature, 'terminated'));
  if (hits.length > 0) return fact(true, hits.map(citeHit));
  if (log.main === undefined) return undefined;
  const closes = tailLines(log.main).find(({ text }) => CLOSES.test(cleanLine(ownWords(text)).clean));
  // A server that fails closes as well, and one that closes fails its open requests: what comes first is the reason.
  const isReason = error === undefined || (error.kind === 'line' && closes !== undefined && closes.line < error.line);
  return closes && isReason ? known(true, closes) : undefined;
}

// What complains next to the report of a kill.
function firstComplaint(evidence: Evidence): Citation | undefined {
  const reports = killReports(evidence).map(({ hit }) => hit.line);
  return firstError(evidence, (one) => isFailure(one) && !isOfHost(one), new Set(reports));
}

function isOfHost({ signature }: Weighed): boolean {
  return signature.plane === 'host' && signature.weight === 'hint';
}

// The word of a shell, alone, behind a bar of progress, or with the line of the script and the number of the process
// (GNU bash jobs.c, notify_of_job_status; zsh jobs.c, printjob; GNU make job.c); on macOS the signal number comes
// after it. A job in the background was mostly ended by its user.
const SHELL_SAYS = anyOf(
  '',
  /^(?:Killed|killed)(?:: 9)?$|^make(?:\[\d{1,3}\])?: \*\*\* \[[^\]]{1,200}\] Killed$/,
  /(?:it\/s|s\/it)\]\s*Killed$|: line \d{1,6}: +\d{1,10} Killed\b/,
  /^(?:zsh|bash|sh): (?:line \d{1,6}: +\d{1,10} )?[Kk]illed\b|^Killed +python/,
);

/** A queue whose time was up, and a command that bounds another's time (coreutils timeout.c), kill without the kernel. */
const OTHER_HAND =
  /\btimeout: sending signal KILL\b|\bDUE TO (?:TIME LIMIT|PREEMPTION|NODE FAILURE)\b|(?:^|[;&|$] ?|: line \d{1,6}: +\d{1,10} Killed +)timeout (?:-\S+ (?:\S+ )?){0,4}\d/;

const LONGEST_WORD = 'Terminado (killed)'.length;

// fish and GNU time have words of their own. Ollama waits for the model to load and asks for the status of a runner that is
// gone; it ends none itself while it waits (ollama/ollama llm/server.go, WaitUntilRunning).
const OTHERS_SAY =
  /\bllama(?: runner|-server) process has terminated: signal: killed\b|\bJob \d{1,4}, '[^'\n]{1,300}(?<! &)' terminated by signal SIGKILL\b|^Command terminated by signal 9$/;

/**
 * A process that its shell saw killed without a word of its own. Who stops a container or a session ends the shell along,
 * an engine that ends its own workers says why: what is left is the kernel, for lack of RAM.
 */
function readKilledAlone(evidence: Evidence, saysWhy: boolean): Fact | undefined {
  const { weighing, kubernetes, log } = evidence;
  const killed = killReports(evidence)[0];
  const last = lastLine(log.main);
  if (killed === undefined) return last && known(false, last);
  const otherwise =
    saysWhy ||
    (log.main !== undefined && tailLines(log.main).some(({ text }) => OTHER_HAND.test(text))) ||
    weighing.decisive !== undefined ||
    (kubernetes.probeKilled.kind === 'known' && kubernetes.probeKilled.value) ||
    weighing.all.some(({ hit, signature }) => hit.line > killed.hit.line && goesOn(signature));
  return known(!otherwise, citeHit(killed));
}

/** What a shell, or a server that waits for its runner, says of a process that was killed. */
export function killReports({ weighing }: Pick<Evidence, 'weighing'>): readonly Weighed[] {
  return weighing.all.filter((one) => isOfShell(one) || OTHERS_SAY.test(one.hit.text));
}

function isOfShell({ signature, hit }: Weighed): boolean {
  // Where the engine ended itself.
  if (signature.weight === 'context' || !hasRole(signature, 'shell-killed')) return false;
  const own = cleanLine(hit.text).clean.trim();
  return hasRole(signature, 'translated') ? own.length <= LONGEST_WORD : SHELL_SAYS.test(own);
}
