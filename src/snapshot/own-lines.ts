const KUBELET = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?/;
// A pod, a rank or a worker.
const NAME = /^(?:\[?[\w./-]{1,120}\]?:? {1,4}(?:\| )?|\([^()\n]{1,60}\) )/;
// A time, a level, the functions of llama.cpp, an error of Python, a remark of ours, or an object. Any line of a traceback
// too, for it says what failed.
const OWN =
  /^\s{0,8}(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d{1,2}:\d\d(?::\d\d|[AP]M)\b)|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\b|[IWEF]\d{4} \d\d:\d\d|(?:srv|que|res|slot) {1,12}\w|(?:main|(?:common|llama|ggml|llm|clip|mtmd)_\w{1,60}): |(?:time|level|ts)=|\{"|Traceback |File "|[\w.]{1,80}(?:Error|Exception|Interrupt)(?:: |$)|# \.\.\. |Killed\b|Aborted\b|Segmentation fault|terminate called|Fatal Python error)/;

/** Whether a line begins as programs begin theirs, and goes on with nothing of the line before it. */
export function isOwnLine(line: string): boolean {
  const printed = line.replace(KUBELET, '');
  return OWN.test(printed) || OWN.test(printed.replace(NAME, ''));
}
