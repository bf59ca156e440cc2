const COMMAND = /(^ *| {2,}|`|\| |\(|^Usage: )oom (?![\w-]*:)(?=[a-z<[-])/gm;

/** A text with its commands as they can be typed: in a clone only `npx oom …` is found. */
export function asTyped(text: string, command = 'oom'): string {
  return command === 'oom' ? text : text.replace(COMMAND, `$1${command} `);
}
