/** The variable that sets a flag where the flag itself is not given; undefined where an engine has none for it. */
export function variableOfFlag(engine: string, flag: string): string | undefined {
  // TGI reads each of its flags from a variable of the same name (clap, `env`; launcher/src/main.rs).
  return engine === 'tgi' && flag.startsWith('--') ? flag.slice(2).replaceAll('-', '_').toUpperCase() : undefined;
}
