import { valueAt } from '../../model/json-patch.ts';
import { readConfigText } from './config-text.ts';
import { dialectOf } from './engine-flags.ts';
import { locate } from './locate.ts';
import type { RefusalReason } from './outcome.ts';
import { type Container, readContainer } from './read-container.ts';
import { type FlagUse, readFlags } from './read-flags.ts';
import type { Word } from './word.ts';

/** One flag or variable as a source sets it; `value` null for what is computed or comes from elsewhere, `true` or `false` for a switch. */
export type ArgSetting = { readonly flag: string; readonly value: string | null };

/** A place that sets arguments. */
export type ArgSource =
  | { readonly kind: 'argv' | 'script'; readonly at: string; readonly settings: readonly ArgSetting[] }
  | { readonly kind: 'env'; readonly at: string; readonly settings: readonly ArgSetting[] }
  | { readonly kind: 'config-map'; readonly at: string; readonly settings: readonly ArgSetting[] }
  | { readonly kind: 'field'; readonly at: string; readonly settings: readonly ArgSetting[] }
  /** What the image brings, or what can not be read. */
  | { readonly kind: 'unknown'; readonly why: RefusalReason };

export type SourceOptions = {
  readonly engine: string;
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A custom resource and the JSON pointers of its fields that stand for flags. */
  readonly object?: unknown;
  readonly fields?: Readonly<Record<string, string>>;
};

const ENGINE_VARIABLE = /^(?:NIM_|OLLAMA_|LLAMA_ARG_|VLLM_|SGLANG_|PYTORCH_(?:CUDA_)?ALLOC_CONF$|TGI_WIGGLE_ROOM$)/;

/** Where a container's arguments come from, in order of falling precedence. Never throws. */
export function findArgSources(json: unknown, options: SourceOptions): ArgSource[] {
  const container = readContainer(json);
  if (container === undefined) return [{ kind: 'unknown', why: 'malformed' }];
  const words = fromWords(container, options);
  const files = fromConfigMaps(options);
  const isKaito = words.some(
    (one) => 'settings' in one && one.settings.some(({ flag }) => flag === '--kaito-config-file'),
  );
  return [
    ...(isKaito ? [...files, ...words] : words),
    ...fromVariables(container, options),
    ...(isKaito ? [] : files),
    ...fromFields(options),
  ];
}

function fromWords(container: Container, { engine }: SourceOptions): ArgSource[] {
  const dialect = dialectOf(engine);
  if (dialect === undefined) return [{ kind: 'unknown', why: 'unknown-engine' }];
  const located = locate(container, { engine });
  if (located.kind === 'not-located') return [{ kind: 'unknown', why: located.why }];
  const { uses } = readFlags(located.words, dialect, located.modelFirst);
  const holders = new Set(located.words.map(placeOf));
  const sources = [...holders].toReversed().map((at): ArgSource => {
    const settings = uses.filter((use) => placeOf(located.words[use.at]) === at).map(toSetting);
    return {
      kind: located.words.find((word) => placeOf(word) === at)?.units === null ? 'argv' : 'script',
      at,
      settings,
    };
  });
  const { insertion } = located;
  const isHidden = insertion === 'entrypoint-unknown' || insertion === 'arguments-in-image';
  return isHidden ? [...sources, { kind: 'unknown', why: insertion }] : sources;
}

function placeOf(word: Word | undefined): string {
  return word?.units === null ? word.holder.replace(/\/\d+$/, '') : (word?.holder ?? '');
}

function toSetting({ key, value, off, odd }: FlagUse): ArgSetting {
  return { flag: key, value: odd !== null ? null : (value?.text ?? String(!off)) };
}

// Variables that the engine itself reads; tokens and other secrets are none of them.
function fromVariables({ env }: Container, { engine }: SourceOptions): ArgSource[] {
  const isTgi = (name: string) =>
    engine === 'tgi' && dialectOf('tgi')?.find(`--${name.toLowerCase().replaceAll('_', '-')}`) !== undefined;
  return (env ?? []).flatMap(({ name, value }, i): ArgSource[] =>
    ENGINE_VARIABLE.test(name) || isTgi(name)
      ? [{ kind: 'env', at: `/env/${i}`, settings: [{ flag: name, value: value ?? null }] }]
      : [],
  );
}

function fromConfigMaps({ configMaps = {} }: SourceOptions): ArgSource[] {
  return Object.entries(configMaps).flatMap(([name, data]) =>
    Object.entries(data).flatMap(([key, text]): ArgSource[] => {
      const settings = readConfigText(text, 'vllm') ?? readConfigText(text, null);
      if (settings === undefined) return [];
      const at = `${name}/${key}`;
      return [
        { kind: 'config-map', at, settings: [...settings].map(([flag, value]) => ({ flag: `--${flag}`, value })) },
      ];
    }),
  );
}

function fromFields({ object, fields = {} }: SourceOptions): ArgSource[] {
  return Object.entries(fields).flatMap(([flag, at]): ArgSource[] => {
    const value = valueAt(object, at);
    return value === undefined ? [] : [{ kind: 'field', at, settings: [{ flag, value: String(value) }] }];
  });
}
