import { describe, expect, it, onTestFinished } from 'vitest';
import type { TokenReviewer } from '../../src/kubernetes/review-token.ts';

/** A reviewer, and a token that its cluster has given to a user. */
export type ReviewerStage = {
  readonly reviewer: TokenReviewer;
  readonly token: string;
  readonly username: string;
  close(): Promise<void>;
};

/** What every cluster says of tokens, a real one too. */
export function tokenReviewerContract(name: string, make: () => Promise<ReviewerStage>): void {
  describe(`token reviewer: ${name}`, () => {
    const ask = async (choose: (stage: ReviewerStage) => string) => {
      const stage = await make();
      onTestFinished(() => stage.close());
      const answer = await stage.reviewer.review(choose(stage), new AbortController().signal);
      return { answer, stage };
    };

    it('knows whose a token is', async () => {
      const { answer, stage } = await ask(({ token }) => token);

      expect(answer).toEqual({ kind: 'user', username: stage.username });
    });

    it.each(['no-token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.'])('%s is nobody’s', async (token) => {
      expect((await ask(() => token)).answer).toEqual({ kind: 'nobody' });
    });
  });
}
