import { fromTables, type ReferenceTables } from '../model/reference-tables.ts';

// What the engine serves, to whom, from where and on how many GPUs, and what code it loads: no stop-bleed changes that.
const PROTECTED = `
  --model --model-path --model-id --model-name --hf-model --served-model-name --server-name --alias --revision
  --tokenizer --tokenizer-path --tokenizer-mode --tokenizer-revision --code-revision --hf-repo --hf-file --mmproj
  --hf-config-path --hf-overrides --generation-config --override-generation-config --chat-template --tool-call-parser
  --reasoning-parser --lora-modules --lora-paths --lora-adapters --prompt-adapters --download-dir --slot-save-path
  --load-format --model-loader-extra-config --model-impl --model-format --task --runner --convert
  --api-key --api-keys --hf-token --host --hostname --port --server-port --ssl-keyfile --ssl-certfile --ssl-ca-certs
  --allowed-origins --allow-origins --allowed-methods --allowed-headers --root-path --otlp-traces-endpoint
  --kv-events-config --allowed-local-media-path --allowed-media-domains
  --trust-remote-code --worker-cls --worker-extension-cls --scheduler-cls --middleware --logits-processors
  --logits-processor-pattern --tool-parser-plugin --reasoning-parser-plugin --distributed-executor-backend
  --tensor-parallel-size --pipeline-parallel-size --data-parallel-size --data-parallel-size-local
  --data-parallel-address --data-parallel-rpc-port --data-parallel-backend --decode-context-parallel-size
  --prefill-context-parallel-size --enable-expert-parallel --tp --dp --tp-size --dp-size --pp-size --ep-size
  --gpus-per-node --num-shard --sharded --tensor-split --split-mode --main-gpu --device --headless
  --nnodes --node-rank --master-addr --master-port --dist-init-addr
  --config --kaito-config-file`;

// A second model and a connector take memory of their own, so they may be taken away; what they load is nobody's to choose here.
const ONLY_AWAY = '--speculative-config --speculative-model --kv-transfer-config';

/** A flag as it is compared: to engines `_` and `-` are the same in its name, and `--no-x` is about `--x`. */
export function flagKey(flag: string): string {
  // The case of a short form matters: `-C` is not `-c`.
  if (/^-[^-]/.test(flag)) return flag;
  return flag.startsWith('-')
    ? flag
        .replaceAll('_', '-')
        .replace(/^--no-/, '--')
        .toLowerCase()
    : flag;
}

/** Whether no button may give a flag this value; null takes the flag away. */
export function isProtectedFlag(flag: string, to: string | null): boolean {
  const key = flagKey(flag);
  return always().has(key) || (to !== null && added().has(key));
}

const always = fromTables((tables) => withSpellings(PROTECTED, tables));
const added = fromTables((tables) => withSpellings(ONLY_AWAY, tables));

// Whatever an engine takes for the same, short forms too.
function withSpellings(flags: string, { commandLines }: ReferenceTables): ReadonlySet<string> {
  const keys = new Set(words(flags).map(flagKey));
  const groups = Object.values(commandLines)
    .flatMap(({ values, lists, negatable, switches }) => [values, lists, negatable, switches].flatMap(words))
    .map((group) => group.split('=').map(flagKey));
  return new Set([...keys, ...groups.filter((group) => group.some((key) => keys.has(key))).flat()]);
}

function words(text = ''): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
