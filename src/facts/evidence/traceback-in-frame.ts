// `│ /usr/src/server/models/x.py:94 in __init__   │`, as rich draws tracebacks (Textualize/rich rich/traceback.py; TGI, typer).
const BOXED = /^\s{0,8}│ (.*?)\s{0,300}│?\s{0,8}$/;
const FRAME = /^((?:\/\S{1,300}|[\w.-]{1,120})\.py):(\d{1,7}) in ([\w.<>]{1,120})$/;
// A path longer than the box goes over to the next line, wherever that cuts it.
const HALF = /^\/\S{20,300}$/;
const CALLED = /^❱ {0,8}\d{1,7} │[\s│]*(.*)$/;

/** The lines of a log as the interpreter would print them where they stand in a box: frames and calls; the code around a call is blank. */
export function unboxed(texts: readonly string[]): readonly string[] {
  let half = '';
  return texts.map((text) => {
    const inner = BOXED.exec(text)?.[1];
    const whole = inner === undefined ? undefined : `${half}${inner}`;
    half = '';
    if (inner === undefined || whole === undefined) return text;
    if (FRAME.test(whole)) return whole.replace(FRAME, '  File "$1", line $2, in $3');
    if (HALF.test(inner)) half = inner;
    const call = CALLED.exec(inner)?.[1];
    return call === undefined ? '' : `    ${call}`;
  });
}
