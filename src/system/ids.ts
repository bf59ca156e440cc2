import { randomBytes } from 'node:crypto';
import type { Ids } from '../app/ports.ts';

// 32 characters, one for each value of five bits, so that none is likelier than another.
const ALPHABET = '0123456789abcdfghjklmnpqrstvwxyz';

/** Ids that cannot be guessed: 20 characters of 5 random bits, 100 bits in all. */
export function createSystemIds(): Ids {
  return {
    next(prefix) {
      const text = [...randomBytes(20)].map((byte) => ALPHABET[byte & 31]).join('');
      return `${prefix}_${text}`;
    },
  };
}
