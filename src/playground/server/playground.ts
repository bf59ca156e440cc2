import { toOomError } from '../../model/errors.ts';
import type { StoredFile } from '../../standins/slack/state.ts';
import type { Deed, Feed, Outcome, ShownEntries, ShownNews } from '../page/shown.ts';
import { findScenario } from '../scenarios/open-scenario.ts';
import type { BotNews } from './bot.ts';
import { createCallLog } from './call-log.ts';
import { doInSlack, planFault } from './deeds.ts';
import { shownPlayground, shownSlack } from './shown-state.ts';
import { openStage, type Stage } from './stage.ts';

export type PlaygroundOptions = {
  readonly scenario: string;
  readonly speed: number;
  readonly mode: 'socket' | 'http';
  readonly playbooks: readonly string[];
  /** Something to show may have changed. */
  readonly onChange: () => void;
};

/** One scenario at a time, the bot, and what people do there. */
export type Playground = {
  read(): Feed;
  do(deed: Deed): Promise<Outcome>;
  file(id: string): StoredFile | undefined;
  close(): Promise<void>;
};

type Scene = { readonly stage: Stage; readonly calls: () => ShownEntries['calls']; traffic: number };

const OK = { ok: true } as const;
const MOST_NEWS = 5;

/** Opens the first scenario; the bot starts meanwhile. Throws OomError `bad-input` for a scenario that does not exist. */
export async function openPlayground(options: PlaygroundOptions): Promise<Playground> {
  const news: ShownNews[] = [];
  let lastNews = 0;
  const onNews = ({ level, says }: BotNews): void => {
    lastNews += 1;
    news.push({ id: lastNews, level, says });
    if (news.length > MOST_NEWS) news.shift();
    options.onChange();
  };
  const start = async ({ stage }: Scene): Promise<Outcome> => {
    try {
      await stage.bot.start();
      return OK;
    } catch (error) {
      const says = error instanceof Error ? error.message : String(error);
      // Ended on purpose: another scenario was chosen meanwhile.
      if (scene?.stage === stage) onNews({ level: 'error', says });
      return { ok: false, says };
    }
  };
  const open = async (scenario: string, speed: number): Promise<Scene> => {
    const stage = await openStage({ ...options, scenario, speed, onNews });
    return { stage, calls: createCallLog(stage), traffic: 1 };
  };
  let scene = await open(options.scenario, options.speed);
  let changing = Promise.resolve();
  const choose = async (name: string): Promise<Outcome> => {
    findScenario(name);
    const { speed } = scene.stage;
    const next = await open(name, speed);
    const before = scene;
    scene = next;
    news.length = 0;
    void start(next);
    options.onChange();
    await before.stage.close();
    return OK;
  };
  void start(scene);

  const act = async (deed: Deed): Promise<Outcome> => {
    const { stage } = scene;
    switch (deed.kind) {
      case 'scenario': {
        // One after the other, also from two pages.
        const chosen = changing.then(() => choose(deed.name));
        changing = chosen.then(
          () => undefined,
          () => undefined,
        );
        return chosen;
      }
      case 'bot':
        if (deed.what === 'start') return start(scene);
        await stage.bot.kill();
        return OK;
      case 'speed':
        stage.setSpeed(deed.speed);
        return OK;
      case 'traffic':
        scene.traffic = deed.factor;
        stage.cluster.traffic.scale(deed.factor);
        return OK;
      case 'fault':
        planFault(stage, deed.fault);
        return OK;
      default:
        return doInSlack(stage, deed);
    }
  };

  return {
    read: () => readAll(scene, options.playbooks, news),
    async do(deed) {
      try {
        return await act(deed);
      } catch (error) {
        const { code, message, next } = toOomError(error);
        const cause = code === 'internal' && error instanceof Error ? ` ${error.message}` : '';
        return { ok: false, says: `${message}${cause} ${next}` };
      } finally {
        options.onChange();
      }
    },
    file: (id) => scene.stage.slack.state.files.get(id),
    async close() {
      await changing;
      await scene.stage.close();
    },
  };
}

function readAll({ stage, calls, traffic }: Scene, playbooks: readonly string[], news: readonly ShownNews[]): Feed {
  const entries: ShownEntries = {
    playground: shownPlayground(stage, { playbooks: ['playbooks', ...playbooks], traffic }),
    bot: stage.bot.state,
    cluster: stage.cluster.state(),
    calls: calls(),
    news,
  };
  return { ...entries, ...shownSlack(stage.slack.state) };
}
