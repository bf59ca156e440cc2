import { describe, it } from 'vitest';
import { anySnapshotHolds } from './any-snapshot.ts';

describe('any snapshot at all', () => {
  it(
    'ends in a valid verdict, the same one twice, and cites what is there, 1,000 times over',
    () => anySnapshotHolds(1000),
    600_000,
  );
});
