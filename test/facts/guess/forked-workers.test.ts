import { expect, it } from 'vitest';
import { valueIn } from '../incident.ts';

const described = (command: string, variable = '') => ({
  'describe.txt': `Name: api-0
Containers:
  api:
    Image: acme/serve:1
    Command: ${command}
    Last State: Terminated
      Reason: OOMKilled
      Exit Code: 137
${variable}`,
});

it.each([
  ['gunicorn -k uvicorn.workers.UvicornWorker --workers 8 app:app', '', 'host.startup.workers'],
  ['uvicorn app:app', '    Environment:\n      WEB_CONCURRENCY:  4\n', 'host.startup.workers'],
  ['uvicorn app:app --workers 1', '', undefined],
  ['python batch.py --workers 8', '', undefined],
])('%s %s', async (command, variable, cause) => {
  expect(await valueIn(described(command, variable), 'guess.host-cause')).toBe(cause);
});
