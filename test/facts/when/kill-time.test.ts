import { expect, it } from 'vitest';
import { type Files, verdictOfFiles } from '../incident.ts';

const verdictOf = (files: Files) => verdictOfFiles({ 'incident.json': '{"uptime":"unknown"}', ...files });

const KERNEL =
  '[123456.2] Memory cgroup out of memory: Killed process 4411 (python3) total-vm:91231234kB, anon-rss:66123412kB, file-rss:12kB, shmem-rss:0kB\n';

it.each([
  ['the kernel', { 'previous.log': '# no log\n', 'kernel.txt': KERNEL }],
  ['Slurm', { 'previous.log': 'slurmstepd: error: Detected 1 oom_kill event in StepId=771.0.\n' }],
])('a kill of which nothing tells the time of life is certain of RAM alone: %s', async (_, files) => {
  expect(await verdictOf(files)).toMatchObject({ plane: 'host', phase: 'n/a', certain: true, causeCertain: false });
});
