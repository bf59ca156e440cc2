import nock from 'nock';
import { afterEach } from 'vitest';

// Loopback stand-ins are real servers; every other host must be mocked.
nock.disableNetConnect();
nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\]):/);

afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  if (pending.length > 0) throw new Error(`mocks without a request: ${pending.join(', ')}`);
});
