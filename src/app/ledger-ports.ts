import type { ChangeDraft, ChangeState, TemporaryChange } from '../model/temporary-change.ts';

/** What the end of a run means for the ledger: an entry of its own, or the end of those whose values it has brought back. */
export type LedgerEffect = { readonly enters: ChangeDraft | null; readonly undoes: readonly string[] };

export type ChangeMove = {
  readonly state: ChangeState;
  readonly by: string | null;
  readonly why: string | null;
  readonly at: number;
};

/** The ledger of temporary changes. An entry is made with the end of its run. Every writing method is one transaction with its domain event and audit row. */
export interface LedgerStore {
  /** For a run that could not do so at its end; one that is entered already stays. */
  enterChange(draft: ChangeDraft): Promise<void>;
  /** Those that nobody has closed, the first to expire first. */
  openChanges(): Promise<readonly TemporaryChange[]>;
  temporaryChange(id: string): Promise<TemporaryChange | undefined>;
  changeOfRun(runId: string): Promise<TemporaryChange | undefined>;
  /** Takes a check that is due, and sets the time of the next. False where another replica has it. */
  claimCheck(change: Pick<TemporaryChange, 'id' | 'nextCheckAt'>, next: number): Promise<boolean>;
  /** What a check has read: null is all of it. */
  noteCheck(id: string, check: { readonly at: number; readonly fault: string | null }): Promise<void>;
  /** Brings an open entry into another state. Answers whether this call did it. */
  moveChange(id: string, move: ChangeMove): Promise<boolean>;
  /** Answers whether the entry was open. */
  extendChange(
    id: string,
    extension: { readonly expiresAt: number; readonly by: string; readonly at: number },
  ): Promise<boolean>;
}
