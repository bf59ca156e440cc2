import nock from 'nock';
import { afterEach } from 'vitest';
import { takeTables } from '../src/wire/reference-tables.ts';
import { TABLE_FILES } from './table-files.ts';

takeTables(TABLE_FILES);

// Loopback stand-ins are real servers; every other host must be mocked.
nock.disableNetConnect();
nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\]):/);

afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  if (pending.length > 0) throw new Error(`mocks without a request: ${pending.join(', ')}`);
});
