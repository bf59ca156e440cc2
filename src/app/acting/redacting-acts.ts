import type { PlanDraft } from '../../actions/plan/plan-action.ts';
import type { ChangeDraft } from '../../model/temporary-change.ts';
import type { ActStore } from '../acting-ports.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/**
 * A store that keeps no secret of what people type as reasons and what clusters answer. What is written to a cluster is in
 * the patches of a plan, which stay whole: they test the current values and restore them.
 */
export function redactingActs<S extends ActStore>(store: S, redact: Redact): S {
  return {
    ...store,
    click: ({ breakGlass, reason = null, ...click }, notices) =>
      store.click({ ...click, breakGlass: orNull(breakGlass, redact), reason: orNull(reason, redact) }, notices),
    recordRefusal: (refusal) =>
      store.recordRefusal({ ...refusal, subject: redact(refusal.subject), why: redact(refusal.why) }),
    pause: (pause) => store.pause({ ...pause, reason: redact(pause.reason) }),
    saveStep: (id, record) => store.saveStep(id, { ...record, message: redact(record.message) }),
    saveChecks: (id, checks, at) =>
      store.saveChecks(
        id,
        checks.map((check) => ({ ...check, says: redact(check.says) })),
        at,
      ),
    setRunState: (id, { ledger, ...change }) =>
      store.setRunState(id, {
        ...change,
        outcome: orNull(change.outcome, redact),
        ...(ledger && { ledger: { ...ledger, enters: ledger.enters && redactDraft(ledger.enters, redact) } }),
      }),
    enterChange: (draft) => store.enterChange(redactDraft(draft, redact)),
    moveChange: (id, move) => store.moveChange(id, { ...move, why: orNull(move.why, redact) }),
    recordWrite: (id, write) => store.recordWrite(id, { ...write, says: redact(write.says) }),
  };
}

function redactDraft(draft: ChangeDraft, redact: Redact): ChangeDraft {
  const values = draft.values.map((one) => ({ ...one, from: orNull(one.from, redact), to: orNull(one.to, redact) }));
  return { ...draft, values, patch: redact(draft.patch) };
}

function orNull(text: string | null, redact: Redact): string | null {
  return text === null ? null : redact(text);
}

/** A draft in which only what is written holds secrets: what is shown, and the values of before, have none. */
export function redactShown(draft: PlanDraft, redact: Redact): PlanDraft {
  return {
    ...draft,
    diff: redact(draft.diff),
    edits: draft.edits.map((edit) => ({ ...edit, from: orNull(edit.from, redact) })),
    hazards: draft.hazards.map((hazard) => ({ ...hazard, says: redact(hazard.says) })),
    steps: draft.steps.map((step) => {
      const says = redact(step.says);
      if (!('command' in step)) return { ...step, says };
      const shown = { says, command: redact(step.command) };
      return step.kind === 'write'
        ? { ...step, ...shown, inverseCommand: redact(step.inverseCommand) }
        : { ...step, ...shown };
    }),
  };
}

type Acts = (name: string, input: unknown, execution: { readonly id: string }) => Promise<unknown>;

/** Acts whose answers and faults hold no secret: the workflow engine keeps both in its own tables. */
export function redactingAnswers(acts: Acts, redact: Redact, redactAnswer: (answer: unknown) => unknown): Acts {
  return async (...given) => {
    try {
      return redactAnswer(await acts(...given));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
      throw Object.assign(new Error(redact(message)), { name });
    }
  };
}
