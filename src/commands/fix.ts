import { fixIncident, fixOf } from '../app/lifecycle/permanent-fix.ts';
import { type ExplainedFix, fixMessages, fixYaml } from '../report/permanent-fix.ts';
import type { CommandContext } from './context.ts';
import { openFolder, redactScreen } from './folder.ts';
import { isFolderName, orNoFolder, refuseStray } from './folder-words.ts';
import { actorHere, onStore } from './lifecycle.ts';
import { EXIT, say } from './terminal.ts';

/** `oom fix INCIDENT|PATH`: the permanent fix of a finding. With `patch` only the YAML, to be piped. */
export async function runFix(
  context: CommandContext,
  words: readonly string[],
  { patch }: { readonly patch: boolean },
): Promise<number> {
  const { terminal } = context;
  refuseStray(words);
  const what = words.join(' ');
  const show = (fix: ExplainedFix): void => {
    if (!patch) say(terminal, redactScreen(context.config(), fixMessages(fix)));
    else if (fix.fix?.patches.length) terminal.out(fixYaml(fix).trimEnd());
    else {
      terminal.err('No patch: the finding computes no value, or the manifest is not in the evidence.');
      context.exit(EXIT.notFound);
    }
  };
  if (isFolderName(words)) {
    const knowledge = await context.knowledge();
    const source = await openFolder(terminal, 'fix', what);
    const { diagnosis } = await knowledge.diagnose(source);
    show({ subject: source.id, typed: what, ...(await fixOf(diagnosis, source, knowledge.engine)) });
    return EXIT.ok;
  }
  return onStore(context, { verb: 'fix', withoutStore: EXIT.notFound }, async (deps) =>
    show(await orNoFolder(words, () => fixIncident(deps, actorHere(), what))),
  );
}
