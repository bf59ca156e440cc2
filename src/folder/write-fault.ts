import { codeOf } from '../model/connection-fault.ts';
import { OomError } from '../model/errors.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large here',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'part of the path is a file',
  ENAMETOOLONG: 'the name is too long',
};

/** Says why a file or folder was not written, by the code of the system. */
export function notWritten(path: string, cause: unknown): OomError {
  const { code } = codeOf(cause);
  const why = WHY[code] ?? code;
  return new OomError('bad-input', `Cannot write ${path}${why === '' ? '' : `: ${why}`}.`, {
    next: 'Name another place, in a folder with space that you may write to.',
    cause,
  });
}
