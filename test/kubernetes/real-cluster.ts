import { request } from 'undici';
import { it } from 'vitest';
import { loadCredentials } from '../../src/kubernetes/api/credentials.ts';
import { createSession } from '../../src/kubernetes/api/session.ts';
import { createSystemClock } from '../../src/system/clock.ts';

const kubeconfig = process.env.OOM_TEST_KUBECONFIG;

/** A suite that needs a real cluster and its administrator; skipped, in words, where no kubeconfig is named. */
export function onRealCluster(what: string, suite: (kubeconfig: string) => void): void {
  if (kubeconfig !== undefined) {
    suite(kubeconfig);
    return;
  }
  it(`${what}: tried only where OOM_TEST_KUBECONFIG names a kubeconfig`, ({ skip }) => {
    const why = 'OOM_TEST_KUBECONFIG names no kubeconfig';
    process.stdout.write(`skipped: ${what}; ${why}\n`);
    skip(why);
  });
}

export type RealAnswer = { readonly status: number; readonly text: string };

/** A fresh namespace in a real cluster, taken away at the end. */
export async function openRealCluster(file: string) {
  const clock = createSystemClock();
  const session = createSession(() => loadCredentials({ kubeconfig: file }), clock);
  const namespace = `oombot-contract-${Math.random().toString(36).slice(2, 10)}`;
  const ask = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RealAnswer> => {
    const { server, headers, dispatcher } = await session.access('calls', AbortSignal.timeout(10_000));
    const answer = await request(`${server}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json', ...more },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      dispatcher,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const send = async (method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<string> => {
    const { status, text } = await ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  };
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    namespace,
    session,
    clock,
    ask,
    send,
    async settle(holds: () => Promise<boolean>, seconds = 30) {
      for (let n = 0; n < 2 * seconds; n++) {
        if (await holds()) return;
        await clock.sleep(500);
      }
      throw new Error(`it did not come to hold within ${seconds} s`);
    },
    async close() {
      await send('DELETE', `/api/v1/namespaces/${namespace}`);
      await session.close();
    },
  };
}
