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

// What the servers and their workers call themselves; the kernel keeps 15 signs (include/linux/sched.h, TASK_COMM_LEN).
const OF_ENGINE =
  /^(?:(?:i|py)?python\b|python[\d.]+$|pypy|vllm\b|sglang\b|sgl[-_]|ray(?:::|let\b|$)|text-generation|tgi\b|tritonserver|triton_?python|trt-?llm|tensorrt|mpirun|orted|llama\b|llama[-_]|llamafile|llama-?swap|ollama\b|lmdeploy|turbomind|local-?ai\b|kobold|lmcache|mooncake|aphrodite|exllama|tabbyapi|mlc|xinference|torchrun|pt_|accelerate|deepspeed|gunicorn|uvicorn|cicc$|ptxas$|nvcc$|cc1plus$|clang[\d+-]{0,5}$|hipcc$|ninja$|hypercorn|huggingface|infinity|text-embeddings|dynamo|nim\b|EngineCore|multiproc_worke)/i;

// Agents of nodes, data bases and desktops, none of which an engine starts.
const OTHER =
  /^(?:java\b|fluent|td-agent|filebeat|metricbeat|logstash|promtail|alloy|vector$|telegraf|collectd|otel|datadog|agent$|trace-agent|process-agent|node[-_]exporter|dcgm|nvidia-(?:device|persist|smi)|nv-host|prometheus|alertmanager|grafana|loki|thanos|kube|calico|cilium|coredns|etcd|flannel|istio|envoy|pilot-agent|postgres|mysql|mariadb|redis|mongo|clickhouse|elastic|opensearch|cassandra|kafka|minio|ceph|nginx|httpd|apache|haproxy|traefik|jenkins|gitlab|snap(?:d|\.)|fwupd|packagekit|unattended|cron|ssh|rsyslog|systemd-|NetworkManager|dbus|polkit|udisks|gdm|gnome-shell|Xorg|Xwayland|kwin|plasma|(?:app-)?(?:org\.mozilla\.)?firefox|(?:app-)?(?:google-)?chrom|(?:app-)?thunderbird|(?:app-)?slack|Web Content|Isolated Web|WebKit|code$|stress)/i;

// What runs containers and sessions may have the engine within.
const HOLDS_OTHERS = /^(?:docker|containerd|kubelet|k3s|rke2|crio|cri-|podman|libpod|user@|session-|kubepods)/;

/** Whether an engine's server or one of its workers is called so; interpreters, launchers and shells of engines count. */
export function isProgramOfEngine(name: string): boolean {
  return OF_ENGINE.test(name);
}

/** Whether it is a program that is no part of an engine. */
export function isOtherProgram(name: string): boolean {
  return OTHER.test(name);
}

/** Whether a unit is a service of the node, in which no container runs. */
export function isSystemService(unit: string): boolean {
  return unit.endsWith('.service') && !HOLDS_OTHERS.test(unit.split('/').at(-1) ?? unit);
}

const COMM = 15;

/** Whether a word of a command line is what the kernel calls the process. */
export function isTheSame(word: string, name: string): boolean {
  return word === name || (name.length === COMM && word.startsWith(name));
}

// Servers that no reader knows, as their images, commands and lines call them: huggingface/text-embeddings-inference
// router/src/main.rs, michaelfeil/infinity libs/infinity_emb, the console scripts of LMCache.
const SERVERS: readonly { readonly name: string; readonly is: RegExp }[] = [
  { name: 'text-embeddings-inference', is: /\btext[-_]embeddings?[-_](?:inference|router|core|backend)/i },
  { name: 'infinity', is: /\binfinity[-_]emb|(?:^|\/)michaelf34\/infinity\b/i },
  // The models of NVIDIA's retrieval microservices run in Triton (NeMo Retriever Text Embedding NIM, support matrix).
  { name: 'nemo-retriever', is: /(?:^|\/)nim\/[\w.-]+\/[\w.-]*(?:embed|rerank)/i },
  { name: 'lmcache', is: /^(?:\S*\/)?lmcache(?:_server|_controller|\.v1\.\S+|\/standalone\S*)?$/i },
];

// Helpers of engines, often in their images: vllm-project/production-stack src/vllm_router, sgl-project/sglang
// sgl-model-gateway (its `launch_server` starts engines as well), ai-dynamo/dynamo components/src/dynamo, kvcache-ai/Mooncake
// mooncake-store.
const HELPERS =
  /(?:^|\/)(?:(?:vllm|sglang|sgl|lmstack)[-_](?:[a-z]+[-_])?(?:router|gateway)(?:$|\.(?!launch_server\b))|dynamo\.(?:frontend|router|planner)\b|mooncake_master$)/i;
const BESIDE_IMAGE = /(?:^|\/)(?:vllm-project\/semantic-router|litellm(?:-database|-non_root)?)(?:$|[/:@])/i;

/** The name of a server that no reader knows, in an image, a command or a line; undefined for any other. */
export function serverNamed(text: string): string | undefined {
  return SERVERS.find(({ is }) => is.test(text))?.name;
}

/** Whether a word of a command starts a helper of an engine, whatever engine its name holds. */
export function startsHelper(word: string): boolean {
  return HELPERS.test(word);
}

/** Whether an image is a helper's, whatever engine its name holds. */
export function isHelperImage(image: string): boolean {
  return BESIDE_IMAGE.test(image) || isHelperName(programOf(image));
}
