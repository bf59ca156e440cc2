import { fromView } from '../src/playground/server/shown-state.ts';
import type { StoredMessage } from '../src/standins/slack/state.ts';
import type { Stage, startOn } from '../test/whole/stage.ts';
import { leap } from './moved-time.ts';
import { buttonOf, copyOf, NAMES, type Sample, sample } from './sample.ts';

type People = Awaited<ReturnType<typeof startOn>>['people'];

/** The forms that open on a plan and on the finding that it is for. */
export async function formSamples(stage: Stage, people: People, plan: StoredMessage): Promise<readonly Sample[]> {
  const [card] = stage.slack.state.messages;
  if (card === undefined) throw new Error('no finding');
  const form = async (name: string, asks: string, on: StoredMessage, line?: string) => {
    await people.click({ actionId: buttonOf(on, asks) ?? '', on, user: 'U_ONCALL', line });
    const open = await stage.slack.until(name, () => stage.slack.state.openViews.get('U_ONCALL')?.at(-1));
    stage.slack.state.openViews.clear();
    return { name, messages: [], view: fromView(open.id, open.view), names: NAMES };
  };
  const wrong = await form('wrong-form', 'menu', card, 'Finding is wrong…');
  return [
    await form('edit-form', 'edit', plan),
    await form('resolve-form', 'menu', card, 'Resolve…'),
    wrong,
    { ...wrong, name: 'wrong-causes', opens: 'select' },
    { ...sample('finding-menu', [copyOf(card)]), opens: 'menu' },
  ];
}

/** What a button asks before it changes production. */
export function confirmSample(name: string, message: StoredMessage, label: string): Sample {
  return { ...sample(name, [copyOf(message)]), opens: { confirm: label } };
}

/** The night after a run: its change expires, and then has expired. */
export async function expirySamples(stage: Stage): Promise<readonly Sample[]> {
  const HOUR = 3_600_000;
  const told = (words: string) => () => stage.slack.state.messages.find(({ text }) => text.includes(words));
  leap(23 * HOUR);
  const soon = copyOf(await stage.slack.until('the reminder', told('expires soon'), 120_000));
  leap(1.1 * HOUR);
  const expired = copyOf(await stage.slack.until('the expiry', told('change expired'), 120_000));
  return [
    sample('change-expires', [soon]),
    confirmSample('change-confirm', soon, 'Roll back…'),
    sample('change-expired', [expired]),
    // By then the incident has been quiet for a day.
    sample('resolved', [copyOf(await stage.slack.until('the end', told('Was the finding right'), 120_000))]),
  ];
}
