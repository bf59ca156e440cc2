import type { Steps } from '../../src/app/acting-ports.ts';

type StepCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** Answers of an act: by its attempts in order, the last one again and again; or computed from its input. */
export type Script = Readonly<
  Record<string, readonly unknown[] | ((input: Readonly<Record<string, unknown>>) => unknown)>
>;

type FakeSteps = Steps & {
  readonly calls: readonly StepCall[];
  readonly sleeps: readonly number[];
  /** `apply.1 wait.2`: acts in order with the number of their step, repeats of one place left out. */
  readonly path: () => string;
};

/** Durable steps in memory: every act answers by its script, `{kind: 'ok'}` where it has none, and no sleep takes time. */
export function createFakeSteps(script: Script = {}): FakeSteps {
  const calls: StepCall[] = [];
  const sleeps: number[] = [];
  const asked = new Map<string, number>();
  return {
    calls,
    sleeps,
    path() {
      const places = calls.map(({ name, input }) => (input.n === undefined ? name : `${name}.${input.n}`));
      return places.filter((place, i) => place !== places[i - 1]).join(' ');
    },
    async run(name, input) {
      const given = input as Readonly<Record<string, unknown>>;
      calls.push({ name, input: given });
      const answers = script[`${name}.${given.n}`] ?? script[name] ?? [{ kind: 'ok', says: '' }];
      if (typeof answers === 'function') return answers(given);
      const key = `${name}.${given.n}`;
      const count = asked.get(key) ?? 0;
      asked.set(key, count + 1);
      return answers[Math.min(count, answers.length - 1)];
    },
    async sleep(ms) {
      sleeps.push(ms);
    },
  };
}
