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
