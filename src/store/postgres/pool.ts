import { createSession, type Session, type SessionOptions } from './session.ts';

export type Pool = {
  acquire(): Promise<Session>;
  release(session: Session): void;
  end(): Promise<void>;
};

/** At most `size` sessions; who comes when all are in use waits in turn. One that was lost is replaced when it is next needed. */
export function createPool({ size, ...options }: SessionOptions & { readonly size: number }): Pool {
  const idle: Session[] = [];
  const all = new Set<Session>();
  const waiting: (() => void)[] = [];
  const discard = (session: Session): void => {
    all.delete(session);
    // It is lost already, or is about to be: there is nobody to tell.
    session.end().catch(() => undefined);
  };
  const fromIdle = (): Session | undefined => {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) {
      if (!session.lost) return session;
      discard(session);
    }
    return undefined;
  };
  return {
    async acquire() {
      for (;;) {
        const free = fromIdle();
        if (free !== undefined) return free;
        if (all.size < size) break;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      const session = createSession(options);
      all.add(session);
      return session;
    },
    release(session) {
      // A transaction that is still open here has failed at its end; its session takes it along.
      if (session.lost || session.inTransaction) discard(session);
      else idle.push(session);
      waiting.shift()?.();
    },
    async end() {
      await Promise.all([...all].map((session) => session.end()));
    },
  };
}
