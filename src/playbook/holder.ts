import { type Compiled, compilePlaybook } from './compile.ts';
import type { Catalogues, Playbook } from './compiled.ts';
import { mergePlaybookFiles, type PlaybookSource } from './merge.ts';
import type { Problem } from './problem.ts';

/** What became of an offered set of files. `kept` is the hash of the playbook that stays in force, if there is one. */
export type Offered =
  | { readonly kind: 'taken'; readonly playbook: Playbook; readonly warnings: readonly Problem[] }
  | { readonly kind: 'same'; readonly playbook: Playbook }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[]; readonly kept: string | undefined };

/** Merges and compiles; never throws. */
export function loadPlaybook(sources: readonly PlaybookSource[], catalogues: Catalogues): Compiled {
  const merged = mergePlaybookFiles(sources);
  if (merged.kind === 'missing') return { kind: 'bad', problems: merged.problems };
  return compilePlaybook(merged.files.parts, catalogues);
}

/** The playbook in force. A bad file changes nothing: the last good one stays until a sound one is offered. */
export class PlaybookHolder {
  readonly #catalogues: Catalogues;
  #current: Playbook | undefined;

  constructor(catalogues: Catalogues) {
    this.#catalogues = catalogues;
  }

  get current(): Playbook | undefined {
    return this.#current;
  }

  offer(sources: readonly PlaybookSource[]): Offered {
    const loaded = loadPlaybook(sources, this.#catalogues);
    if (loaded.kind === 'bad') return { kind: 'refused', problems: loaded.problems, kept: this.#current?.hash };
    if (loaded.playbook.hash === this.#current?.hash) return { kind: 'same', playbook: this.#current };
    this.#current = loaded.playbook;
    return { kind: 'taken', playbook: loaded.playbook, warnings: loaded.warnings };
  }
}
