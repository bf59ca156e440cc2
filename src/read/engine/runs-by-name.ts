import { isOtherProgram } from './programs.ts';

/** What runs under a name. */
export type Runs = 'engine' | 'other' | 'unknown';

// The owner of an image names none of what it owns.
const ENGINES =
  'vllm(?!-project/)|sglang|tgi|text-generation|tritonserver|tensorrt|trt-?llm|lmdeploy|llama[-.]?(?:cpp|server)|ollama|kaito|huggingfaceserver|nim|local-?ai|koboldcpp|xinference|aphrodite|tabbyapi';
const ENGINE_WORD = new RegExp(`(?:^|[^a-z])(?:${ENGINES})(?:[^a-z]|$)`, 'i');
// In an image or a command these stand for much else.
const ENGINE_IN_NAME = new RegExp(`(?:^|[^a-z])(?:${ENGINES}|triton|llm)(?:[^a-z]|$)`, 'i');

// What a helper is called for what it does, whatever program does it. A Deployment ends the names of its pods with two words,
// a DaemonSet with one (apimachinery pkg/util/rand, without vowels).
const HELPER =
  /(?:^|-)(?:proxy|router|gateway|exporter|sidecar|agent|collector|logger|log-?shipper|metrics|downloader|puller|storage-initializer|reloader|webhook|controller|operator|scheduler|epp)(?:-container)?(?:-\d+|(?:-[bcdf-hj-np-tv-xz2456789]{6,10})?-[bcdf-hj-np-tv-xz2456789]{5})?$/i;

// What serves models may be called so too: KubeAI, KubeRay.
const SERVES_OR_NOT = /^kube(?!let|-(?:proxy|apiserver|controller|scheduler|state|prometheus|router|vip))/i;

/** What runs in a pod or a container of this name, by the name alone. */
export function runsByName(name: string): Runs {
  if (HELPER.test(name)) return 'other';
  const isOther = isOtherProgram(name) && !SERVES_OR_NOT.test(name);
  if (ENGINE_IN_NAME.test(name)) return isOther ? 'unknown' : 'engine';
  return isOther ? 'other' : 'unknown';
}

// What charts and platforms call the container that serves.
const USUAL_NAME = /^(?:main|kserve-container|server)$|-ctr$/;

/** Whether a container of this name, or the pod around it, runs an engine. */
export function isEngineName(name: string): boolean {
  const runs = runsByName(name);
  return runs === 'engine' || (runs === 'unknown' && USUAL_NAME.test(name));
}

/** Whether a container or a pod of this name helps, or has nothing to do with an engine, and runs none. */
export function isHelperName(name: string): boolean {
  return runsByName(name) === 'other';
}

/** Whether an engine is named in an image or a word of a command. */
export function isEngineWord(text: string): boolean {
  return ENGINE_WORD.test(text);
}

/** The name of an image without what stands around it. */
export function programOf(image: string): string {
  return (image.split('/').at(-1) ?? image).replace(/[:@].*$/, '');
}
