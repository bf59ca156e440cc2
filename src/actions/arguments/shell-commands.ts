/** Commands that run the command that follows them. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  `exec nohup command env time sudo nice ionice numactl stdbuf tini dumb-init setsid taskset chrt timeout nsys uv
   torchrun mpirun opentelemetry-instrument ddtrace-run catchsegv xvfb-run gosu su-exec runuser entrypoint-wrapper`
    .trim()
    .split(/\s+/),
);

/** Commands whose words are a script or a command again: an engine in there is out of reach. */
export const NESTING: ReadonlySet<string> = new Set([
  'eval',
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'su',
  'ssh',
  'xargs',
  'watch',
  'script',
  'source',
  '.',
]);
